"""Probe: write rows."""

from __future__ import annotations

from process_kinds._probes import WRITE_ROWS as KIND

__all__ = ["KIND"]
