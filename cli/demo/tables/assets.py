"""Assets, their names and positions."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners


def _unpacked(assets: Answer) -> set[int]:
    """Return the items that can have a name and a place of their own."""
    return {
        one["item_id"]
        for one in assets
        if one["is_singleton"] and one.get("is_blueprint_copy") is None
    }


def _names(names: Answer, assets: Answer) -> Iterable[Document]:
    unpacked = _unpacked(assets)
    for one in names:
        if one["item_id"] in unpacked:
            # ESI's word for no name.
            yield {**one, "name": None if one["name"] == "None" else one["name"]}


def _positions(positions: Answer, assets: Answer) -> Iterable[Document]:
    unpacked = _unpacked(assets)
    for one in positions:
        if one["item_id"] in unpacked:
            yield {"item_id": one["item_id"], **one["position"]}


TABLES = (
    Mirrored("character_asset", "character.assets", Owners.CHARACTERS, ("item_id",)),
    Mirrored(
        "character_asset_name",
        "assets.names",
        Owners.CHARACTERS,
        ("item_id",),
        beside="character.assets",
        documents=_names,
    ),
    Mirrored(
        "character_asset_position",
        "assets.positions",
        Owners.CHARACTERS,
        ("item_id",),
        beside="character.assets",
        documents=_positions,
    ),
    Mirrored("corporation_asset", "corporation.assets", Owners.CORPORATIONS, ("item_id",)),
    Mirrored(
        "corporation_asset_name",
        "assets.names",
        Owners.CORPORATIONS,
        ("item_id",),
        beside="corporation.assets",
        documents=_names,
    ),
    Mirrored(
        "corporation_asset_position",
        "assets.positions",
        Owners.CORPORATIONS,
        ("item_id",),
        beside="corporation.assets",
        documents=_positions,
    ),
)
