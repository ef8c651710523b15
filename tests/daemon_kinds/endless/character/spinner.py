"""Never gives its worker's loop back, for one character only."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult

VICTIM = 90_000_001


async def _run(context: Context) -> PartResult:
    while context.subject.id == VICTIM:
        pass
    return PartResult(rows=1)


KIND = Kind(
    name="character.spinner",
    subject=SubjectType.CHARACTER,
    feature=None,
    every=timedelta(hours=1),
    parts=(Part(name="spinner", run=_run),),
    summary="Spins for ever.",
    deadline_s=1.0,
)
