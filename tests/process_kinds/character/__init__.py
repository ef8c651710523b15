"""Probes of characters."""

from __future__ import annotations
