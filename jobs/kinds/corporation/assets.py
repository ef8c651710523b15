"""What a corporation owns, where it lies, and what its ships and containers are called."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._assets import Shelf, asset_parts
from jobs.spec import Kind
from jobs.store.schema.assets import (
    corporation_asset,
    corporation_asset_name,
    corporation_asset_position,
)

SHELF = Shelf(
    owner=SubjectType.CORPORATION,
    items=corporation_asset,
    names=corporation_asset_name,
    positions=corporation_asset_position,
    rate_group="corp-asset",
    scopes=frozenset({"esi-assets.read_corporation_assets.v1"}),
    any_role=frozenset({"Director"}),
)

KIND = Kind(
    name="corporation.assets",
    subject=SubjectType.CORPORATION,
    feature="assets",
    every=timedelta(hours=1),
    summary="Everything a corporation owns, with names and positions of ships and containers.",
    triggers=("global.market_prices", "corporation.abyssals"),
    parts=asset_parts(SHELF),
)
