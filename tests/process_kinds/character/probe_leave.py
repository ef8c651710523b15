"""Probe: leave."""

from __future__ import annotations

from process_kinds._probes import LEAVE as KIND

__all__ = ["KIND"]
