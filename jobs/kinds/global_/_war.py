"""One war as ESI tells it, and the rows that it becomes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from msgspec.structs import asdict

from jobs.spec import Params, Row, Target, Wire, Write
from jobs.store.schema.wars import war, war_ally, war_killmail


class Side(Wire, frozen=True):
    """Who fights, and with which success."""

    isk_destroyed: Decimal
    ships_killed: int
    corporation_id: int | None = None
    alliance_id: int | None = None


class Ally(Wire, frozen=True):
    """Who helps the defender."""

    corporation_id: int | None = None
    alliance_id: int | None = None


class War(
    Wire,
    frozen=True,
    rename={
        "war_id": "id",
        "declared_at": "declared",
        "started_at": "started",
        "retracted_at": "retracted",
        "finished_at": "finished",
    },
):
    """What GET /wars/{war_id} tells."""

    war_id: int
    declared_at: datetime
    mutual: bool
    open_for_allies: bool
    aggressor: Side
    defender: Side
    started_at: datetime | None = None
    retracted_at: datetime | None = None
    finished_at: datetime | None = None
    allies: tuple[Ally, ...] = ()


class Killed(Wire, frozen=True):
    """One killmail of a war."""

    killmail_id: int
    killmail_hash: str


def war_rows(answer: War, params: Params) -> Iterator[Row]:
    """Yield the one row of the war."""
    row = asdict(answer)
    del row["allies"]
    for name in ("aggressor", "defender"):
        row |= {f"{name}_{key}": value for key, value in asdict(row.pop(name)).items()}
    yield row


def ally_rows(answer: War, params: Params) -> Iterator[Row]:
    """Yield a row for each ally."""
    for position, one in enumerate(answer.allies):
        yield {"war_id": answer.war_id, "position": position, **asdict(one)}


WAR_ROWS = Target(war, key=("war_id",), write=Write.UPSERT, rows=war_rows)
ALLY_ROWS = Target(war_ally, key=("war_id", "position"), write=Write.REPLACE, rows=ally_rows)
KILLED_ROWS = Target(war_killmail, key=("war_id", "killmail_id"), write=Write.APPEND)
