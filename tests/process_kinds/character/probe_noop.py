"""Probe: noop."""

from __future__ import annotations

from process_kinds._probes import NOOP as KIND

__all__ = ["KIND"]
