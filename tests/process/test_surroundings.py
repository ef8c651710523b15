"""The real daemon where a machine is not as it should be: no terminal, no room, another clock."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ipc.commands import Reload, RunNow
from ipc.control_messages import DaemonState, GetStatus
from ipc.scheduler_messages import JobState, StatusPage
from ipc.subject import GLOBAL
from tests.process.daemon import Client
from tests.processes import WITHIN_S, children_of, descendants_of, eventually, is_alive, name_of

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
# Below /usr/lib, where Debian's package libfaketime has it on any architecture.
FAKETIME = "*/faketime/libfaketimeMT.so.1"
# Needs no ESI.
KIND = "global.token_audit"


def can_unshare(*what: str) -> bool:
    """Tell whether this machine lets us make a namespace."""
    program = shutil.which("unshare")
    if program is None:
        return False
    return (
        subprocess.run([program, *what, "true"], check=False, capture_output=True).returncode == 0
    )


class Run:
    """A daemon without an ESI, in a folder that no other test has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config.toml"
        self.process: subprocess.Popen[bytes]
        self._client: Client | None = None
        self.configure()

    def configure(self, **features: bool) -> None:
        """Write the file that the daemon reads at its start and at each reload."""
        lines = [f'data_dir = "{self.folder}/d"', "[esi]", 'base_url = "http://127.0.0.1:1"']
        lines += ["[engine]", "workers = 2", "[features]"]
        lines += [f"{name} = {str(on).lower()}" for name, on in features.items()]
        self.config.write_text("\n".join(lines) + "\n")

    @property
    def command(self) -> list[str]:
        """Return the daemon's command line."""
        return [sys.executable, "-P", "-m", "supervisor", "--config", str(self.config)]

    def environ(self, **more: str) -> dict[str, str]:
        """Return a bare environment."""
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            **{k: v for k, v in os.environ.items() if k.startswith("COV")},
            **more,
        }

    def start(self, command: Sequence[str], **options: Any) -> None:
        """Start the daemon by a command line around its own."""
        options.setdefault("env", self.environ(HOME=str(self.folder)))
        options.setdefault("start_new_session", True)
        self.process = subprocess.Popen([*command], **options)

    def status(self) -> DaemonState:
        """Return the daemon's state."""
        if self._client is None:
            self._client = eventually("an answer", self._connect)
        return self._client.status()

    def _connect(self) -> Client | None:
        assert self.process.poll() is None, f"it ended with {self.process.returncode}"
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            return Client(self.folder / "d" / "control.sock")
        return None

    def until(self, what: str, check: Callable[[DaemonState], bool]) -> DaemonState:
        """Wait for a state, and return it."""
        found: list[DaemonState] = []

        def look() -> bool:
            assert self.process.poll() is None, f"it ended with {self.process.returncode}"
            found[:] = [self.status()]
            return check(found[0])

        eventually(what, look)
        return found[0]

    def until_up(self) -> DaemonState:
        """Wait until the scheduler and all workers are ready."""

        def is_up(state: DaemonState) -> bool:
            workers = state.summary.workers if state.summary is not None else ()
            return (
                state.scheduler_state == "running" and [w.state for w in workers] == ["ready"] * 2
            )

        return self.until("scheduler and workers", is_up)

    def reload(self) -> str:
        """Have the configuration read again, and return what is told."""
        assert self._client is not None
        return self._client.ask(Reload()).text

    def ends(self, number: int = signal.SIGTERM) -> int:
        """Stop the daemon and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(WITHIN_S)

    def cleanup(self) -> None:
        """Leave nothing behind."""
        if self._client is not None:
            self._client.close()
        if hasattr(self, "process"):
            for pid in [*descendants_of(self.process.pid), self.process.pid]:
                if is_alive(pid):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait(WITHIN_S)


@pytest.fixture
def run() -> Iterator[Run]:
    with fresh_run("/tmp") as one:
        yield one


@contextmanager
def fresh_run(below: str) -> Iterator[Run]:
    """Give a daemon that is not started yet."""
    folder = Path(tempfile.mkdtemp(prefix="x", dir=below))
    one = Run(folder)
    try:
        yield one
    finally:
        one.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def entries(state: DaemonState) -> int:
    """Return how many jobs are scheduled."""
    assert state.summary is not None
    return state.summary.entries


def test_a_terminal_that_closes_is_a_reload_and_no_end(run: Run) -> None:
    ours, theirs = pty.openpty()
    run.start(
        run.command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        # The terminal is the session's own: its end is told by a signal.
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    before = run.until_up()
    run.configure(incursions=True)
    os.close(ours)
    grown = run.until("more jobs", lambda state: entries(state) > entries(before))
    # It goes on, and its log goes nowhere.
    assert (grown.generation, grown.restarts) == (1, 0)
    os.kill(grown.scheduler_pid, signal.SIGKILL)
    run.until("a new scheduler", lambda s: s.generation == 2 and s.scheduler_state == "running")
    assert run.ends() == 0


def test_under_nohup_it_reloads_as_well(run: Run) -> None:
    nohup = shutil.which("nohup")
    assert nohup is not None
    with (run.folder / "log").open("wb") as log:
        run.start([nohup, *run.command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    before = run.until_up()
    run.configure(incursions=True)
    run.process.send_signal(signal.SIGHUP)
    run.until("more jobs", lambda state: entries(state) > entries(before))
    assert run.ends() == 0


@pytest.mark.skipif(not can_unshare("-m"), reason="no namespaces of mounts here")
def test_without_shared_memory_a_place_for_temporary_files_a_folder_or_a_home() -> None:
    with fresh_run("/var/tmp") as run:
        lost = run.folder / "lost"
        lost.mkdir()
        script = (
            "mount -t tmpfs -o ro,size=4k none /dev/shm && mount -t tmpfs -o ro none /tmp"
            f' && rmdir {lost} && exec "$@"'
        )
        run.start(
            ["unshare", "-m", "sh", "-ec", script, "sh", *run.command],
            cwd=lost,
            env=run.environ(),
        )
        state = run.until_up()
        assert state.summary is not None
        assert state.summary.database_trouble == ""
        # Nor does a scheduler need them that comes later, and no worker of its.
        os.kill(state.scheduler_pid, signal.SIGKILL)
        run.until("a new scheduler", lambda s: s.generation == 2)
        run.until_up()
        assert run.ends() == 0


@pytest.mark.skipif(
    not can_unshare("--pid", "--fork", "--mount-proc"), reason="no namespaces of processes here"
)
def test_as_the_first_process_of_a_container(run: Run) -> None:
    """TERM has no default action there, and whoever loses its parent is this process's child."""
    script = 'sleep 0.2 & sleep 3600 & exec "$@"'
    run.start(
        ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-ec", script, "sh", *run.command]
    )
    state = run.until_up()
    assert state.supervisor_pid == 1
    (first,) = children_of(run.process.pid)
    # The end of a stranger is taken, and none of ours is taken for one.
    eventually("the stranger is reaped", lambda: zombies(first) == [])
    for pid in descendants_of(first):
        if name_of(pid) == "sleep":
            os.kill(pid, signal.SIGTERM)
    eventually("the other one too", lambda: "sleep" not in map(name_of, descendants_of(first)))
    eventually("none is a zombie", lambda: zombies(first) == [])
    scheduler = next(pid for pid in children_of(first) if name_of(pid) == "scheduler")
    os.kill(scheduler, signal.SIGKILL)
    again = run.until("a new scheduler", lambda s: s.generation == 2)
    assert again.restarts == 1
    run.until_up()
    eventually("still none", lambda: zombies(first) == [])
    os.kill(first, signal.SIGTERM)
    assert run.process.wait(WITHIN_S) == 0


