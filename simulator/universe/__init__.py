"""What exists in the simulated EVE, as a function of a seed and of universe time."""

from __future__ import annotations
