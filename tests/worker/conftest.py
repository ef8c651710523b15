"""A scheduler played by the test, and a real worker process at the other end of its pipe."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, text

from ipc.channel import Channel
from ipc.child import Child, ForkServer
from ipc.clock import SystemClock
from ipc.exit_reason import ExitReason
from ipc.messages import (
    PROTOCOL_VERSION,
    Acquire,
    BootFailed,
    FromWorker,
    Grant,
    JobDone,
    PartGrant,
    RunJob,
    Welcome,
    WorkerReady,
)
from ipc.settings import Settings, Store, Timings, encode_settings
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store import fence, subjects
from jobs.store.database import Database
from jobs.store.upgrade import prepare

TESTS = Path(__file__).parent.parent
M = TypeVar("M")
WITHIN_S = 90.0


class FakeScheduler:
    """The other end of a worker's pipe: sends orders, keeps what comes back."""

    def __init__(self, settings: Settings, epoch: int) -> None:
        self.settings = settings
        self.epoch = epoch
        self.received: list[Any] = []
        self.grants_writes = True
        self.closed = asyncio.Event()
        self.child: Child
        self._news = asyncio.Event()
        self._ids = itertools.count(1)
        self._channel: Channel[FromWorker]

    async def start(self, forkserver: ForkServer, *, protocol: int = PROTOCOL_VERSION) -> None:
        """Start the worker and send it its welcome."""
        self.child = await forkserver.start_child("jobs.worker:main", "test-worker")
        self._channel = await Channel.open(
            self.child.sock, FromWorker, self._on_messages, lambda _error: self._on_closed()
        )
        self.send(Welcome(protocol, 1, self.epoch, encode_settings(self.settings)))

    async def ready(self) -> WorkerReady:
        """Wait for the worker's answer to the welcome."""
        answer = await self.one(lambda m: isinstance(m, WorkerReady | BootFailed))
        assert isinstance(answer, WorkerReady), answer
        return answer

    def send(self, message: Any) -> None:
        """Send anything."""
        self._channel.send(message)

    def run(self, noun: str, subject_id: int = 1, **changes: Any) -> RunJob:
        """Send the order to run a probe, and return it."""
        fields: dict[str, Any] = {
            "job_id": next(self._ids),
            "attempt": 1,
            "epoch": self.epoch,
            "key": JobKey(f"character.{noun}", Subject(SubjectType.CHARACTER, subject_id)),
            "deadline_s": 90.0,
            "grants": (PartGrant(noun),),
        }
        order = RunJob(**(fields | changes))
        self.send(order)
        return order

    async def done(self, order: RunJob) -> JobDone:
        """Wait for the end of an order."""
        message: JobDone = await self.one(
            lambda m: isinstance(m, JobDone) and m.job_id == order.job_id
        )
        return message

    async def one(self, fits: Callable[[Any], bool], within_s: float = WITHIN_S) -> Any:
        """Wait for the first message that fits."""
        async with asyncio.timeout(within_s):
            while True:
                for message in self.received:
                    if fits(message):
                        return message
                self._news.clear()
                await self._news.wait()

    def all(self, kind: type[M]) -> list[M]:
        """Return the messages of a type so far."""
        return [each for each in self.received if isinstance(each, kind)]

    async def exit(self, within_s: float = WITHIN_S) -> ExitReason:
        """Wait for the worker's death."""
        async with asyncio.timeout(within_s):
            return await self.child.wait()

    def hang_up(self) -> None:
        """Close the pipe, as a dying scheduler does."""
        self._channel.abort()

    def _on_messages(self, messages: list[Any]) -> None:
        self.received += messages
        for message in messages:
            if isinstance(message, Acquire) and self.grants_writes:
                self.send(Grant(message.lease_id, message.amount))
        self._news.set()

    def _on_closed(self) -> None:
        self.closed.set()
        self._news.set()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with the probes as kinds and a prepared SQLite database."""
    found = Settings(
        data_dir=str(tmp_path),
        store=Store(url=f"sqlite:///{tmp_path / 'mirror.db'}"),
        kind_packages=("process_kinds",),
        extra_path=str(TESTS),
        log_level="debug",
        timings=Timings(heartbeat_s=0.1),
    )
    prepare(found.database_url)
    return found


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    """The test's own view of the worker's database."""
    found = Database(settings.database_url)
    yield found
    await found.close()


@pytest.fixture
async def epoch(database: Database) -> int:
    """The database, owned by this test's scheduler, with character 1 and a table for probes."""
    now = SystemClock().now()

    def unit(connection: Connection) -> int:
        subjects.enroll(connection, Subject(SubjectType.CHARACTER, 1), now)
        connection.execute(text("CREATE TABLE probe_rows (subject_id BIGINT, n BIGINT)"))
        return fence.take_ownership(connection, "test", 1, now)

    return await database.write(unit, epoch=None)


@pytest.fixture(scope="module")
def forkserver() -> Iterator[ForkServer]:
    """Starts worker processes as the scheduler does."""
    found = ForkServer(["jobs.worker"])
    found.start()
    yield found
    found.close()


@pytest.fixture
def play(epoch: int) -> Callable[[Settings], FakeScheduler]:
    """Return a scheduler without a worker yet."""
    return lambda settings: FakeScheduler(settings, epoch)


@pytest.fixture
async def scheduler(
    settings: Settings, epoch: int, forkserver: ForkServer
) -> AsyncIterator[FakeScheduler]:
    """A scheduler whose worker has booted."""
    found = FakeScheduler(settings, epoch)
    await found.start(forkserver)
    try:
        await found.ready()
        yield found
    finally:
        found.hang_up()
        found.child.close()
