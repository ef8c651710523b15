"""Names of the structures that a character's rows name, as far as it may know them.

Corporations' own lists come first. A refusal costs the error limit that all routes share, so it is
remembered for each character and structure, for longer each time, and a run stops at a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy import Connection, delete, select, update

from ipc.subject import SubjectType
from jobs.errors import BadAnswer, Gone, MissingRole
from jobs.kinds._one_by_one import Found, fetch_one_by_one
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, refused_until
from jobs.kinds.character._wanted_structures import (
    NAMES_AGE,
    NOT_THERE,
    opened,
    wanted_structures,
)
from jobs.spec import Context, Kind, Params, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store import tally
from jobs.store.moments import happened
from jobs.store.schema.structure_names import character_structure_refusal, structure
from jobs.store.schema.structures import corporation_structure
from jobs.store.schema.universe import name

STRUCTURE = Route("GET", "/universe/structures/{structure_id}", cache_age_s=3600)
# Structures of one run, and how many refusals end it.
MAX_ASKED = 50
MAX_REFUSALS = 3


class Position(Wire, frozen=True):
    """A point in a solar system, in metres."""

    x: float
    y: float
    z: float


class Structure(Wire, frozen=True, rename={"system_id": "solar_system_id"}):
    """What GET /universe/structures/{structure_id} tells."""

    name: str | None = None
    owner_id: int | None = None
    system_id: int | None = None
    type_id: int | None = None
    position: Position | None = None


STRUCTURES = Target(structure, key=("structure_id",), write=Write.UPSERT)
REFUSALS = Target(
    character_structure_refusal, key=("character_id", "structure_id"), write=Write.UPSERT
)
NAMED = Target(name, key=("id",), write=Write.UPSERT)


def structure_row(structure_id: int, answer: Structure, context: Context) -> Row:
    """Return a structure as it was told; what was left out stays as it was known."""
    told = {
        "name": answer.name,
        "owner_id": answer.owner_id,
        "system_id": answer.system_id,
        "type_id": answer.type_id,
        **{axis: getattr(answer.position, axis, None) for axis in "xyz"},
    }
    known = {key: value for key, value in told.items() if value is not None}
    return {"structure_id": structure_id, **known, "checked_at": context.now(), "gone_at": None}


def store_structures(context: Context, connection: Connection, rows: Sequence[Row]) -> int:
    """Write structures and their names; the time of asking alone counts as no change."""
    ids = [row["structure_id"] for row in rows]
    before = _known(connection, ids)
    context.apply(connection, STRUCTURES, rows, {})
    named: list[Row] = [
        {
            "id": row["structure_id"],
            "category": "structure",
            "name": row["name"],
            "checked_at": context.now(),
        }
        for row in rows
        if row.get("name")
    ]
    context.apply(connection, NAMED, named, {})
    after = _known(connection, ids)
    return sum(before.get(one) != after[one] for one in after)


def _known(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    s = structure.c
    columns = [column for column in s if column is not s.checked_at]
    return {
        row.structure_id: tuple(row)
        for row in connection.execute(select(*columns).where(s.structure_id.in_(ids)))
    }


# --- corporations' own lists -------------------------------------------------------------------


def own_rows(connection: Connection, context: Context, corporation_ids: Sequence[int]) -> list[Row]:
    """Return the structures that corporations list as theirs and that are not known as such."""
    if not corporation_ids:
        return []
    own, s, now = corporation_structure.c, structure.c, context.now()
    is_listed = (
        own.corporation_id.in_(corporation_ids),
        own.closed_at.is_(None),
        own.name.is_not(None),
    )
    listed = connection.execute(
        select(own.structure_id, own.name, own.corporation_id, own.system_id, own.type_id).where(
            *is_listed
        )
    ).all()
    known = {
        row.structure_id: row
        for row in connection.execute(
            select(structure).where(s.structure_id.in_(select(own.structure_id).where(*is_listed)))
        )
    }
    rows: list[Row] = []
    for one in listed:
        old = known.get(one.structure_id)
        same = old is not None and (
            (old.name, old.owner_id, old.system_id, old.type_id, old.gone_at)
            == (one.name, one.corporation_id, one.system_id, one.type_id, None)
        )
        checked_at = None if old is None else happened(old.checked_at, now)
        if not same or checked_at is None or now - checked_at >= NAMES_AGE / 2:
            rows.append(
                {
                    "structure_id": one.structure_id,
                    "name": one.name,
                    "owner_id": one.corporation_id,
                    "system_id": one.system_id,
                    "type_id": one.type_id,
                    "checked_at": now,
                    "gone_at": None,
                }
            )
    return rows


# --- those of others ---------------------------------------------------------------------------


async def sync_names(context: Context) -> PartResult:
    """Take over what corporations say of their own, then ask about the rest, within bounds."""
    corporation_ids = await context.read(partial(opened, character_id=context.subject.id))
    own = await context.read(partial(own_rows, context=context, corporation_ids=corporation_ids))
    rows = 0
    if own:
        rows = await context.write(lambda connection: store_structures(context, connection, own))
    if context.in_doubt():
        return PartResult(rows=rows, note="nothing is asked during downtime")
    wanted = await wanted_structures(context, corporation_ids)
    forbidden: set[int] = set()

    async def ask(params: Params) -> Structure:
        try:
            fetched = await context.fetch(STRUCTURE, params, Structure, keep_state=False)
        except (MissingRole, BadAnswer) as refusal:
            forbidden.add(int(params["structure_id"]))
            raise Gone(str(refusal)) from refusal
        answer: Structure = fetched.value
        return answer

    asked = await fetch_one_by_one(
        context,
        ask,
        [{"structure_id": one} for one in wanted],
        partial(_store, context, forbidden),
        MAX_ASKED,
        MAX_REFUSALS,
    )
    # The others wait for the next run: what is refused is not to be asked for in a row.
    note = f"{asked.left} structures wait for later runs" if asked.left else ""
    return PartResult(rows=rows + asked.rows, empty=not (own or wanted), note=note)


def _store(
    context: Context,
    forbidden: set[int],
    connection: Connection,
    found: Sequence[Found],
    refused: Sequence[Params],
) -> int:
    rows = [structure_row(int(p["structure_id"]), answer, context) for p, answer in found]
    changed, unfit = 0, list[int]()
    for row in rows:
        left_out = tally.of(connection).skipped
        changed += store_structures(context, connection, [row])
        if tally.of(connection).skipped > left_out:
            unfit.append(row["structure_id"])
    told = [row["structure_id"] for row in rows]
    _forget_refusals(context, connection, set(told).difference(unfit))
    forget_unknown(connection, NOT_THERE, told)
    ids = [int(one["structure_id"]) for one in refused]
    # What cannot be stored would be asked for in every run, just as what is refused.
    _note_refusals(context, connection, [*unfit, *(one for one in ids if one in forbidden)])
    gone = [one for one in ids if one not in forbidden]
    note_unknown(context, NOT_THERE, gone, connection)
    return changed + _mark_gone(context, connection, gone)


def _mark_gone(context: Context, connection: Connection, ids: Sequence[int]) -> int:
    """Mark structures that are destroyed; what was known of them stays."""
    s = structure.c
    return connection.execute(
        update(structure)
        .where(s.structure_id.in_(ids), s.gone_at.is_(None))
        .values(gone_at=context.now())
    ).rowcount


def _note_refusals(context: Context, connection: Connection, ids: Sequence[int]) -> None:
    r, me = character_structure_refusal.c, context.subject.id
    before: dict[int, int] = {
        row.structure_id: row.refusals
        for row in connection.execute(
            select(r.structure_id, r.refusals).where(r.character_id == me, r.structure_id.in_(ids))
        )
    }
    rows: list[Row] = [
        {
            "structure_id": one,
            "refusals": before.get(one, 0) + 1,
            "refused_until": refused_until(before.get(one, 0) + 1, context.now()),
        }
        for one in ids
    ]
    context.apply(connection, REFUSALS, rows, {})


def _forget_refusals(context: Context, connection: Connection, ids: Iterable[int]) -> None:
    r = character_structure_refusal.c
    connection.execute(
        delete(character_structure_refusal).where(
            r.character_id == context.subject.id, r.structure_id.in_(list(ids))
        )
    )


KIND = Kind(
    name="character.structure_names",
    subject=SubjectType.CHARACTER,
    feature=None,
    every=timedelta(hours=1),
    summary="Names of the structures that rows of a character and its corporation name.",
    parts=(
        Part(
            name="structures",
            route=STRUCTURE,
            wire=Structure,
            many=False,
            scopes=frozenset({"esi-universe.read_structures.v1"}),
            targets=(STRUCTURES, REFUSALS),
            run=sync_names,
        ),
    ),
)
