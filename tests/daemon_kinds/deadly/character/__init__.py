"""Kinds of characters."""
