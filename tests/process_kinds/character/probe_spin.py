"""Probe: spin."""

from __future__ import annotations

from process_kinds._probes import SPIN as KIND

__all__ = ["KIND"]
