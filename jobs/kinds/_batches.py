"""Asking ESI about many ids at once, where one that it does not know spoils the whole answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from jobs.errors import BadAnswer, Gone, Refused
from jobs.spec import Context, Fetched

# What ESI takes in one request.
BATCH = 1000
# Each refusal counts against the error limit that all routes share, so one run stops here.
MAX_REFUSALS = 25
# Ids in one statement: SQLite takes 32,766 values, some builds 999.
IN_STATEMENT = 500


def slices(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield ids by as many as one statement names."""
    for at in range(0, len(ids), IN_STATEMENT):
        yield ids[at : at + IN_STATEMENT]


@dataclass(slots=True)
class Asked:
    """What became of the ids of one run."""

    rows: int = 0
    # Ids that ESI refused when asked about them alone, or whose answer nobody could read.
    refused: list[int] = field(default_factory=list)
    # Ids that were not asked about, or only among others, before the run had to stop.
    left: list[int] = field(default_factory=list)


def left_out(
    context: Context, batch: Sequence[int], told: Collection[int], answer: Fetched
) -> list[int]:
    """Return the ids of a batch that an answer leaves out, and so does not know.

    None while ESI may be down. Refused where it tells of none of several: that is no word about
    any one of them.
    """
    if answer.skipped:
        # What could not be read may be any of them.
        return []
    absent = sorted(set(batch).difference(told))
    if len(absent) == len(batch) > 1:
        raise Refused(f"nothing was told of {len(batch)} ids")
    return [] if context.in_doubt() else absent


async def ask_in_halves(
    ids: Sequence[int],
    ask: Callable[[list[int]], Awaitable[int]],
    may_go_on: Callable[[], bool],
) -> Asked:
    """Ask about all ids in batches, splitting those that are refused until the bad ids are alone.

    `ask` stores what it gets and returns how many rows changed. An answer about several ids that
    nobody can read is no word about any of them, and ends the run.
    """
    result = Asked()
    waiting = deque(list(ids[at : at + BATCH]) for at in range(0, len(ids), BATCH))
    refusals = 0
    while waiting and refusals < MAX_REFUSALS and may_go_on():
        batch = waiting.popleft()
        try:
            result.rows += await ask(batch)
        except (Gone, BadAnswer) as error:
            refusals += 1
            if len(batch) > 1 and not isinstance(error, Gone | Refused):
                raise
            if len(batch) == 1:
                result.refused += batch
            else:
                middle = len(batch) // 2
                waiting.extendleft((batch[middle:], batch[:middle]))
    result.left = [one for batch in waiting for one in batch]
    return result
