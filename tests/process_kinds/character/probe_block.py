"""Probe: block."""

from __future__ import annotations

from process_kinds._probes import BLOCK as KIND

__all__ = ["KIND"]
