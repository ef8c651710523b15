"""A daemon with points in it, the writes that are asked of it, and what became of them."""

from __future__ import annotations

import contextlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec

from ipc.commands import Restart
from ipc.settings import Engine
from jobs.catalog import load
from jobs.store import outbox_rows
from jobs.writes.mail import Recipient, Send
from jobs.writes.mail_changes import SetRead
from jobs.writes.want import want
from simulator.process import SimulatedEve
from tests.crash.failpoints import ANY, Armed, folder_of, passed
from tests.crash.scenarios import OF_SCHEDULER, Scenario, Step
from tests.daemon.house import FAST, House, character, open_house
from tests.processes import eventually

FIRST, SECOND = 90_000_001, 90_000_002
TEMPT_S = 0.5
# Points that are passed without a row in hand.
_WITHOUT_ROW = ("claim.begun", "compensate.begun", "compensate.done")
PACKAGES = ("jobs.kinds", "tests.crash.points")
TIMINGS = msgspec.structs.replace(
    FAST,
    # A scheduler that stands still at a point is the test's to kill.
    hung_after_s=120.0,
    healthy_after_s=0.2,
    drain_interval_s=0.1,
    discovery_interval_s=1.0,
)


@dataclass(slots=True)
class Wish:
    """A write that was asked for."""

    row_id: int
    subject: str
    mail_id: int = 0
    wanted: bool = False


@contextlib.contextmanager
def crash_house(template: Path) -> Iterator[Writer]:
    """Give whoever asks a running daemon for writes; it does nothing but make them."""
    features = dict.fromkeys(load(("jobs.kinds",)).features(), False)
    arguments = ("--characters", "2", "--cache-scale", "0.01")
    with (
        SimulatedEve(*arguments, "--no-rate-limits", "--no-error-limit") as eve,
        open_house(
            eve,
            template,
            engine=Engine(workers=4, jobs_per_worker=4),
            features=features,
            intervals={},
            timings=TIMINGS,
            kind_packages=PACKAGES,
        ) as house,
    ):
        folder_of(house.folder).mkdir()
        house.run()
        yield Writer(house)


class Writer:
    """Asks for writes, each recognisable at the simulated EVE."""

    def __init__(self, house: House) -> None:
        """Take the daemon, and the mails that its character has at EVE."""
        self.house = house
        self._count = 0
        rows: Any = house.eve.model("character.mail_headers", FIRST)
        self._mails = deque((int(row["mail_id"]), bool(row.get("is_read", False))) for row in rows)
        house.write(lambda connection, _: _note_mails(connection, self._mails))

    def mail(self, *steps: Step, twin: bool = False) -> tuple[Wish, list[Armed]]:
        """Ask for a mail; the steps are armed before anybody else sees the row.

        twin: nobody can tell it from the one before.
        """
        self._count += not twin
        subject = f"mail {self._count}"
        payload = Send((Recipient(SECOND, "character"),), subject, "once")
        return self._append("mail.send", payload, subject, steps)

    def read(self, *steps: Step) -> tuple[Wish, list[Armed]]:
        """Ask to mark a mail, which may be done twice."""
        mail_id, is_read = self._mails.popleft()
        # Its turn comes again when all others had theirs.
        self._mails.append((mail_id, not is_read))
        wish, armed = self._append("mail.set_read", SetRead(mail_id, not is_read), "", steps)
        wish.mail_id, wish.wanted = mail_id, not is_read
        return wish, armed

    def refuse_next(self) -> None:
        """Let EVE refuse the next mark."""
        path = f"/characters/{FIRST}/mail/{self._mails[0][0]}"
        self.house.eve.fault(path=path, method="PUT", status=400, body='{"error":"no"}')

    def _append(
        self, kind: str, payload: Any, subject: str, steps: tuple[Step, ...]
    ) -> tuple[Wish, list[Armed]]:
        folder = folder_of(self.house.folder)
        armed: list[Armed] = []

        def append(connection: Any, now: Any) -> int:
            row_id = want(
                connection, character(FIRST), kind, payload, now, lifetime=timedelta(hours=1)
            )
            if not armed:
                armed.extend(arm(folder, step, row_id) for step in steps)
            return row_id

        return Wish(self.house.write(append), subject), armed


def arm(folder: Path, step: Step, row_id: int) -> Armed:
    """Arm a point for a row."""
    point, victim = step
    return Armed(folder, point, victim, ANY if point in _WITHOUT_ROW else row_id)


class Run:
    """A scenario on its way: its write, and the steps that are still ahead."""

    def __init__(self, writer: Writer, scenario: Scenario) -> None:
        """Ask for the write, with all steps armed."""
        self.scenario = scenario
        self._workers = set(writer.house.workers())
        if scenario.what == "refused":
            writer.refuse_next()
        ask = writer.mail if scenario.what == "mail" else writer.read
        self.wish, self._ahead = ask(*scenario.steps)
        self._house = writer.house

    def stands(self) -> bool:
        """Wait until it stands still for the scheduler's death; tell whether it ever does."""
        while self._ahead:
            step = self._ahead.pop(0)
            what = f"row {self.wish.row_id} at {step.point}, for {self.scenario.name}"
            self._house.until(what, lambda step=step: step.is_hit)  # type: ignore[misc]
            if step.victim == "scheduler":
                return True
            if step.victim == "worker" and step.point in OF_SCHEDULER:
                # All die there. That may be told late, and a row that goes to the dead meanwhile
                # loses its worker again.
                what = f"other workers than those killed, for {self.scenario.name}"
                self._house.until(what, lambda: not self._workers & set(self._house.workers()))
        return False


