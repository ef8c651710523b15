"""A set of assets that nobody was asked for: what is measured is how it is written.

It is staged and written as the kinds of the product do it, and a part of it changes in each run.
"""

from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult, Row, Target, Write
from jobs.store.schema.assets import corporation_asset

ASSETS = Target(corporation_asset, key=("corporation_id", "item_id"), write=Write.REPLACE)
# Rows of a set, by the subject's number modulo their count; from LARGE_FROM on, one large set.
SIZES = (1, 20, 100, 500, 1_000, 2_000, 5_000, 5_000)
LARGE_FROM = 98_900_000
LARGE = 300_000
# In each run one of so many rows has a quantity of its own.
CHANGES = 20
_runs = itertools.count()


def size_of(subject_id: int) -> int:
    """Return how many rows a subject's set has."""
    return LARGE if subject_id >= LARGE_FROM else SIZES[subject_id % len(SIZES)]


def assets(size: int, run: int) -> list[Row]:
    """Return the rows of a set in one of its runs."""
    return [
        {
            "item_id": 1_000_000_000_000 + number,
            "type_id": 1_000 + number % 5_000,
            "quantity": number + (run if number % CHANGES == run % CHANGES else 0),
            "location_id": 60_000_000 + number % 500,
            "location_type": "station",
            "location_flag": "Hangar",
            "is_singleton": number % 3 == 0,
        }
        for number in range(1, size + 1)
    ]


async def write_assets(context: Context) -> PartResult:
    """Write the subject's set."""
    me = context.subject.id
    # Not on the loop: the other jobs of the worker write meanwhile.
    rows = await asyncio.to_thread(assets, size_of(me), next(_runs))
    async with context.staged(ASSETS, rows, {}) as ready:
        changed = await context.write(
            lambda connection: context.apply(connection, ASSETS, ready, {})
        )
    return PartResult(rows=changed)


KIND = Kind(
    name="corporation.asset_set",
    subject=SubjectType.CORPORATION,
    feature=None,
    every=timedelta(hours=12),
    parts=(Part(name="assets", targets=(ASSETS,), run=write_assets),),
    summary="Writes a set of assets.",
)
