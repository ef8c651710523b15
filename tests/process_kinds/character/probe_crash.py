"""Probe: crash."""

from __future__ import annotations

from process_kinds._probes import CRASH as KIND

__all__ = ["KIND"]