def go_through(writer: Writer, group: Sequence[Scenario], tempt_s: float = TEMPT_S) -> list[Run]:
    """Ask for the writes of a group and let its processes die; their rows may end later.

    tempt_s: so long a row that is not claimed yet may be sent, which it must not be.
    """
    house = writer.house
    runs: list[Run] = []
    standing: list[bool] = []
    for scenario in group:
        # Or a worker that stands still is the only one, and gets this row too.
        house.ready()
        runs.append(Run(writer, scenario))
        standing.append(runs[-1].stands())
    while any(standing):
        for run in runs:
            if run.scenario.is_unclaimed:
                _tempt(house, run.wish.row_id, tempt_s)
        scheduler = house.status().scheduler_pid
        house.kill(scheduler)
        revive(house, scheduler)
        standing = [run.stands() for run in runs]
    for run in runs:
        if run.scenario.is_unclaimed:
            house.outbox_reaches(run.wish.row_id, "done")
    return runs


def _tempt(house: House, row_id: int, within_s: float) -> None:
    """Give whoever would send a row before its claim is committed the time to do so."""
    sent = ("send.answered", str(row_id))
    with contextlib.suppress(AssertionError):
        eventually(
            "a write that is too early",
            lambda: any(told[1:] == sent for told in passed(house.folder)),
            within_s,
        )


def revive(house: House, dead: int) -> None:
    """Have a scheduler in the place of a dead one, without its successor's pause."""
    with house.talk() as client:

        def check() -> bool:
            state = client.status()
            if state.scheduler_state in ("backoff", "parked"):
                client.ask(Restart())
                return True
            return state.scheduler_pid not in (0, dead)

        house.until(f"a scheduler after {dead}", check)


def wait_for_ends(house: House, within_s: float = 200.0) -> dict[int, Any]:
    """Return every row once all have ended."""
    house.until(
        "the ends of all rows",
        lambda: (
            not house.value(
                "SELECT count(*) FROM outbox WHERE status NOT IN ('done', 'failed', 'uncertain')"
            )
        ),
        within_s,
    )
    rows = house.database.read_now(lambda conn: outbox_rows.list_rows(conn, limit=100_000))
    return {row.id: row for row in rows}


def faults(house: House, wishes: list[Wish], rows: dict[int, Any]) -> dict[int, str]:
    """Return what is wrong with each row: lost, made twice, or told to be what it is not."""
    there = [(wish, rows[wish.row_id]) for wish in wishes if wish.row_id in rows]
    gone = {wish.row_id: "is gone" for wish in wishes if wish.row_id not in rows}
    made: list[Any] = [(effect["path"], effect["body"]) for effect in house.eve.writes()]
    return (
        gone
        | _faults_of_mails([pair for pair in there if not pair[0].mail_id], made)
        | _faults_of_marks([pair for pair in there if pair[0].mail_id], made)
    )


def _faults_of_mails(told: list[tuple[Wish, Any]], made: list[Any]) -> dict[int, str]:
    times = Counter(body["subject"] for _, body in made if "subject" in body)
    ends: dict[str, Counter[str]] = {}
    for wish, row in told:
        ends.setdefault(wish.subject, Counter())[row.status.value] += 1
    wrong: dict[int, str] = {}
    for wish, row in told:
        # Twins count together.
        end, sent = ends[wish.subject], times[wish.subject]
        if not end["done"] <= sent <= end["done"] + end["uncertain"]:
            wrong[row.id] = f"is of {dict(end)}, and they were sent {sent} times"
    return wrong


def _faults_of_marks(told: list[tuple[Wish, Any]], made: list[Any]) -> dict[int, str]:
    marks = {
        int(str(path).rpartition("/")[2]): body["read"] for path, body in made if "read" in body
    }
    wrong: dict[int, str] = {}
    # Of several about one mail the last one counts.
    for wish, row in {wish.mail_id: (wish, row) for wish, row in told}.values():
        is_made = marks.get(wish.mail_id) is wish.wanted
        if row.status != "uncertain" and is_made != (row.status == "done"):
            wrong[row.id] = f"is {row.status.value}, and was {'' if is_made else 'not '}made"
    return wrong


def _note_mails(connection: Any, mails: Iterable[tuple[int, bool]]) -> None:
    """Have the mirror know the mails, so that marking them changes something there."""
    connection.exec_driver_sql(
        "INSERT INTO mail (character_id, mail_id, is_read) VALUES (?, ?, ?)",
        [(FIRST, mail_id, is_read) for mail_id, is_read in mails],
    )
