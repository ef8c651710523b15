"""Every open order in the regions and structures that are watched."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Connection

from ipc.subject import SubjectType
from jobs.errors import BadAnswer, Gone, MissingRole
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, waiting_ids
from jobs.kinds.global_._places import asking_for, read_places
from jobs.spec import (
    Context,
    Fetched,
    Kind,
    Pages,
    Params,
    Part,
    PartResult,
    Route,
    Target,
    Wire,
    Write,
)
from jobs.store.schema.market import region_market_order, structure_market_order

REGION = Route(
    "GET",
    "/markets/{region_id}/orders",
    pages=Pages.X_PAGES,
    cache_age_s=300,
    rate_group="market-order",
    query=(("order_type", "all"),),
)
STRUCTURE = Route("GET", "/markets/structures/{structure_id}", pages=Pages.X_PAGES, cache_age_s=300)
IN_REGION = Target(region_market_order, key=("region_id", "order_id"), write=Write.REPLACE)
IN_STRUCTURE = Target(structure_market_order, key=("structure_id", "order_id"), write=Write.REPLACE)


class StructureOrder(Wire, frozen=True):
    """One order in a structure."""

    order_id: int
    type_id: int
    location_id: int
    is_buy_order: bool
    price: Decimal
    volume_total: int
    volume_remain: int
    min_volume: int
    range: str
    duration: int
    issued: datetime


class RegionOrder(StructureOrder, frozen=True):
    """One order in a region."""

    system_id: int


async def sync_regions(context: Context) -> PartResult:
    """Read the orders of each watched region."""
    places: list[Params] = [{"region_id": one} for one in context.watch.regions]
    ask = asking_for(context, REGION, RegionOrder)
    return await read_places(context, REGION, IN_REGION, places, ask)


async def sync_structures(context: Context) -> PartResult:
    """Read the orders of each watched structure, through whoever may dock there."""
    places: list[Params] = [{"structure_id": one} for one in context.watch.structures]
    doors = _Doors(context)
    return await read_places(context, STRUCTURE, IN_STRUCTURE, places, doors.ask, doors.open)


class _Doors:
    """Tries the credentials one after another; which structures are closed to whom is kept."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # Structure -> through whom it was read.
        self._through: dict[int, int] = {}

    async def ask(self, params: Params) -> Fetched | None:
        """Return the orders of a structure; None if nobody may see them."""
        structure_id = int(params["structure_id"])
        for reader in await self._readers_of(structure_id):
            try:
                fetched = await self._context.fetch(
                    STRUCTURE, params, list[StructureOrder], reader=reader
                )
            except (Gone, MissingRole):
                await self._note(reader, structure_id)
            except BadAnswer:
                # Whoever asks.
                return None
            else:
                self._through[structure_id] = reader
                return fetched
        return None

    def open(self, connection: Connection, params: Params) -> None:
        """Forget that a structure was once closed to whom it was read through."""
        structure_id = int(params["structure_id"])
        forget_unknown(connection, _refused(self._through[structure_id]), [structure_id])

    async def _readers_of(self, structure_id: int) -> Sequence[int]:
        """Return the credentials that were not refused lately."""
        now = self._context.now()

        def free(connection: Connection) -> list[int]:
            return [
                one
                for one in self._context.readers
                if structure_id not in waiting_ids(connection, _refused(one), now)
            ]

        return await self._context.read(free)

    async def _note(self, reader: int, structure_id: int) -> None:
        await self._context.write(
            lambda connection: note_unknown(
                self._context, _refused(reader), [structure_id], connection
            )
        )


def _refused(reader: int) -> str:
    """Return what unknown_id calls structures that are closed to a credential."""
    return f"market {reader}"


KIND = Kind(
    name="global.market_orders",
    subject=SubjectType.GLOBAL,
    feature="market_watch",
    every=timedelta(minutes=5),
    off_by_default=True,
    deadline_s=600.0,
    summary="Open orders of watched regions and structures.",
    parts=(
        Part(
            name="regions",
            route=REGION,
            wire=RegionOrder,
            targets=(IN_REGION,),
            run=sync_regions,
        ),
        Part(
            name="structures",
            route=STRUCTURE,
            wire=StructureOrder,
            scopes=frozenset({"esi-markets.structure_markets.v1"}),
            targets=(IN_STRUCTURE,),
            run=sync_structures,
        ),
    ),
)
