"""Probe: orphan."""

from __future__ import annotations

from process_kinds._probes import ORPHAN as KIND

__all__ = ["KIND"]
