"""Probe: kill self."""

from __future__ import annotations

from process_kinds._probes import KILL_SELF as KIND

__all__ = ["KIND"]
