"""Probe: interrupt."""

from __future__ import annotations

from process_kinds._probes import INTERRUPT as KIND

__all__ = ["KIND"]
