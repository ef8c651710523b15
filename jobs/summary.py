"""How the ends of a kind's parts add up to the end of its job; pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from ipc.messages import PartBlock
from ipc.outcome import AnyReaction, NotThere, Outcome, PauseAll, PauseBucket, Token
from ipc.subject import JobKey
from jobs.reasons import Verdict, one_line
from jobs.spec import PartResult

# The first of these that any counted part ended with is the outcome of the kind.
_ORDER = (
    Token.FAILED,
    Token.NOT_READY,
    Token.SYNCED,
    Token.EMPTY,
    Token.SKIPPED,
    Token.BLOCKED,
)
# A frame has an end: what does not fit is found by the jobs' own intervals.
MAX_DUE = 2000


class PartEnd(msgspec.Struct, frozen=True):
    """How one part ended: with a result, or with an error and what it means."""

    name: str
    optional: bool
    result: PartResult | None = None
    verdict: Verdict | None = None

    @property
    def token(self) -> Token:
        """Return the word for this part's end."""
        if self.verdict is not None:
            return self.verdict.token
        return Token.EMPTY if self.result is not None and self.result.empty else Token.SYNCED

    @property
    def is_plain(self) -> bool:
        """Tell whether there is nothing to say about this part's end."""
        result = self.result
        return self.verdict is None and (
            result is None or not (result.skipped or result.unknown or result.note)
        )


class Ending(msgspec.Struct, frozen=True):
    """How a job ended, as its scheduler is told."""

    outcome: Outcome
    reaction: AnyReaction | None = None
    fresh_until: datetime | None = None
    changed: bool = False
    due: tuple[JobKey, ...] = ()
    refresh: tuple[int, ...] = ()
    grants_changed: bool = False


def ending_of(verdict: Verdict) -> Ending:
    """Return the end of a job that an error ended as a whole."""
    return Ending(Outcome(verdict.token, 0, verdict.reason), verdict.reaction)


def sum_up(
    ends: Sequence[PartEnd], blocked: Sequence[PartBlock] = (), *, grants_changed: bool = False
) -> Ending:
    """Return the end of a job from the ends of its parts; blocked: the parts that may not run.

    Optional parts count for rows and freshness, and never for the outcome, unless the kind has
    no others.
    """
    counted = [end for end in ends if not end.optional] or list(ends)
    token = _first_of_order([end.token for end in counted])
    rows = left = skipped = unknown = 0
    fresh_until: datetime | None = None
    due: dict[JobKey, None] = {}
    refresh: tuple[int, ...] = ()
    # Most jobs leave nothing to explain.
    plain, failed = not blocked, False
    for end in ends:
        plain = plain and end.is_plain
        failed = failed or end.verdict is not None
        result = end.result
        if result is None:
            continue
        rows += result.rows
        left += result.left
        skipped += result.skipped
        unknown += result.unknown
        if result.fresh_until is not None:
            fresh_until = min(fresh_until or result.fresh_until, result.fresh_until)
        if result.due:
            due.update(dict.fromkeys(result.due))
        if result.refresh:
            refresh += result.refresh
    reason = "" if plain and not left else _reason(token, ends, counted, blocked, left)
    return Ending(
        outcome=Outcome(token, rows, reason, skipped, left, unknown),
        reaction=_reaction(token, ends, counted) if failed else None,
        fresh_until=fresh_until,
        changed=rows > 0,
        due=tuple(due)[:MAX_DUE],
        refresh=refresh,
        grants_changed=grants_changed,
    )


def _first_of_order(tokens: Sequence[Token]) -> Token:
    for word in _ORDER:
        if word in tokens:
            return word
    return Token.BLOCKED


def _reaction(
    token: Token, ends: Sequence[PartEnd], counted: Sequence[PartEnd]
) -> AnyReaction | None:
    """Return the reaction of the part that decided, or of the one that ended the job early."""
    decisive = [end for end in counted if end.token is token]
    for end in (*(e for e in ends if e.verdict is not None and e.verdict.ends_job), *decisive):
        if end.verdict is not None and end.verdict.reaction is not None:
            found = end.verdict.reaction
            return NotThere(_nothing_there(counted)) if isinstance(found, NotThere) else found
    return None


def _nothing_there(counted: Sequence[PartEnd]) -> bool:
    """Tell whether no part brought anything, because what it asks for does not exist."""
    return all(
        end.token is Token.EMPTY
        or (end.verdict is not None and isinstance(end.verdict.reaction, NotThere))
        for end in counted
    )


def _reason(
    token: Token,
    ends: Sequence[PartEnd],
    counted: Sequence[PartEnd],
    blocked: Sequence[PartBlock],
    left: int,
) -> str:
    # Each sentence once, after the names of all parts that it is said of.
    said: dict[str, tuple[list[str], str]] = {}

    def say(name: str, sentence: str, same_as: str = "") -> None:
        said.setdefault(same_as or sentence, ([], sentence))[0].append(name)

    for end in sorted(ends, key=lambda end: end not in counted or end.token is not token):
        if end.verdict is not None:
            say(end.name, end.verdict.reason, _limit_of(end.verdict))
            continue
        if end.result is None:
            continue
        if end.result.skipped:
            number = end.result.skipped
            say(end.name, f"{number} {'row' if number == 1 else 'rows'} could not be read")
        if end.result.unknown:
            number = end.result.unknown
            say(end.name, f"{number} {'word' if number == 1 else 'words'} that ESI does not list")
        if end.result.note:
            say(end.name, end.result.note)
    for block in blocked:
        say(block.part, block.reason)
    texts = [f"catching up, {left} left"] if left else []
    texts += [f"{', '.join(dict.fromkeys(names))}: {sentence}" for names, sentence in said.values()]
    return one_line("; ".join(texts))


def _limit_of(verdict: Verdict) -> str:
    """Return the name of the limit that held a part back; each part counts its own seconds."""
    match verdict.reaction:
        case PauseBucket(bucket=bucket):
            return f"limit {bucket}"
        case PauseAll():
            return "limit of errors"
        case _:
            return ""
