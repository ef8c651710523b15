"""How the ends of parts add up, as a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ipc import outcome as reactions
from ipc.messages import PartBlock
from ipc.outcome import Token
from ipc.subject import GLOBAL, JobKey
from jobs.reasons import Verdict
from jobs.spec import PartResult
from jobs.summary import MAX_DUE, PartEnd, sum_up

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FULL = PartResult(rows=3)
UNCHANGED = PartResult()
EMPTY = PartResult(empty=True)
FAILED = Verdict(Token.FAILED, "502", reactions.Transient())
NOT_READY = Verdict(Token.NOT_READY, "no parent", reactions.NotReadyYet())
BLOCKED = Verdict(Token.BLOCKED, "missing role")
SKIPPED = Verdict(Token.SKIPPED, "flagged")


def end(how: PartResult | Verdict, name: str = "part", *, optional: bool = False) -> PartEnd:
    if isinstance(how, Verdict):
        return PartEnd(name, optional, verdict=how)
    return PartEnd(name, optional, result=how)


@pytest.mark.parametrize(
    ("hows", "token"),
    [
        ([FULL], Token.SYNCED),
        ([UNCHANGED], Token.SYNCED),
        ([UNCHANGED, UNCHANGED], Token.SYNCED),
        ([EMPTY], Token.EMPTY),
        ([EMPTY, UNCHANGED], Token.SYNCED),
        ([EMPTY, FAILED], Token.FAILED),
        ([FULL, NOT_READY], Token.NOT_READY),
        ([NOT_READY, FAILED], Token.FAILED),
        ([BLOCKED, FULL], Token.SYNCED),
        ([BLOCKED, EMPTY], Token.EMPTY),
        ([BLOCKED, FAILED], Token.FAILED),
        ([BLOCKED, BLOCKED], Token.BLOCKED),
        ([SKIPPED, BLOCKED], Token.SKIPPED),
        ([SKIPPED, FULL], Token.SYNCED),
        ([], Token.BLOCKED),
    ],
)
def test_the_first_word_of_the_order_counts(hows: list[PartResult | Verdict], token: Token) -> None:
    for ends in (hows, hows[::-1]):
        assert sum_up([end(how) for how in ends]).outcome.token is token


def test_optional_parts_do_not_decide() -> None:
    ending = sum_up([end(FULL, "one"), end(FAILED, "two", optional=True)])

    assert ending.outcome.token is Token.SYNCED
    assert ending.reaction is None
    assert ending.outcome.reason == "two: 502"


def test_without_other_parts_the_optional_ones_decide() -> None:
    assert sum_up([end(FAILED, optional=True)]).outcome.token is Token.FAILED


def test_figures_add_up() -> None:
    ending = sum_up(
        [
            end(PartResult(rows=2, fresh_until=NOW + timedelta(hours=2), left=4)),
            end(PartResult(rows=1, fresh_until=NOW + timedelta(hours=1), left=1)),
            end(FAILED),
        ]
    )

    assert ending.outcome.rows_touched == 3
    assert ending.changed
    assert ending.outcome.to_fetch == 5
    assert ending.fresh_until == NOW + timedelta(hours=1)


def test_what_is_due_is_named_once_and_bounded() -> None:
    keys = tuple(JobKey(f"kind.{n}", GLOBAL) for n in range(MAX_DUE + 5))

    ending = sum_up([end(PartResult(due=keys)), end(PartResult(due=keys[:3]))])

    assert ending.due == keys[:MAX_DUE]


def test_the_reason_begins_with_what_decided() -> None:
    ending = sum_up(
        [end(PartResult(note="fine"), "one"), end(FAILED, "two")],
        [PartBlock("three", "missing scope x")],
    )

    assert ending.outcome.reason == "two: 502; one: fine; three: missing scope x"


def test_a_sentence_that_several_parts_end_with_is_said_once() -> None:
    def spent(seconds: int) -> Verdict:
        reaction = reactions.PauseBucket("char", NOW, seconds)
        return Verdict(Token.FAILED, f"limit char is spent; {seconds} s", reaction)

    ending = sum_up(
        [end(spent(9), "one"), end(spent(8), "two"), end(FAILED, "three"), end(FAILED, "four")],
        [PartBlock("five", "missing scope x"), PartBlock("six", "missing scope x")],
    )

    assert ending.outcome.reason == (
        "one, two: limit char is spent; 9 s; three, four: 502; five, six: missing scope x"
    )


def test_the_reaction_is_of_what_ended_the_job() -> None:
    stop = Verdict(Token.FAILED, "420", reactions.PauseAll(NOW, 5), ends_job=True)

    ending = sum_up([end(FAILED), end(stop)])

    assert ending.reaction == reactions.PauseAll(NOW, 5)


GONE = Verdict(Token.FAILED, "404", reactions.NotThere())


@pytest.mark.parametrize(
    ("others", "whole"),
    [([], True), ([GONE], True), ([EMPTY], True), ([UNCHANGED], False), ([FAILED], False)],
)
def test_what_is_not_there_may_be_all_that_a_job_asks_for(
    others: list[PartResult | Verdict], whole: bool
) -> None:
    """A part that is optional, and there, does not count."""
    ends = [end(how) for how in (GONE, *others)]
    assert sum_up([*ends, end(FULL, optional=True)]).reaction == reactions.NotThere(whole)


def test_rows_left_out_are_counted_over_all_parts() -> None:
    parts = [end(PartResult(skipped=2), "one"), end(PartResult(skipped=1), "two", optional=True)]

    outcome = sum_up(parts).outcome

    assert (outcome.token, outcome.rows_skipped) == (Token.SYNCED, 3)
    assert outcome.reason == "one: 2 rows could not be read; two: 1 row could not be read"
