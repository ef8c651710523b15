"""What each error means for its job."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ipc import outcome as reactions
from ipc.outcome import Token
from jobs import errors
from jobs.reasons import CutOff, Flagged, one_line, verdict_of
from jobs.store.errors import BadRow, StoreCorrupt, StoreUnavailable

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("error", "token", "reaction", "ends_job"),
    [
        (errors.PauseAll(NOW, 9), Token.FAILED, reactions.PauseAll(NOW, 9), True),
        (errors.PauseBucket("b", NOW, 9), Token.FAILED, reactions.PauseBucket("b", NOW, 9), False),
        (errors.Transient("x", NOW), Token.FAILED, reactions.Transient(NOW), False),
        (errors.TokenRejected(1, 2), Token.FAILED, reactions.TokenRejected(1, 2), True),
        (errors.NeedsLogin("x", 1, 2), Token.FAILED, reactions.NeedsLogin(1, 2), True),
        (errors.MissingScope("esi-x", 1), Token.BLOCKED, None, False),
        (errors.MissingRole("Director", 1), Token.BLOCKED, None, False),
        (errors.NotReady("x"), Token.NOT_READY, reactions.NotReadyYet(), False),
        (errors.Gone("x"), Token.FAILED, reactions.NotThere(), False),
        (errors.BadAnswer("x"), Token.FAILED, reactions.BadAnswer(), False),
        (errors.SubjectGone("x"), Token.SKIPPED, None, True),
        (errors.Fenced(3), Token.FAILED, reactions.Cancelled(stopping=True), True),
        (Flagged("x"), Token.SKIPPED, None, False),
        (CutOff("deadline"), Token.FAILED, reactions.Cancelled(), True),
        (CutOff("stopping"), Token.FAILED, reactions.Cancelled(stopping=True), True),
        (CutOff("withdrawn"), Token.SKIPPED, None, True),
        (StoreUnavailable("disk full"), Token.FAILED, reactions.Transient(), True),
        (StoreCorrupt("x"), Token.FAILED, reactions.Transient(), True),
        (BadRow("t", "c", "x"), Token.FAILED, reactions.BadAnswer(), False),
    ],
)
def test_every_error_has_a_verdict(
    error: Exception, token: Token, reaction: Any, ends_job: bool
) -> None:
    verdict = verdict_of(error)

    assert (verdict.token, verdict.reaction, verdict.ends_job) == (token, reaction, ends_job)
    assert verdict.reason


@pytest.mark.parametrize("error", [KeyError("x"), SystemExit(3), KeyboardInterrupt()])
def test_what_nobody_foresaw_is_a_bug(error: BaseException) -> None:
    verdict = verdict_of(error)

    assert isinstance(verdict.reaction, reactions.Bug)
    assert type(error).__name__ in verdict.reason


def test_a_reason_is_one_line_of_bounded_length() -> None:
    text = one_line("a\n  b\t" + "c" * 1000)

    assert text.startswith("a b c")
    assert len(text) == 400


ODD = "a\0b \x1b[31m \udcff"


@pytest.mark.parametrize(
    "error",
    [
        errors.PauseBucket(ODD, NOW, 9),
        errors.Transient(ODD),
        errors.NeedsLogin(ODD),
        errors.MissingScope(ODD, 1),
        errors.MissingRole(ODD, 1),
        errors.NotReady(ODD),
        errors.Gone(ODD),
        errors.BadAnswer(ODD),
        errors.SubjectGone(ODD),
        Flagged(ODD),
        StoreUnavailable(ODD),
        BadRow("t", "c", ODD),
        ValueError(ODD),
    ],
)
def test_a_reason_can_be_stored_and_sent_whatever_it_quotes(error: Exception) -> None:
    verdict = verdict_of(error)

    assert "ab [31m \N{REPLACEMENT CHARACTER}" in verdict.reason
    assert verdict.reason.encode().decode().isprintable()
