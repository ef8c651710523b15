"""Kinds that do to a worker what no kind should; brought in through kind_packages by tests."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from datetime import timedelta

from sqlalchemy import Connection, text

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult


async def _noop(context: Context) -> PartResult:
    return PartResult(rows=1)


async def _sleep(context: Context) -> PartResult:
    """Sleep as long as the subject's id says, in milliseconds; for ever with id 0."""
    await asyncio.sleep(context.subject.id / 1000 if context.subject.id else 3600)
    return PartResult(rows=1)


async def _stubborn(context: Context) -> PartResult:
    """Ignore being cancelled."""
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            continue


async def _spin(context: Context) -> PartResult:
    """Hold the event loop up for ever."""
    while True:
        pass


async def _block(context: Context) -> PartResult:
    """Hold the event loop up for as long as the subject's id says, in milliseconds."""
    time.sleep(context.subject.id / 1000)  # noqa: ASYNC251 - that is the probe
    return PartResult(rows=1)


async def _crash(context: Context) -> PartResult:
    raise ValueError("a probe raises what nobody foresaw")


async def _leave(context: Context) -> PartResult:
    raise SystemExit(3)


async def _interrupt(context: Context) -> PartResult:
    raise KeyboardInterrupt


async def _generator_exit(context: Context) -> PartResult:
    raise GeneratorExit


async def _kill_self(context: Context) -> PartResult:
    os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.sleep(3600)
    return PartResult()


async def _orphan(context: Context) -> PartResult:
    """Leave a process behind that nobody below us will end."""
    subprocess.Popen(["sleep", "600"], start_new_session=True)  # noqa: ASYNC220 - that is the probe
    return PartResult(rows=1)


async def _write_rows(context: Context) -> PartResult:
    """Insert ten rows for the subject into probe_rows(subject_id, n), which the test made."""
    subject_id = context.subject.id

    def insert(connection: Connection) -> int:
        statement = text("INSERT INTO probe_rows (subject_id, n) VALUES (:subject_id, :n)")
        for n in range(10):
            connection.execute(statement, {"subject_id": subject_id, "n": n})
        return 10

    return PartResult(rows=await context.write(insert))


def _kind(name: str, run: object, every: timedelta = timedelta(hours=1)) -> Kind:
    return Kind(
        name=f"character.{name}",
        subject=SubjectType.CHARACTER,
        feature=None,
        every=every,
        parts=(Part(name=name, run=run),),  # type: ignore[arg-type]
        summary="A probe for tests.",
    )


NOOP = _kind("probe_noop", _noop)
SLEEP = _kind("probe_sleep", _sleep)
STUBBORN = _kind("probe_stubborn", _stubborn)
SPIN = _kind("probe_spin", _spin)
BLOCK = _kind("probe_block", _block)
CRASH = _kind("probe_crash", _crash)
LEAVE = _kind("probe_leave", _leave)
INTERRUPT = _kind("probe_interrupt", _interrupt)
GENERATOR_EXIT = _kind("probe_generator_exit", _generator_exit)
KILL_SELF = _kind("probe_kill_self", _kill_self)
ORPHAN = _kind("probe_orphan", _orphan)
WRITE_ROWS = _kind("probe_write_rows", _write_rows)
