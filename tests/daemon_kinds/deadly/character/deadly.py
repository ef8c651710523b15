"""Ends its worker, for one character only, as a crash in a library would."""

from __future__ import annotations

import os
import signal
from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult

VICTIM = 90_000_001


async def _run(context: Context) -> PartResult:
    if context.subject.id == VICTIM:
        os.kill(os.getpid(), signal.SIGKILL)
    return PartResult(rows=1)


KIND = Kind(
    name="character.deadly",
    subject=SubjectType.CHARACTER,
    feature=None,
    every=timedelta(hours=1),
    parts=(Part(name="deadly", run=_run),),
    summary="Kills its worker.",
)
