"""Kinds that harm their worker, each in a package of its own, for tests of the whole daemon."""
