"""A job that does nothing: what is measured is how jobs are given out and taken back."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult


async def _nothing(_context: Context) -> PartResult:
    return PartResult()


KIND = Kind(
    name="alliance.noop",
    subject=SubjectType.ALLIANCE,
    feature=None,
    every=timedelta(hours=12),
    parts=(Part(name="nothing", run=_nothing),),
    summary="Does nothing.",
)
