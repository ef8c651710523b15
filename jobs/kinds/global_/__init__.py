"""Kinds of no subject in particular, one module each."""

from __future__ import annotations
