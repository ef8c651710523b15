"""Kinds of an alliance subject, one module each."""

from __future__ import annotations
