"""Kinds of alliances: the fewest other things are done for such a subject."""
