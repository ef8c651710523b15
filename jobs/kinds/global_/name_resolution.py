"""Names of every id in the mirror, and the parts of the universe that the ids lie in.

Ids are put down when the rows they are in are written (jobs.store.wanted). One that ESI does not
know spoils a whole batch: it is singled out, and asked about again after a growing while.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from sqlalchemy import Connection, select

from ipc.subject import SubjectType
from jobs.errors import BadAnswer, Gone
from jobs.kinds._batches import BATCH, ask_in_halves, left_out
from jobs.kinds._unknown_ids import UNKNOWN, note_unknown
from jobs.kinds.global_._details import DETAILS, Detail, detail_row
from jobs.kinds.global_._wanted_ids import SEARCH, aged, look_through, no_longer_wanted, wanted_ids
from jobs.spec import Context, Kind, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store.schema.universe import name, universe_faction
from jobs.store.wanted import BY_NAME
from jobs.together import as_far_as

NAMES = Route("POST", "/universe/names")
# Ids of one run: those without a name, and those whose name is old.
MAX_NAMELESS = 20 * BATCH
MAX_AGED = 5 * BATCH
# Requests for details of one run, and how many refusals end it: they count for all routes.
MAX_DETAILS = 300
MAX_DETAIL_REFUSALS = 10
GROUP = 25
# ESI's words that differ from ours.
CATEGORIES = {"inventory_type": "type", "solar_system": "system"}


class Named(Wire, frozen=True):
    """What one id stands for."""

    id: int
    category: str
    name: str


class Faction(Wire, frozen=True):
    """One of the game's powers."""

    faction_id: int
    name: str
    description: str
    is_unique: bool
    size_factor: float
    station_count: int
    station_system_count: int
    corporation_id: int | None = None
    militia_corporation_id: int | None = None
    solar_system_id: int | None = None


RESOLVED = Target(name, key=("id",), write=Write.UPSERT)


async def search(context: Context) -> PartResult:
    """Look through tables for ids that nobody put down."""
    left = await look_through(context)
    return PartResult(fresh_until=context.now(), left=int(left))


async def sync_names(context: Context) -> PartResult:
    """Ask for the names that are missing, then for those that are old."""
    now = context.now()
    # Left out of an answer that was no refusal.
    unknown: list[int] = []
    ids = await wanted_ids(context, BY_NAME, MAX_NAMELESS)
    ids += await context.read(lambda connection: aged(connection, now, MAX_AGED))

    async def ask(batch: list[int]) -> int:
        fetched = await context.fetch(NAMES, {}, list[Named], body=batch, keep_state=False)
        answer: list[Named] = list(fetched.value or [])
        absent = left_out(context, batch, {one.id for one in answer}, fetched)

        def store(connection: Connection) -> int:
            if absent:
                note_unknown(context, BY_NAME, absent, connection)
            return store_names(context, answer, connection)

        unknown.extend(absent)
        return await context.write(store)

    asked = await ask_in_halves(ids, ask, lambda: context.budget_s > 0)
    if asked.refused:
        await context.write(partial(note_unknown, context, BY_NAME, asked.refused))
    unknown += asked.refused
    note = f"{len(unknown)} ids unknown to ESI" if unknown else ""
    return PartResult(
        rows=asked.rows,
        empty=not ids,
        # The next job may bring new ids: other parts' fresh answers are no reason to wait.
        fresh_until=context.now(),
        left=len(asked.left),
        note=note,
    )


def store_names(context: Context, answer: Sequence[Named], connection: Connection) -> int:
    """Write names; the time of asking alone counts as no change."""
    now = context.now()
    before = {
        row.id: row.name
        for row in connection.execute(
            select(name.c.id, name.c.name).where(name.c.id.in_([one.id for one in answer]))
        )
    }
    rows: list[Row] = [
        {
            "id": one.id,
            "category": CATEGORIES.get(one.category, one.category),
            "name": one.name,
            "checked_at": now,
        }
        for one in answer
    ]
    context.apply(connection, RESOLVED, rows, {})
    no_longer_wanted(connection, BY_NAME, [one.id for one in answer])
    return sum(before.get(one.id) != one.name for one in answer)


class _Details:
    """One run over all details, within its number of requests and refusals."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._asked = 0
        self._refused = 0
        self.rows = 0

    def may_go_on(self, under_way: int = 0) -> bool:
        """Tell whether another request is within bounds, even if those under way are refused."""
        return (
            self._asked < MAX_DETAILS
            and self._refused + under_way < MAX_DETAIL_REFUSALS
            and self._context.budget_s > 0
        )

    async def fetch_missing(self, detail: Detail) -> bool:
        """Fetch what is missing of one kind; tell whether something was left."""
        ids = await wanted_ids(self._context, detail.names.value, MAX_DETAILS + 1)
        for at in range(0, len(ids), GROUP):
            await self._fetch_group(detail, ids[at : at + GROUP])
            if not self.may_go_on():
                return True
        return False

    async def _fetch_group(self, detail: Detail, ids: Sequence[int]) -> None:
        found: list[Row] = []
        refused: list[int] = []

        async def ask(one: int) -> None:
            self._asked += 1
            try:
                fetched = await self._context.fetch(
                    detail.route, {detail.key: one}, detail.wire, keep_state=False
                )
            except (Gone, BadAnswer):
                # This one is at fault, not the others.
                self._refused += 1
                refused.append(one)
            else:
                found.append(detail_row(fetched.value))

        trouble = await as_far_as(ids, ask, self.may_go_on)
        if found or refused:
            # What was paid for is kept, whatever ended the group.
            self.rows += await self._context.write(partial(self._store, detail, found, refused))
        if trouble is not None:
            raise trouble

    def _store(
        self, detail: Detail, found: list[Row], refused: list[int], connection: Connection
    ) -> int:
        context = self._context
        rows = context.apply(connection, detail.target, found, {}) if found else 0
        no_longer_wanted(connection, detail.names.value, [row[detail.key] for row in found])
        if found and detail.gives_name:
            named = [Named(row[detail.key], detail.names.value, row["name"]) for row in found]
            rows += store_names(context, named, connection)
        if refused:
            note_unknown(context, detail.names.value, refused, connection)
        return rows


async def sync_details(context: Context) -> PartResult:
    """Fetch details of what the mirror names, as many as one run may; each is fetched once."""
    run = _Details(context)
    left = False
    for detail in DETAILS:
        left = await run.fetch_missing(detail)
        if left:
            break
    return PartResult(rows=run.rows, fresh_until=context.now(), left=int(left))


KIND = Kind(
    name="global.name_resolution",
    subject=SubjectType.GLOBAL,
    feature=None,
    every=timedelta(minutes=15),
    summary="Names of every id in the mirror; types, places and factions with their details.",
    parts=(
        Part(
            name="factions",
            route=Route("GET", "/universe/factions"),
            wire=Faction,
            optional=True,
            targets=(Target(universe_faction, key=("faction_id",), write=Write.UPSERT),),
        ),
        Part(name="search", targets=(SEARCH,), run=search),
        Part(
            name="names",
            route=NAMES,
            wire=Named,
            targets=(RESOLVED, UNKNOWN),
            run=sync_names,
        ),
        Part(
            name="details",
            targets=tuple(detail.target for detail in DETAILS),
            run=sync_details,
            uses=tuple(detail.route for detail in DETAILS),
        ),
    ),
)
