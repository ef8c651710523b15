"""Views for people: names in place of ids, places in place of locations, states by time."""
