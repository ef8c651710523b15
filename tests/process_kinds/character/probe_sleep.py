"""Probe: sleep."""

from __future__ import annotations

from process_kinds._probes import SLEEP as KIND

__all__ = ["KIND"]
