"""What is remembered of a request between runs, as the walk through its pages needs it; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from jobs.esi.paging import Known, PageMark, Read
from jobs.store.route_states import RouteState

_CLOCK_STEP = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Memory:
    """Which request, and in which form its rows are kept now."""

    route: str
    params: str
    owner_id: int
    revision: str


def is_whole(states: Sequence[RouteState], memory: Memory) -> bool:
    """Tell whether all pages are remembered, and their rows have today's form."""
    return (
        bool(states)
        and all(state.revision == memory.revision for state in states)
        and [state.page for state in states] == list(range(1, (states[0].pages or 1) + 1))
    )


def still_fresh(states: Sequence[RouteState], memory: Memory, now: datetime) -> datetime | None:
    """Return until when the stored rows cannot have changed; None if they may have."""
    if not is_whole(states, memory) or states[0].checked_at > now + _CLOCK_STEP:
        # Looked at in the future: the clock was set back, and no stored time means anything.
        return None
    expires = [state.expires_at for state in states]
    earliest = min((each for each in expires if each is not None), default=None)
    if None in expires or earliest is None or earliest <= now:
        return None
    return earliest


def known_of(states: Sequence[RouteState], memory: Memory) -> Known:
    """Return what may be compared with ESI's answers; nothing where rows have an older form."""
    if not is_whole(states, memory):
        return Known()
    first = states[0]
    return Known(
        marks=tuple(PageMark(each.page, each.etag, each.last_modified) for each in states),
        complete_walk=first.complete_walk,
        cursor=first.cursor,
    )


def next_states(
    memory: Memory,
    states: Sequence[RouteState],
    read: Read,
    now: datetime,
    *,
    keep_validators: bool = True,
    skipped: int = 0,
    unknown: int = 0,
    mark: str | None = None,
) -> list[RouteState]:
    """Return the states to store with the rows of what was read.

    keep_validators False: the rows are not all that ESI sent, so a 304 must not stand for them.
    skipped: so many rows of the set could not be read. unknown: so many words of it nobody lists.
    mark: takes the place of the cursor, for sets that are no history.
    """
    expires_at = min(answer.fresh_until for answer in read.answers)
    before = {state.page: state for state in states} if read.unchanged else {}
    result: list[RouteState] = []
    for page, answer in enumerate(read.answers, start=1):
        old = before.get(page)
        etag, modified = answer.etag, answer.last_modified
        if old is not None:
            # A 304 need not repeat what it confirms; for pages that were not asked, nothing did.
            etag, modified = old.etag, old.last_modified
            unknown = old.words_unknown if page == 1 else unknown
        result.append(
            RouteState(
                route=memory.route,
                params=memory.params,
                owner_id=memory.owner_id,
                page=page,
                revision=memory.revision,
                etag=etag if keep_validators else None,
                last_modified=modified if keep_validators else None,
                expires_at=expires_at,
                pages=len(read.answers),
                # Rows that are missing would never be seen again by a walk that stops early.
                complete_walk=read.complete_walk and keep_validators,
                cursor=read.cursor if mark is None else mark,
                checked_at=now,
                rows_skipped=skipped if page == 1 else 0,
                words_unknown=unknown if page == 1 else 0,
            )
        )
    return result


def incomplete(states: Sequence[RouteState], skipped: int) -> list[RouteState]:
    """Return the states of sets of which so many rows could not be stored: no 304 may follow."""
    return [
        replace(
            state,
            etag=None,
            last_modified=None,
            complete_walk=False,
            rows_skipped=state.rows_skipped + (skipped if place == 0 else 0),
        )
        for place, state in enumerate(states)
    ]
