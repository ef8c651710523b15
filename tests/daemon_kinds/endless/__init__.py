"""Kinds that do not end."""
