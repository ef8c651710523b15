"""How the demo is shown: a live screen on a terminal, plain lines anywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cli.demo.sections import Section, Sections
from cli.event_view import line
from cli.paint import Painter
from cli.words import duration
from ipc.control_messages import DaemonState, Missed
from ipc.events import Event, Failed, GaveUp, Restarted, SchedulerUp, WorkerDied, WorkerUp
from ipc.scheduler_messages import JobState

if TYPE_CHECKING:
    from types import TracebackType

_SUMMARY_EVERY_S = 2.0
_TOLD = (WorkerUp, WorkerDied, SchedulerUp, Restarted, GaveUp, Failed)
_STATES = {"running": "green", "ready": "green", "parked": "red", "backoff": "yellow"}


class PlainView:
    """Prints a line for what matters, and now and then a sum."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """Take where lines go."""
        self._write = write
        self._sections = Sections()
        self._next_s = 0.0
        self._processes: tuple[int, ...] = ()
        self._paint = Painter(colours=False)

    def __enter__(self) -> PlainView:
        """Return the view itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is to be put back."""

    def phase(self, text: str) -> None:
        """Print what happens now."""
        self._write(f"-- {text}")
        self._next_s = 0.0

    def event(self, event: Event | Missed) -> None:
        """Print what happens to processes, and failures."""
        self._sections.take_event(event)
        if isinstance(event, _TOLD):
            self._write(line(event, self._paint))

    def state(self, state: DaemonState, jobs: Iterable[JobState] | None) -> None:
        """Print the processes when they change, and a sum now and then."""
        workers = state.summary.workers if state.summary is not None else ()
        pids = (state.supervisor_pid, state.scheduler_pid, *(one.pid for one in workers))
        if pids != self._processes and workers and all(pids):
            self._processes = pids
            names = ["supervisor", "scheduler", *(f"worker {one.worker}" for one in workers)]
            shown = ", ".join(f"{name} {pid}" for name, pid in zip(names, pids, strict=True))
            self._write(f"processes: {shown}")
        now_s = time.monotonic()
        if jobs is None or now_s < self._next_s:
            return
        self._next_s = now_s + _SUMMARY_EVERY_S
        sections = self._sections.sum_up(jobs)
        known, well = sum(one.jobs for one in sections), sum(one.well for one in sections)
        runs, rows = sum(one.runs for one in sections), sum(one.rows for one in sections)
        self._write(f"{well} of {known} jobs well; {runs:,} runs, {rows:,} rows written")


class LiveView:
    """A screen of processes and sections that is drawn again and again."""

    def __init__(self, console: Console) -> None:
        """Take the terminal."""
        self._live = Live(console=console, auto_refresh=False, transient=False)
        self._sections = Sections()
        self._phase = ""
        self._news = ""
        self._jobs: list[JobState] = []
        self._paint = Painter(colours=False)

    def __enter__(self) -> LiveView:
        """Take the screen over."""
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the last picture, and give the screen back."""
        self._live.stop()

    def phase(self, text: str) -> None:
        """Show what happens now."""
        self._phase = text

    def event(self, event: Event | Missed) -> None:
        """Count it; the last word about a process is shown."""
        self._sections.take_event(event)
        if isinstance(event, _TOLD):
            self._news = line(event, self._paint)

    def state(self, state: DaemonState, jobs: Iterable[JobState] | None) -> None:
        """Draw the screen."""
        if jobs is not None:
            self._jobs = list(jobs)
        sections = self._sections.sum_up(self._jobs)
        parts: list[RenderableType] = [
            Text(f"esisyncd demo: {self._phase}", style="bold"),
            Text(),
            process_table(state),
            Text(),
            section_table(sections),
            Text(self._news, style="dim", no_wrap=True, overflow="ellipsis"),
        ]
        self._live.update(Group(*parts), refresh=True)


def process_table(state: DaemonState) -> Table:
    """Return the processes as a table."""
    table = _plain_table(expand=False)
    table.add_column("PROCESS")
    table.add_column("PID", justify="right")
    table.add_column("STATE")
    table.add_column("JOBS", justify="right")
    table.add_column("")
    rows = [("supervisor", state.supervisor_pid, "running", "", f"up {duration(state.uptime_s)}")]
    restarts = f"{state.restarts} restarts" if state.restarts else ""
    rows.append(("scheduler", state.scheduler_pid, state.scheduler_state, "", restarts))
    for worker in state.summary.workers if state.summary is not None else ():
        deaths = f"{worker.deaths} deaths" if worker.deaths else ""
        name = f"worker {worker.worker}"
        rows.append((name, worker.pid, worker.state, str(worker.jobs), deaths))
    for name, pid, word, jobs, detail in rows:
        style = _STATES.get(word, "cyan")
        table.add_row(name, str(pid or "-"), Text(word, style=style), jobs, detail)
    return table


def section_table(sections: Iterable[Section]) -> Table:
    """Return the kinds as a table."""
    table = _plain_table(expand=True)
    table.add_column("SECTION")
    for title in ("WELL", "RUNS", "ROWS"):
        table.add_column(title, justify="right")
    table.add_column("LAST", no_wrap=True, overflow="ellipsis", ratio=1)
    for one in sections:
        style = "red" if one.bad else "green" if one.well == one.jobs else "cyan"
        well = Text(f"{one.well}/{one.jobs}", style=style)
        table.add_row(one.kind, well, f"{one.runs:,}", f"{one.rows:,}", Text(one.last))
    return table


def _plain_table(*, expand: bool) -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", expand=expand)
