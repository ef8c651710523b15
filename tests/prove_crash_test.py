"""Proves the crash test: each mistake that loses a write or makes it twice turns it red.

Edits are made in copies of the tree, never in the tree itself. Run from anywhere:

    python -m tests.prove_crash_test [--only WORD]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.prove_reference_cases import RED, Edit, copy_tree, run_tests

TEST = "tests/crash/test_crashes.py::test_a_death_at_any_point_loses_no_write_and_sends_none_twice"
LIMIT_S = 1800.0


@dataclass(frozen=True, slots=True)
class Mistake:
    """What somebody could do wrong, and the points at which it shows."""

    name: str
    points: str
    edits: tuple[Edit, ...]


MISTAKES = (
    Mistake(
        "mark before send",
        "send.before,send.answered",
        (
            Edit(
                "jobs/writes/execute.py",
                "        attempted = await _attempt(",
                "        early = Mark(order, row, Decision(Status.DONE, 0), tools.clock)\n"
                "        await tools.marks.write(mark_all, early)\n"
                "        attempted = await _attempt(",
            ),
        ),
    ),
    Mistake(
        "send before commit",
        "claim.written",
        (
            # The rows are out before their claim is committed, and the worker does not mind.
            Edit(
                "engine/outbox.py",
                "from jobs.store import claims, outbox\n",
                "from jobs.store import claims, outbox, outbox_rows\n",
            ),
            Edit(
                "engine/outbox.py",
                "                rows = await self._store.write(claim)\n"
                "                self._hands.waiting += [Sending(row, self) for row in rows]\n"
                "                await self._hand_out_held()\n",
                "                for id_ in due:\n"
                "                    look = partial(outbox_rows.get, id_=id_)\n"
                "                    row = await self._store.read(look)\n"
                "                    self._hands.waiting.append(Sending(row, self))\n"
                "                await self._hand_out_held()\n"
                "                await self._store.write(claim)\n",
            ),
            Edit(
                "jobs/writes/execute.py",
                "    if row is None or row.status is not Status.INFLIGHT"
                " or row.claimed_by_epoch != order.epoch:\n",
                "    if row is None:\n",
            ),
        ),
    ),
    Mistake(
        "send without a note",
        "send.headers,send.answered",
        (
            Edit(
                "jobs/writes/execute.py",
                "sender.tools.logbook.note(sender.order.outbox_id, sender.order.job_id)",
                "pass",
            ),
        ),
    ),
    Mistake(
        "blind repeat",
        "send.answered",
        (
            Edit(
                "jobs/writes/execute.py",
                "    if doubt is not None:\n",
                "    if doubt is not None and order.epoch < 0:\n",
            ),
        ),
    ),
)


def run(edits: Sequence[Edit], points: str) -> tuple[int, str]:
    """Run the crash test at some points in a copy with edits; return pytest's end and its words."""
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        tree = copy_tree(Path(folder) / "tree")
        for edit in edits:
            path = tree / edit.file
            path.write_text(path.read_text("utf-8").replace(edit.old, edit.new), "utf-8")
        return run_tests(tree, "-m", "process", TEST, limit_s=LIMIT_S, CRASH_POINTS=points)


def prove(mistake: Mistake) -> str | None:
    """Demand green without the mistake and red with it, for the right reason; say what is wrong."""
    if found := [fault for edit in mistake.edits if (fault := edit.fault())]:
        return f"{mistake.name}: {'; '.join(found)}"
    code, said = run((), mistake.points)
    if code != 0:
        return f"{mistake.name}: not green without it (pytest ended {code})\n{said[-2000:]}"
    code, said = run(mistake.edits, mistake.points)
    if code != RED:
        what = "stays green with it" if code == 0 else f"proves nothing (pytest ended {code})"
        return f"{mistake.name}: {what}\n{said[-2000:]}"
    if "times" not in said:
        return f"{mistake.name}: red, but for another reason\n{said[-3000:]}"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove all mistakes; 1 if one of them goes unnoticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only mistakes whose name contains this")
    options = parser.parse_args(arguments)
    faults: list[str] = []
    for mistake in MISTAKES:
        if options.only in mistake.name:
            began_s = time.monotonic()
            fault = prove(mistake)
            faults += [fault] if fault else []
            word = "goes unnoticed" if fault else "turns the crash test red"
            sys.stdout.write(f"{time.monotonic() - began_s:5.1f} s  {mistake.name}: {word}\n")
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
