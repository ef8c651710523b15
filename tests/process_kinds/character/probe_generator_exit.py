"""Probe: generator exit."""

from __future__ import annotations

from process_kinds._probes import GENERATOR_EXIT as KIND

__all__ = ["KIND"]
