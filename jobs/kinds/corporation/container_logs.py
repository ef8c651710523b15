"""Logs of a corporation's containers: who put, took, locked or set what, and when.

ESI shows a week; here every entry stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.kinds._occurrences import numbered
from jobs.spec import Kind, Pages, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.structures import corporation_container_log


class Entry(Wire, frozen=True):
    """One entry; ESI gives it no id."""

    logged_at: datetime
    container_id: int
    container_type_id: int
    character_id: int
    location_id: int
    location_flag: str
    action: str
    type_id: int | None = None
    quantity: int | None = None
    password_type: str | None = None
    old_config_bitmask: int | None = None
    new_config_bitmask: int | None = None


def entry_rows(answer: Iterable[Entry], params: Params) -> Iterator[Row]:
    """Yield a row for each entry, with what tells it from others."""
    return numbered(asdict(one) for one in answer)


KIND = Kind(
    name="corporation.container_logs",
    subject=SubjectType.CORPORATION,
    feature="structures",
    every=timedelta(minutes=10),
    summary="What was done to containers that keep a log.",
    parts=(
        Part(
            name="entries",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/containers/logs",
                pages=Pages.X_PAGES,
                cache_age_s=600,
                rate_group="corp-structure",
            ),
            wire=Entry,
            scopes=frozenset({"esi-corporations.read_container_logs.v1"}),
            any_role=frozenset({"Director"}),
            targets=(
                Target(
                    corporation_container_log,
                    key=("corporation_id", "logged_at", "container_id", "digest", "occurrence"),
                    write=Write.APPEND,
                    rows=entry_rows,
                ),
            ),
        ),
    ),
)
