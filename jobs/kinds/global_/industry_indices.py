"""What industry costs in each system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.industry import industry_index


class CostIndex(Wire, frozen=True):
    """The index of one activity."""

    activity: str
    cost_index: float


class SystemIndices(Wire, frozen=True):
    """The indices of one system."""

    solar_system_id: int
    cost_indices: tuple[CostIndex, ...]


def index_rows(answer: Iterable[SystemIndices], params: Params) -> Iterator[Row]:
    """Yield a row for each activity in each system."""
    for system in answer:
        for one in system.cost_indices:
            yield {
                "solar_system_id": system.solar_system_id,
                "activity": one.activity,
                "cost_index": one.cost_index,
            }


KIND = Kind(
    name="global.industry_indices",
    subject=SubjectType.GLOBAL,
    feature="industry",
    every=timedelta(hours=1),
    summary="Cost index of each activity in each system.",
    parts=(
        Part(
            name="indices",
            route=Route("GET", "/industry/systems", cache_age_s=3600, rate_group="industry"),
            wire=SystemIndices,
            targets=(
                Target(
                    industry_index,
                    key=("solar_system_id", "activity"),
                    write=Write.REPLACE,
                    rows=index_rows,
                ),
            ),
        ),
    ),
)
