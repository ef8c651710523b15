"""The demo: a simulated EVE, the real daemon, and a check of what was mirrored.

The check reads the database with plain SQL and asks the universe's own model; nothing of the
code that wrote the rows takes part in it.
"""
