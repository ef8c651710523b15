"""Where every character in the mirror belongs: corporation, alliance, faction.

The mirrored characters are asked about in every run, those merely mentioned once a day. For a
mirrored one that moved, its own row follows, and the corporations and alliances that it opens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from msgspec.structs import asdict
from sqlalchemy import Connection, and_, or_, select, update

from ipc.subject import JobKey, Subject, SubjectType
from jobs import access
from jobs.kinds._batches import ask_in_halves, left_out
from jobs.spec import Context, Kind, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store.moments import is_old
from jobs.store.schema.core import subject
from jobs.store.schema.profile import affiliation, character
from jobs.store.schema.universe import name

AFFILIATION = Route("POST", "/characters/affiliation", cache_age_s=3600)
OTHERS_EVERY = timedelta(days=1)
# A character that ESI does not know was deleted, most likely for good.
UNKNOWN_EVERY = timedelta(days=7)
# Characters merely mentioned, in one run.
MAX_OTHERS = 10_000
# What else a move concerns.
DUE = ("character.profile", "character.roles")


class Affiliation(Wire, frozen=True):
    """Where one character belongs."""

    character_id: int
    corporation_id: int
    alliance_id: int | None = None
    faction_id: int | None = None


BELONGS = Target(affiliation, key=("character_id",), write=Write.UPSERT)


def affiliation_rows(answer: Sequence[Affiliation], now: datetime) -> list[Row]:
    """Return a row for each character, with the time of asking."""
    return [{**asdict(one), "checked_at": now} for one in answer]


def mirrored(connection: Connection) -> list[int]:
    """Return the characters whose data is mirrored."""
    return list(
        connection.scalars(
            select(subject.c.id)
            .where(subject.c.type == SubjectType.CHARACTER.value, subject.c.state == "active")
            .order_by(subject.c.id)
        )
    )


def mentioned(connection: Connection, now: datetime) -> list[int]:
    """Return characters that some row names and that are due, longest unasked first."""
    belongs = affiliation.c
    due = or_(
        belongs.character_id.is_(None),
        and_(belongs.corporation_id.is_not(None), is_old(belongs.checked_at, now, OTHERS_EVERY)),
        is_old(belongs.checked_at, now, UNKNOWN_EVERY),
    )
    return list(
        connection.scalars(
            select(name.c.id)
            .outerjoin(affiliation, belongs.character_id == name.c.id)
            .where(name.c.category == "character", due)
            .order_by(belongs.checked_at.is_not(None), belongs.checked_at, name.c.id)
            .limit(MAX_OTHERS)
        )
    )


@dataclass(slots=True)
class _Run:
    """One run: what is asked in batches, and who turned out to have moved."""

    context: Context
    owned: frozenset[int]
    fresh_until: datetime | None = None
    moved: list[Subject] = field(default_factory=list)
    # Asked about, and left out of an answer that was no refusal.
    absent: list[int] = field(default_factory=list)

    async def ask(self, batch: list[int]) -> int:
        """Ask about some characters and store what ESI says."""
        fetched = await self.context.fetch(
            AFFILIATION, {}, list[Affiliation], body=batch, keep_state=False
        )
        self.fresh_until = self.fresh_until or fetched.fresh_until
        answer: list[Affiliation] = list(fetched.value or [])
        told = {one.character_id for one in answer}
        self.absent += left_out(self.context, batch, told, fetched)
        rows, moved = await self.context.write(partial(self.store, answer))
        self.moved += moved
        return rows

    def store(
        self, answer: Sequence[Affiliation], connection: Connection
    ) -> tuple[int, list[Subject]]:
        """Write what changed; the time of asking alone counts as no change."""
        now = self.context.now()
        before = known(connection, [one.character_id for one in answer])
        changed = sum(before.get(one.character_id) != one for one in answer)
        self.context.apply(connection, BELONGS, affiliation_rows(answer, now), {})
        moved = [
            Subject(SubjectType.CHARACTER, one.character_id)
            for one in answer
            if one.character_id in self.owned and follow(connection, one, now)
        ]
        return changed, moved


def known(connection: Connection, ids: Sequence[int]) -> dict[int, Affiliation]:
    """Return what is stored of these characters."""
    c = affiliation.c
    rows = connection.execute(
        select(c.character_id, c.corporation_id, c.alliance_id, c.faction_id).where(
            c.character_id.in_(ids)
        )
    )
    return {row.character_id: Affiliation(*row) for row in rows}


def follow(connection: Connection, found: Affiliation, now: datetime) -> bool:
    """Let a mirrored character's own row and what it opens follow; tell if it moved."""
    values = {
        "corporation_id": found.corporation_id,
        "alliance_id": found.alliance_id,
        "faction_id": found.faction_id,
    }
    stays = and_(*(character.c[key].is_not_distinct_from(value) for key, value in values.items()))
    moved = connection.execute(
        update(character)
        .where(character.c.character_id == found.character_id, ~stays)
        .values(values)
    ).rowcount
    if moved or not access.is_current(connection, found.character_id):
        access.link(connection, found.character_id, now)
    return moved > 0


async def sync_affiliation(context: Context) -> PartResult:
    """Ask about the mirrored characters first, then about the others that are due."""
    now = context.now()
    owned = await context.read(mirrored)
    wanted = {one.id for one in context.subjects if one.type is SubjectType.CHARACTER}
    others = [] if wanted else await context.read(lambda connection: mentioned(connection, now))
    first = [one for one in owned if not wanted or one in wanted]
    run = _Run(context, frozenset(owned))
    ids = first + [one for one in others if one not in run.owned]
    asked = await ask_in_halves(ids, run.ask, lambda: context.budget_s > 0)
    unknown = [*asked.refused, *run.absent]
    await _note_unknown(context, [one for one in unknown if one not in run.owned])
    note = f"{len(unknown)} characters unknown to ESI" if unknown else ""
    return PartResult(
        rows=asked.rows,
        empty=not ids,
        fresh_until=run.fresh_until,
        left=len(asked.left),
        note=note,
        due=tuple(JobKey(kind, who) for who in run.moved for kind in DUE),
    )


async def _note_unknown(context: Context, unknown: Sequence[int]) -> None:
    """Remember who is unknown, so as not to ask daily; mirrored ones are asked all the same."""
    if unknown:
        now = context.now()
        rows: list[Row] = [
            {
                "character_id": one,
                # Where it was seen last stays.
                "checked_at": now,
            }
            for one in unknown
        ]
        await context.write(lambda connection: context.apply(connection, BELONGS, rows, {}))


KIND = Kind(
    name="global.affiliation",
    subject=SubjectType.GLOBAL,
    feature=None,
    every=timedelta(hours=1),
    summary="Corporation, alliance and faction of every character in the mirror.",
    parts=(
        Part(
            name="affiliation",
            route=AFFILIATION,
            wire=Affiliation,
            targets=(BELONGS,),
            run=sync_affiliation,
        ),
    ),
)
