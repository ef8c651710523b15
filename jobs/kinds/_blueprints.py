"""Blueprints as ESI writes them, alike for characters and corporations."""

from __future__ import annotations

from jobs.spec import Wire


class Blueprint(Wire, frozen=True):
    """One original, copy or stack of originals."""

    item_id: int
    type_id: int
    location_id: int
    location_flag: str
    quantity: int
    runs: int
    material_efficiency: int
    time_efficiency: int
