"""What a character owns, where it lies, and what its ships and containers are called."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._assets import Shelf, asset_parts
from jobs.spec import Kind
from jobs.store.schema.assets import (
    character_asset,
    character_asset_name,
    character_asset_position,
)

SHELF = Shelf(
    owner=SubjectType.CHARACTER,
    items=character_asset,
    names=character_asset_name,
    positions=character_asset_position,
    rate_group="char-asset",
    scopes=frozenset({"esi-assets.read_assets.v1"}),
)

KIND = Kind(
    name="character.assets",
    subject=SubjectType.CHARACTER,
    feature="assets",
    every=timedelta(hours=1),
    summary="Everything a character owns, with names and positions of ships and containers.",
    triggers=("global.market_prices", "character.abyssals"),
    parts=asset_parts(SHELF),
)
