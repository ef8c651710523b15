"""Kinds of a character subject, one module each."""

from __future__ import annotations
