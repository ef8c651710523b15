"""Probe: stubborn."""

from __future__ import annotations

from process_kinds._probes import STUBBORN as KIND

__all__ = ["KIND"]
