"""Every scenario in turn, and how each of its writes ended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from tests.crash.house import TEMPT_S, Run, Writer, faults, go_through, wait_for_ends
from tests.crash.scenarios import GROUPS

# Where a mistake is to show, on however busy a machine.
PATIENT_S = 10.0


def walk(
    writer: Writer, say: Callable[[str], None], points: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """Let something die at every point; return how each write ended, and what is wrong.

    points: only the scenarios that end at one of them; none: all.
    """
    runs: list[Run] = []
    for group in GROUPS:
        if points and group[-1].steps[-1][0] not in points:
            continue
        runs += go_through(writer, group, PATIENT_S if points else TEMPT_S)
        say(f"{len(runs)} writes")
    writer.house.eve.clear_faults()
    rows = wait_for_ends(writer.house)
    wrong = faults(writer.house, [run.wish for run in runs], rows)
    told: list[str] = []
    for run in runs:
        row = rows[run.wish.row_id]
        if row.status not in run.scenario.ends:
            wrong.setdefault(row.id, f"is {row.status}: {row.last_error}")
        told.append(f"{run.scenario.name}: {wrong.get(row.id, row.status)}")
    return told, _those(told, [run.wish.row_id in wrong for run in runs])


def _those(lines: Iterable[str], wanted: Iterable[bool]) -> list[str]:
    return [line for line, is_wanted in zip(lines, wanted, strict=True) if is_wanted]
