"""Fittings."""

from __future__ import annotations

from cli.demo.mirrored import Mirrored, Owners, each_inner

TABLES = (
    Mirrored("character_fitting", "character.fittings", Owners.CHARACTERS, ("fitting_id",)),
    Mirrored(
        "character_fitting_item",
        "character.fittings",
        Owners.CHARACTERS,
        ("fitting_id", "position"),
        documents=each_inner("fitting_id", "items", numbered=True),
    ),
)