def zombies(pid: int) -> list[int]:
    """Return the dead processes below one that nobody has taken the end of."""
    return [one for one in descendants_of(pid) if not is_alive(one)]


def test_a_journal_that_reads_nothing_slows_nothing(run: Run) -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while theirs.send(b"x" * 4096):
            pass
    theirs.setblocking(True)
    stat = os.fstat(theirs.fileno())
    journal = {"JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}"}
    run.start(
        [*run.command, "--set", "log_level=debug"],
        stderr=theirs.fileno(),
        env=run.environ(HOME=str(run.folder), **journal),
    )
    theirs.close()
    try:
        state = run.until_up()
        for _ in range(3):
            assert run.reload() == ""
        os.kill(state.scheduler_pid, signal.SIGKILL)
        run.until("a new scheduler", lambda s: s.generation == 2)
        run.until_up()
        run.until("a heartbeat", lambda s: s.heartbeat_age_s is not None and s.heartbeat_age_s < 5)
        # What is not read by the end is not waited for long.
        assert run.ends() == 0
    finally:
        ours.close()


def job(run: Run, kind: str) -> JobState:
    """Return a global job as status tells it."""
    with closing(Client(run.folder / "d" / "control.sock")) as client:
        client.send(GetStatus(1, jobs=True, subject=GLOBAL))
        jobs: list[JobState] = []
        while True:
            page = client.until(StatusPage)
            jobs += page.jobs
            if page.last:
                return next(one for one in jobs if one.key.kind == kind)


def runs_now(run: Run, kind: str) -> None:
    """Have a job run that needs no ESI, and wait until it has."""
    before = job(run, kind).last_attempt_at
    with closing(Client(run.folder / "d" / "control.sock")) as client:
        assert client.ask(RunNow(GLOBAL, kind)).status == "done"

    def ran() -> bool:
        now = job(run, kind)
        return now.last_attempt_at != before and not now.in_flight

    eventually(f"{kind} runs", ran)
    outcome = job(run, kind).outcome
    assert outcome is not None
    assert outcome.is_success


@pytest.fixture
def libfaketime() -> str:
    """Return the library that steps the clock of a process; in CI it has to be there."""
    for path in Path("/usr/lib").glob(FAKETIME):
        return str(path)
    if os.environ.get("CI"):
        pytest.fail("libfaketime is not installed")
    pytest.skip("no libfaketime here")


def test_a_clock_that_jumps_stops_nothing_and_restarts_nothing(run: Run, libfaketime: str) -> None:
    offset = run.folder / "offset"
    offset.write_text("+0\n")
    environ = run.environ(
        HOME=str(run.folder),
        LD_PRELOAD=libfaketime,
        FAKETIME_TIMESTAMP_FILE=str(offset),
        FAKETIME_NO_CACHE="1",
        FAKETIME_DONT_FAKE_MONOTONIC="1",
        NO_FAKE_STAT="1",
    )
    with (run.folder / "log").open("wb") as log:
        run.start(run.command, stdout=log, stderr=log, env=environ)
    state = run.until_up()
    for step in ("+0", "+1h", "-2h", "+400d", "+1h"):
        offset.write_text(f"{step}\n")
        runs_now(run, KIND)
        state = run.until_up()
        assert (state.generation, state.restarts) == (1, 0), step
    # What the ledger tells of a time that has not been yet keeps the next life from nothing.
    os.kill(state.scheduler_pid, signal.SIGKILL)
    offset.write_text("-1h\n")
    run.until("a new scheduler", lambda s: s.generation == 2)
    run.until_up()
    runs_now(run, KIND)
    assert run.ends() == 0
    assert "Traceback" not in (run.folder / "log").read_text()
