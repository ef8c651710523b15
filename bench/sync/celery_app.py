"""The Celery application that runs the product's own jobs, one at a time in each process."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from celery import Celery

from ipc.clock import SystemClock
from ipc.messages import Acquire, Grant, Message, PartGrant, RunJob
from ipc.settings import decode_settings
from ipc.subject import JobKey, Subject, SubjectType
from jobs import catalog
from jobs.leases import Leases
from jobs.logbook import Logbook
from jobs.pipeline import run_kind
from jobs.store.database import Database
from jobs.tools import Tools

app = Celery("bench", broker=os.environ["BENCH_REDIS_URL"], backend=os.environ["BENCH_REDIS_URL"])
app.conf.update(
    broker_connection_retry_on_startup=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    result_expires=600,
)
_here: dict[str, Any] = {}


def _tools() -> tuple[asyncio.AbstractEventLoop, Tools]:
    """Return this process's loop and tools, made at its first task."""
    if not _here:
        settings = decode_settings(bytes.fromhex(os.environ["BENCH_SETTINGS"]))
        loop = asyncio.new_event_loop()

        def grant(message: Message) -> None:
            # Nobody shares out turns and budgets here: all is granted.
            if isinstance(message, Acquire):
                loop.call_soon(leases.on_answer, Grant(message.lease_id, message.amount))

        leases = Leases(grant)
        database = Database(settings.database_url)
        epoch = int(os.environ["BENCH_EPOCH"])

        async def make() -> Tools:
            return Tools.of(settings, epoch, SystemClock(), database, leases, Logbook.unkept())

        _here["loop"], _here["tools"] = loop, loop.run_until_complete(make())
        _here["kinds"] = catalog.load(settings.kind_packages)
    return _here["loop"], _here["tools"]


@app.task(name="bench.sync")  # type: ignore[untyped-decorator]
def sync(kind_name: str, subject_type: str, subject_id: int, credential_id: int) -> tuple[Any, ...]:
    """Run one kind for one subject; return the outcome's word, its rows and its reason."""
    loop, tools = _tools()
    kind = _here["kinds"][kind_name]
    order = RunJob(
        job_id=1,
        attempt=1,
        epoch=tools.epoch,
        key=JobKey(kind_name, Subject(SubjectType(subject_type), subject_id)),
        deadline_s=600.0,
        grants=tuple(
            PartGrant(part.name, credential_id if part.scopes or part.any_role else 0)
            for part in kind.parts
        ),
    )
    outcome = loop.run_until_complete(run_kind(tools, kind, order)).outcome
    return str(outcome.token), outcome.rows_touched, outcome.reason
