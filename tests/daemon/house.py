"""The whole daemon and a simulated EVE, as real processes; facts are read from the database."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, select, text

from ipc.clock import SystemClock
from ipc.control_messages import DaemonState, GetStatus
from ipc.scheduler_messages import JobState, StatusPage, Summary, WorkerState
from ipc.settings import Engine, Esi, Images, Settings, Sso, Timings
from ipc.subject import Subject, SubjectType
from jobs.store import credentials, outbox, outbox_rows, subjects
from jobs.store.database import Database
from jobs.store.outbox_rows import OutboxRow
from jobs.store.schema.core import ledger
from simulator.process import SimulatedEve
from tests.process.daemon import Client, Daemon
from tests.processes import command_of, eventually, is_alive, parent_of

HERE = Path(__file__).parent
TESTS = HERE.parent
# A fact that comes is not waited for longer; one that does not is a failure, whenever it is told.
WITHIN_S = 90.0

T = TypeVar("T")

# Short is what a test waits for in full. Long is what only cuts off who is slow: on a busy machine
# a process may well not run for some seconds, and is not hung.
FAST = Timings(
    heartbeat_s=0.2,
    hung_after_s=15.0,
    boot_deadline_s=60.0,
    worker_grace_s=1.0,
    scheduler_grace_s=15.0,
    supervisor_grace_s=20.0,
    parked_retry_s=900.0,
    job_deadline_s=60.0,
    cancel_grace_s=5.0,
    drain_interval_s=0.2,
    discovery_interval_s=0.3,
    trigger_coalesce_s=0.0,
)
# What is asked for all the time, so that a standstill shows at once.
BUSY = {
    "character.telemetry": 1,
    "character.wallet": 1,
    "character.skills": 1,
    "global.server_status": 1,
}
# What most tests do without.
LIGHT = {"assets": False, "mail": False, "market": False}


def character(number: int) -> Subject:
    """Return a character as a subject."""
    return Subject(SubjectType.CHARACTER, number)


class House(Daemon):
    """One daemon with its database, and the simulated EVE that it mirrors."""

    def __init__(self, eve: SimulatedEve, folder: Path, settings: Settings) -> None:
        """Take a folder whose database is prepared, if it is SQLite."""
        super().__init__(folder, settings, HERE / "house_main.py")
        self.eve = eve
        self.configure()
        self._database: Database | None = None

    # --- the database ---

    @property
    def database(self) -> Database:
        """The test's own connection, as that of another program."""
        if self._database is None:
            self._database = Database(self.settings.database_url)
        return self._database

    def forget_database(self) -> None:
        """Close the test's own connection; the next one looks for the file anew."""
        if self._database is not None:
            self._database.close_now()
            self._database = None

    def write(self, work: Callable[[Connection, datetime], T]) -> T:
        """Write as another program does."""
        now = SystemClock().now()
        return self.database.write_now(lambda connection: work(connection, now), durable=True)

    @contextmanager
    def write_lock(self) -> Iterator[sqlite3.Connection]:
        """Hold the turn to write to the file, as a user's own shell can."""
        path = self.settings.database_url.removeprefix("sqlite:///")
        connection = sqlite3.connect(path, timeout=WITHIN_S, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
        finally:
            connection.close()

    def rows(self, sql: str, **params: Any) -> list[Mapping[str, Any]]:
        """Return what a query finds."""
        return self.database.read_now(
            lambda connection: [dict(row._mapping) for row in connection.execute(text(sql), params)]
        )

    def value(self, sql: str, **params: Any) -> Any:
        """Return the one value that a query finds; None without a row."""
        return self.database.read_now(lambda connection: connection.scalar(text(sql), params))

    def job(self, kind: str, number: int = 0) -> Mapping[str, Any]:
        """Return a job's row in the ledger; empty when there is none."""
        query = select(ledger).where(ledger.c.kind == kind, ledger.c.subject_id == number)

        def read(connection: Connection) -> Mapping[str, Any]:
            row = connection.execute(query).first()
            return {} if row is None else dict(row._mapping)

        return self.database.read_now(read)

    def until(self, what: str, check: Callable[[], T | None], within_s: float = WITHIN_S) -> T:
        """Return the first true value of check; the daemon's log goes with a failure."""
        try:
            return eventually(what, check, within_s)
        except AssertionError as error:
            ledger_now = self.rows(
                "SELECT kind, subject_id, outcome, last_reason, consecutive_failures, "
                "parked_reason, next_eligible_at FROM ledger ORDER BY 1, 2"
            )
            lines = "\n".join(str(dict(row)) for row in ledger_now)
            raise AssertionError(f"{error}\n{lines}\n{self.log()[-12000:]}") from None

    def synced(self, kind: str, number: int = 0, after: datetime | None = None) -> datetime:
        """Wait for a success of a job (after a time), and return when it was."""

        def check() -> datetime | None:
            at: datetime | None = self.job(kind, number).get("last_success_at")
            return at if at is not None and (after is None or at > after) else None

        return self.until(f"{kind} of {number} after {after}", check)

    def mirrored(self, after: datetime | None = None) -> None:
        """Wait until every busy job of every character has succeeded (after a time)."""
        for kind in BUSY:
            if kind.startswith("global"):
                self.synced(kind, after=after)
            else:
                for number in self.characters:
                    self.synced(kind, number, after)

    def goes_on(self) -> None:
        """Wait until data are mirrored that were asked for from now on."""
        self.mirrored(after=SystemClock().now())

    def check_ledger(self) -> None:
        """Check that the ledger tells nothing that cannot be."""
        for row in self.rows("SELECT * FROM ledger"):
            told = dict(row)
            assert row["outcome"] in {
                "synced", "empty", "blocked", "not_ready", "failed", "skipped"
            }, told  # fmt: skip
            if row["outcome"] in ("synced", "empty"):
                assert row["last_success_at"] == row["last_attempt_at"], told
                assert row["consecutive_failures"] == 0, told
            assert (row["next_eligible_at"] is None) == (row["parked_reason"] is not None), told

    # --- credentials and subjects ---

    @property
    def characters(self) -> list[int]:
        """The characters whose credentials the database holds."""
        return [row["character_id"] for row in self.rows(
            "SELECT character_id FROM credential ORDER BY character_id"
        )]  # fmt: skip

    def log_in(
        self,
        numbers: Iterable[int] = (),
        *,
        access: bool = True,
        scopes: Iterable[str] | None = None,
    ) -> None:
        """Store credentials as an import does: of all characters, or of some."""
        wanted = set(numbers)
        made = [
            one
            for one in self.eve.tokens(access=access)
            if not wanted or one["character_id"] in wanted
        ]

        def save(connection: Connection, now: datetime) -> None:
            for one in made:
                granted = one["scopes"] if scopes is None else list(scopes)
                assert isinstance(granted, list)
                number = one["character_id"]
                assert isinstance(number, int)
                credentials.save_login(
                    connection,
                    number,
                    self.settings.sso.client_id,
                    granted,
                    str(one["access_token"]) if access else None,
                    str(one["refresh_token"]),
                    now + timedelta(minutes=20) if access else now,
                    now,
                )

        self.write(save)

    def credential(self, number: int) -> Mapping[str, Any]:
        """Return a character's credential."""
        return self.rows("SELECT * FROM credential WHERE character_id = :n", n=number)[0]

    def state_of(self, number: int) -> str:
        """Return whether a character is mirrored, withdrawn or deleted."""
        return str(self.database.read_now(subjects.all_states).get(character(number), "unknown"))

    # --- the outbox ---

    def append(self, number: int, kind: str, payload: object, dedupe: str = "x") -> int:
        """Ask for a write, as another program does."""
        body = msgspec.json.encode(payload).decode()
        return self.write(
            lambda connection, now: outbox.append(
                connection, character(number), kind, body, dedupe, now, None
            )
        )

    def outbox_row(self, row_id: int) -> OutboxRow:
        """Return a row of the outbox."""
        row = self.database.read_now(lambda connection: outbox_rows.get(connection, row_id))
        assert row is not None
        return row

    def outbox_reaches(self, row_id: int, status: str, within_s: float = WITHIN_S) -> OutboxRow:
        """Wait until a row of the outbox has a status."""
        self.until(
            f"outbox row {row_id} {status}",
            lambda: self.outbox_row(row_id).status == status,
            within_s,
        )
        return self.outbox_row(row_id)

    # --- processes ---

    def run(self) -> DaemonState:
        """Start the daemon and wait until it has all its workers."""
        self.start()
        return self.ready()

    def ready(self, generation: int = 0, epoch: int = 1) -> DaemonState:
        """Wait until a scheduler dispatches and all of its workers are ready."""
        with self.talk() as client:

            def check() -> DaemonState | None:
                state = client.status()
                fits = (
                    state.scheduler_state == "running"
                    and state.generation >= generation
                    and state.epoch >= epoch
                )
                ready = [one for one in workers_of(state) if one.state == "ready"]
                return state if fits and len(ready) >= self.settings.engine.workers else None

            return self.until(f"workers of generation {generation}", check)

    def status(self) -> DaemonState:
        """Return the daemon's state now."""
        with self.talk() as client:
            return client.status()

    def jobs(self, number: int) -> list[JobState]:
        """Return the jobs of a character, as status lists them."""
        with self.talk() as client:
            client.send(GetStatus(99, jobs=True, subject=character(number)))
            found: list[JobState] = []
            while True:
                page = client.until(StatusPage)
                found += page.jobs
                if page.last:
                    return found

    def summary(self) -> Summary:
        """Return the scheduler's figures, as soon as it has told any."""
        return self.until("figures of the scheduler", lambda: self.status().summary)

    @contextmanager
    def talk(self) -> Iterator[Client]:
        """Hold a control client for as long as the block lasts."""
        client = self.client()
        try:
            yield client
        finally:
            client.close()
            self.clients.remove(client)

    def ask(self, command: Any) -> Any:
        """Give a command and return the reply."""
        with self.talk() as client:
            return client.ask(command)

    def workers(self) -> list[int]:
        """Return the pids of the workers."""
        return [one.pid for one in workers_of(self.ready()) if one.pid]

    def forkserver(self) -> int:
        """Return the pid of the workers' parent."""
        return parent_of(self.workers()[0])

    def kill(self, pid: int) -> None:
        """End a process with SIGKILL and wait until it is dead."""
        # It may have been faster.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if pid == self.pid:
            self.process.wait(WITHIN_S)
        else:
            eventually(f"death of {pid}", lambda: not is_alive(pid), WITHIN_S)

    def kill_all(self) -> None:
        """End every process at once, as the kernel or a power cut does."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(WITHIN_S)
        self.nothing_left()

    def end(self) -> None:
        """Stop the daemon as an operator does; nothing of it remains."""
        self.signal(signal.SIGTERM)
        assert self.wait(WITHIN_S) == 0
        self.nothing_left()

    def nothing_left(self, within_s: float = WITHIN_S) -> None:
        """Check that no process of this daemon remains."""
        super().nothing_left(within_s)

    def cleanup(self) -> None:
        """Kill the supervisor; whatever it leaves behind is a failure, and killed as well."""
        left: list[int] = []
        if hasattr(self, "process"):
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait(WITHIN_S)
            with contextlib.suppress(AssertionError):
                self.nothing_left(10.0)
            left = self.processes()
        told = [command_of(pid) for pid in left]
        super().cleanup()
        self.forget_database()
        assert not left, f"processes left behind: {told}"


def workers_of(state: DaemonState) -> tuple[WorkerState, ...]:
    """Return the workers that a state tells of."""
    return () if state.summary is None else state.summary.workers


@contextmanager
def open_house(
    eve: SimulatedEve,
    template: Path | None,
    *,
    logged_in: bool = True,
    rate_limits: bool = False,
    where: Path = Path("/tmp"),
    **changes: Any,
) -> Iterator[House]:
    """Give a house that is not started; template: a prepared SQLite database."""
    # Unix socket paths end at 108 bytes.
    folder = Path(tempfile.mkdtemp(prefix="h", dir=where))
    settings = Settings(
        data_dir=str(folder),
        esi=Esi(base_url=eve.urls.esi, contact="tests@example.org"),
        sso=Sso(base_url=eve.urls.sso, client_id="simulated-client"),
        images=Images(base_url=eve.urls.images),
        engine=Engine(workers=4, jobs_per_worker=4),
        intervals=BUSY,
        features=LIGHT,
        timings=FAST,
    )
    settings = msgspec.structs.replace(settings, **changes)
    if not rate_limits:
        packages = (*settings.kind_packages, "tests.daemon_kinds.unlimited")
        settings = msgspec.structs.replace(settings, kind_packages=packages)
    try:
        if template is not None:
            shutil.copy(template, folder / "esisyncd.db")
        house = House(eve, folder, settings)
        try:
            if logged_in:
                house.log_in()
            yield house
        finally:
            house.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
