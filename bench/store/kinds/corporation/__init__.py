"""Kinds of corporations."""
