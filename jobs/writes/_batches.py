"""Ids that ESI takes many at a time: in pieces, and what it refuses is singled out."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from jobs.errors import RefusedWrite
from jobs.esi.reactions import Absent, GameRefused
from jobs.writes.kind import Sender

Call = Callable[[Sequence[int]], Awaitable[object]]

# Past so many refused ids the next batch that is refused is refused as a whole: each refusal
# spends five tokens.
MOST_SINGLED_OUT = 10
# Refusals of the game that concern one of the ids, not whoever asks.
_ONE = re.compile(r"ContactOwnerUnreachable|ContactCostNotApproved", re.IGNORECASE)


async def in_batches(
    sender: Sender, ids: Sequence[int], size: int, call: Call, *, absent_is_done: bool = False
) -> Mapping[str, Any]:
    """Have all ids taken; return which were made and which refused.

    Each batch is noted in the sender's progress, so that another attempt goes on after it.
    RefusedWrite where none was taken.
    """
    made: list[int] = sender.progress.setdefault("made", [])
    refused: dict[str, str] = sender.progress.setdefault("refused", {})
    left = [one for one in ids if one not in made and str(one) not in refused]
    for at in range(0, len(left), size):
        await _batch(sender, left[at : at + size], call, absent_is_done=absent_is_done)
    if not refused:
        return {"made": list(made)}
    some, reason = next(iter(refused.items()))
    told = f"{len(refused)} of {len(ids)} refused, as {some}: {reason}"
    if not made:
        raise RefusedWrite(reason if len(ids) == 1 else told)
    return {"made": list(made), "refused": dict(refused), "note": told}


async def _batch(sender: Sender, ids: Sequence[int], call: Call, *, absent_is_done: bool) -> None:
    made, refused = sender.progress["made"], sender.progress["refused"]
    try:
        await call(ids)
    except (RefusedWrite, GameRefused) as error:
        if isinstance(error, GameRefused) and not _ONE.search(error.reason):
            raise
        if len(ids) == 1 and absent_is_done and isinstance(error, Absent):
            made += ids
        elif len(ids) == 1 or len(refused) >= MOST_SINGLED_OUT:
            refused |= {str(one): error.reason for one in ids}
        else:
            half = len(ids) // 2
            await _batch(sender, ids[:half], call, absent_is_done=absent_is_done)
            await _batch(sender, ids[half:], call, absent_is_done=absent_is_done)
    else:
        made += ids
