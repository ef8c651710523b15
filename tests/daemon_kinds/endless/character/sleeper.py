"""Waits for ever, and ends when it is cancelled."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult


async def _run(context: Context) -> PartResult:
    await asyncio.Event().wait()
    return PartResult()


KIND = Kind(
    name="character.sleeper",
    subject=SubjectType.CHARACTER,
    feature=None,
    every=timedelta(hours=1),
    parts=(Part(name="sleeper", run=_run),),
    summary="Waits for ever.",
    deadline_s=1.0,
)
