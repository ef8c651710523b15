"""A set of few rows in the place of many rows is believed at the second word only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs.drops import LARGE_ROWS, STANDS_FOR, Drop, judge_drop
from jobs.esi.client import EsiAnswer

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def answer(modified: str | None) -> EsiAnswer:
    return EsiAnswer(b"[]", False, None, modified, "1", NOW)


@pytest.mark.parametrize("rows", [0, 1, LARGE_ROWS])
def test_few_rows_may_go(rows: int) -> None:
    assert judge_drop(None, answer("noon"), rows, 0, NOW) == Drop()


def test_many_rows_are_kept_at_first() -> None:
    drop = judge_drop(None, answer("noon"), 51, 0, NOW)

    assert drop.held
    assert "of 51 rows 0 are left" in drop.note


def test_a_newer_answer_confirms() -> None:
    first = judge_drop(None, answer("noon"), 51, 0, NOW)

    assert not judge_drop(first.mark, answer("one"), 51, 0, NOW + timedelta(seconds=1)).held


def test_the_same_answer_does_not_before_a_while() -> None:
    first = judge_drop(None, answer(None), 51, 0, NOW)
    again = judge_drop(first.mark, answer(None), 51, 0, NOW + timedelta(minutes=5))

    assert again.held
    assert again.mark == first.mark
    assert not judge_drop(again.mark, answer(None), 51, 0, NOW + STANDS_FOR).held


def test_the_cursor_of_a_history_is_no_mark() -> None:
    assert judge_drop("12345", answer("noon"), 51, 0, NOW).held


@pytest.mark.parametrize(
    ("stored", "new", "held"),
    [
        (1000, 3, True),
        (1000, 499, True),
        # Half of a hangar may well be moved at once.
        (1000, 500, False),
        (55, 5, False),
        (60, 5, True),
        (60, 600, False),
    ],
)
def test_most_rows_are_doubted_like_all(stored: int, new: int, held: bool) -> None:
    assert judge_drop(None, answer("noon"), stored, new, NOW).held is held


def test_an_older_copy_confirms_nothing() -> None:
    later, earlier = "Mon, 30 Nov 2026 12:00:00 GMT", "Mon, 30 Nov 2026 11:00:00 GMT"
    first = judge_drop(None, answer(later), 51, 0, NOW)
    again = judge_drop(first.mark, answer(earlier), 51, 0, NOW + timedelta(minutes=1))
    assert again.held
    assert not judge_drop(again.mark, answer("Mon, 30 Nov 2026 12:00:01 GMT"), 51, 0, NOW).held


def test_while_esi_is_in_doubt_few_rows_are_doubted_too_and_nothing_confirms() -> None:
    assert not judge_drop(None, answer("noon"), 3, 0, NOW).held
    first = judge_drop(None, answer("noon"), 3, 0, NOW, in_doubt=True)
    assert first.held
    later = NOW + STANDS_FOR
    second = judge_drop(first.mark, answer("one"), 3, 0, later, in_doubt=True)
    assert second.held
    # ESI is well again: what it said in the doubt is asked for once more.
    assert judge_drop(first.mark, answer("noon"), 3, 0, NOW).held
    assert not judge_drop(first.mark, answer("one"), 3, 0, NOW).held


def test_a_doubt_of_a_clock_that_was_ahead_begins_now() -> None:
    ahead = judge_drop(None, answer(None), 51, 0, NOW + timedelta(days=5000))
    again = judge_drop(ahead.mark, answer(None), 51, 0, NOW)

    assert again.held
    assert not judge_drop(again.mark, answer(None), 51, 0, NOW + STANDS_FOR).held
