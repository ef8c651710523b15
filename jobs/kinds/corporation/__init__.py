"""Kinds of a corporation subject, one module each."""

from __future__ import annotations
