"""Whether a set that lost most of its rows is to be believed: not at the first word; pure.

After a downtime ESI has answered with empty or short lists where there were thousands of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs.esi.client import EsiAnswer
from jobs.esi.headers import http_date
from jobs.store.moments import happened
from jobs.store.schema.types import text_of_time, time_of_text

# So many rows may well go at once.
LARGE_ROWS = 50
# More than that are doubted when less than this share of the rows is left.
LEFT_SHARE = 0.5
# Without a newer Last-Modified, an empty answer is believed when it still stands after this.
STANDS_FOR = timedelta(minutes=15)
_WORD = "doubt"


@dataclass(frozen=True, slots=True)
class Drop:
    """held: keep the rows for now. mark: what to remember until the next answer."""

    held: bool = False
    mark: str | None = None
    note: str = ""


def is_drastic(stored_rows: int, new_rows: int, *, in_doubt: bool = False) -> bool:
    """Tell whether so few rows in the place of so many are to be doubted.

    in_doubt: ESI may be down, or has just come back; then few rows may not go at once either.
    """
    many = in_doubt or stored_rows - new_rows > LARGE_ROWS
    return many and new_rows < stored_rows * LEFT_SHARE


def _is_newer(modified: str, seen: str) -> bool:
    """Tell whether a Last-Modified is later than another; unreadable ones are, when they differ."""
    now, before = http_date(modified), http_date(seen)
    if now is None or before is None:
        return modified != seen
    return now > before


def judge_drop(
    mark: str | None,
    answer: EsiAnswer,
    stored_rows: int,
    new_rows: int,
    now: datetime,
    *,
    in_doubt: bool = False,
) -> Drop:
    """Return what to do about a set of few rows in the place of so many stored ones.

    mark: what an earlier judgement left to remember. While ESI is in doubt, nothing confirms it.
    """
    word, _, rest = (mark or "").partition("|")
    # Once doubted, a set stays so until a second answer, though ESI is well by then.
    doubted = in_doubt or word == _WORD
    if not is_drastic(stored_rows, new_rows, in_doubt=doubted):
        return Drop()
    modified = answer.last_modified or ""
    since_text, _, seen_modified = rest.partition("|")
    if word == _WORD:
        since = happened(time_of_text(since_text), now)
        if since is None:
            since, since_text = now, text_of_time(now)
        stands = now - since >= STANDS_FOR
        if not in_doubt and (stands or _is_newer(modified, seen_modified)):
            return Drop()
    else:
        since_text, seen_modified = text_of_time(now), modified
    return Drop(
        held=True,
        mark=f"{_WORD}|{since_text}|{seen_modified}",
        note=f"ESI says that of {stored_rows} rows {new_rows} are left;"
        " waiting for a second answer",
    )
