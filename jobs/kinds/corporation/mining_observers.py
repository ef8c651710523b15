"""Who mined what beside a corporation's structures, by day; today's rows grow, and days stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs.spec import Kind, Pages, Params, Part, Route, Target, Wire, Write
from jobs.store.schema.mining import corporation_mining_ledger, corporation_mining_observer

PATH = "/corporation/{corporation_id}/mining/observers"
SCOPES = frozenset({"esi-industry.read_corporation_mining.v1"})
ACCOUNTANT = frozenset({"Accountant"})


class Observer(Wire, frozen=True):
    """One structure that watches; and the last day on which it saw somebody."""

    observer_id: int
    observer_type: str
    last_updated: date


class Mined(Wire, frozen=True, rename={"day": "last_updated"}):
    """What one day brought a character of one type."""

    day: date
    character_id: int
    type_id: int
    recorded_corporation_id: int
    quantity: int


def observers(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the observers that are listed, those with the latest news first."""
    o = corporation_mining_observer.c
    ids = connection.scalars(
        select(o.observer_id)
        .where(o.corporation_id == subject.id, o.closed_at.is_(None))
        .order_by(o.last_updated.desc(), o.observer_id)
    )
    return [{"observer_id": one} for one in ids]


def _route(path: str) -> Route:
    return Route("GET", path, pages=Pages.X_PAGES, cache_age_s=3600, rate_group="corp-industry")


KIND = Kind(
    name="corporation.mining_observers",
    subject=SubjectType.CORPORATION,
    feature="mining",
    every=timedelta(hours=1),
    summary="Who mined what beside its structures, by day.",
    parts=(
        Part(
            name="observers",
            route=_route(PATH),
            wire=Observer,
            scopes=SCOPES,
            any_role=ACCOUNTANT,
            targets=(
                Target(
                    corporation_mining_observer,
                    key=("corporation_id", "observer_id"),
                    write=Write.CLOSE,
                ),
            ),
        ),
        Part(
            name="ledger",
            route=_route(f"{PATH}/{{observer_id}}"),
            wire=Mined,
            fan_out=observers,
            scopes=SCOPES,
            any_role=ACCOUNTANT,
            targets=(
                Target(
                    corporation_mining_ledger,
                    key=(
                        "corporation_id",
                        "observer_id",
                        "day",
                        "character_id",
                        "type_id",
                        "recorded_corporation_id",
                    ),
                    write=Write.UPSERT,
                ),
            ),
        ),
    ),
)
