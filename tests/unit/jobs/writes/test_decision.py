"""What becomes of an outbox row after an attempt, as tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from ipc import outcome as reactions
from ipc.subject import Subject, SubjectType
from jobs import errors
from jobs.esi.reactions import GameRefused, ServerTrouble
from jobs.esi.transport import AnswerLost, NotSent
from jobs.reasons import Flagged
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status
from jobs.writes.decision import (
    CLOCK_MARGIN,
    FOUND_WITHIN,
    LOOK_AGAIN_S,
    MAX_ATTEMPTS,
    Decision,
    Doubt,
    after_blind_look,
    after_cut,
    after_look,
    age_backoff_s,
    backoff_s,
    decide,
    doubt_of,
    doubt_text,
    is_too_old,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ROW = OutboxRow(
    id=1,
    subject=Subject(SubjectType.CHARACTER, 9),
    kind="mail.send",
    payload="{}",
    dedupe_key="k",
    target="k",
    revision=2,
    status=Status.INFLIGHT,
    attempts=0,
    next_attempt_at=NOW,
    claimed_by_epoch=1,
    claim_expires_at=None,
    expires_at=NOW + timedelta(hours=24),
    last_error=None,
    result=None,
    held_until=None,
    created_at=NOW - timedelta(seconds=10),
    updated_at=NOW,
)


def trouble(*, own: bool) -> ServerTrouble:
    error = ServerTrouble("502")
    error.own = own
    return error


def decided(error: BaseException, row: OutboxRow = ROW, **changes: Any) -> Decision:
    how: dict[str, Any] = {"repeatable": True, "asked_at": NOW}
    return decide(error, row, NOW, 0.5, **(how | changes))


@pytest.mark.parametrize(
    ("error", "attempts"),
    [
        (trouble(own=True), 1),
        (errors.TokenRejected(1, 1), 1),
        (GameRefused("something else"), 1),
        (trouble(own=False), 0),
        (AnswerLost("cut"), 0),
        (NotSent("no route"), 0),
        (errors.Transient("403 in the downtime"), 0),
        (errors.BadAnswer("redirected"), 0),
        (errors.PauseAll(NOW, 5), 0),
        (errors.PauseBucket("b", NOW, 5), 0),
    ],
)
def test_only_answers_of_esi_itself_count(error: Exception, attempts: int) -> None:
    decision = decided(error)

    assert decision.status is Status.PENDING
    assert decision.attempts == attempts


def test_a_token_that_had_run_out_before_does_not_count() -> None:
    assert decided(errors.TokenRejected(1, 1), asked_at=None).attempts == 0


def test_the_eighth_counted_attempt_is_the_last() -> None:
    last = replace(ROW, attempts=MAX_ATTEMPTS - 1)

    assert decided(trouble(own=True), replace(ROW, attempts=6)).status is Status.PENDING
    assert decided(trouble(own=True), last).status is Status.FAILED
    assert decided(AnswerLost("cut"), last).status is Status.PENDING


@pytest.mark.parametrize("error", [AnswerLost("cut"), NotSent("x"), trouble(own=False)])
def test_what_does_not_count_ends_by_age(error: Exception) -> None:
    assert decided(error, replace(ROW, expires_at=NOW)).status is Status.FAILED
    old = replace(ROW, expires_at=None, created_at=NOW - timedelta(hours=24))
    assert decided(error, old).status is Status.FAILED


def test_the_server_names_the_wait() -> None:
    until = NOW + timedelta(seconds=77)

    for error in (errors.PauseAll(until, 77), errors.PauseBucket("b", until, 77)):
        decision = decided(error)
        assert decision.next_attempt_at == until
        assert decision.reaction is not None


@pytest.mark.parametrize(
    "error",
    [errors.RefusedWrite("400"), errors.MissingScope("esi-x", 1), errors.MissingRole("x", 1)],
)
def test_a_refusal_is_for_good(error: Exception) -> None:
    assert decided(error).status is Status.FAILED


@pytest.mark.parametrize("error", [errors.NeedsLogin("x", 1, 2), Flagged("x")])
def test_without_a_credential_a_row_waits(error: Exception) -> None:
    decision = decided(error, asked_at=None)

    assert decision.status is Status.PENDING
    assert decision.next_attempt_at == NOW + timedelta(minutes=5)


def test_counted_waits_double_up_to_a_limit() -> None:
    assert [backoff_s(n) for n in range(1, 10)] == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert backoff_s(10_000) == 300
    assert decided(trouble(own=True)).next_attempt_at == NOW + timedelta(seconds=2.5)


def test_other_waits_grow_with_age() -> None:
    assert [age_backoff_s(age) for age in (0, 1, 10, 100, 10_000)] == [2, 2, 5, 50, 300]
    assert decided(AnswerLost("cut")).next_attempt_at == NOW + timedelta(seconds=5.5)


# --- the game's own reasons --------------------------------------------------------------------


def test_a_cost_that_was_not_approved_ends_the_row_and_is_shown() -> None:
    decision = decided(GameRefused("{'ContactCostNotApproved', (cost 1000)}"))

    assert decision.status is Status.FAILED
    assert "1,000 ISK" in decision.reason


@pytest.mark.parametrize("said", ["ContactCostNotApproved {0}", "remainingTime {0}"])
def test_a_number_without_end_in_a_reason_is_no_trouble(said: str) -> None:
    decision = decided(GameRefused(said.format("9" * 5000)))

    assert decision.status in (Status.FAILED, Status.PENDING)
    assert len(decision.reason) <= 400


def test_an_unreachable_recipient_ends_the_row() -> None:
    assert decided(GameRefused("ContactOwnerUnreachable")).status is Status.FAILED


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("MailStopSpamming: {'remainingTime': 600000000}", 60),
        ("MailStopSpamming, remaining_time: 45", 45),
        ("MailStopSpamming", 60),
        ("remainingTime: 99999999999999", 900),
        ("remainingTime: 12000000", 1),
    ],
)
def test_who_sends_too_much_waits_as_told(said: str, seconds: int) -> None:
    decision = decided(GameRefused(said), repeatable=False)

    assert decision.status is Status.PENDING
    assert decision.attempts == 0
    assert decision.next_attempt_at == NOW + timedelta(seconds=seconds)


# --- what cannot be repeated -------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        AnswerLost("cut"), trouble(own=True), trouble(own=False),
        errors.BadAnswer("redirected"), ValueError("a bug after it was sent"),
    ],
)  # fmt: skip
def test_an_answer_that_leaves_it_open_puts_the_row_in_doubt(error: Exception) -> None:
    asked_at = NOW - timedelta(seconds=20)

    decision = decided(error, repeatable=False, asked_at=asked_at)

    doubt = doubt_of(replace(ROW, result=decision.result))
    assert decision.status is Status.PENDING
    assert doubt == Doubt(2, asked_at - CLOCK_MARGIN, NOW + FOUND_WITHIN)
    assert decision.next_attempt_at == NOW + timedelta(seconds=LOOK_AGAIN_S)


@pytest.mark.parametrize(
    "error",
    [
        NotSent("no route"), errors.PauseAll(NOW, 1), errors.TokenRejected(1, 1),
        errors.RefusedWrite("400"), GameRefused("x"), errors.Transient("403 in the downtime"),
    ],
)  # fmt: skip
def test_an_answer_that_settles_it_leaves_no_doubt(error: Exception) -> None:
    assert doubt_of(replace(ROW, result=decided(error, repeatable=False).result)) is None


def test_what_was_not_sent_is_not_in_doubt() -> None:
    decision = decided(AnswerLost("of another request"), repeatable=False, asked_at=None)

    assert decision.result is None


def test_a_doubt_is_about_one_payload() -> None:
    text = doubt_text(Doubt(2, NOW, NOW))

    assert doubt_of(replace(ROW, result=text)) is not None
    assert doubt_of(replace(ROW, result=text, revision=3)) is None
    assert doubt_of(replace(ROW, result='{"mail_id": 7}')) is None
    assert doubt_of(replace(ROW, result="garbage")) is None


def test_found_is_done() -> None:
    decision = after_look(ROW, Doubt(2, NOW, NOW), NOW, '{"mail_id":7}')

    assert (decision.status, decision.result) == (Status.DONE, '{"mail_id":7}')


def test_not_found_is_looked_for_again_and_then_uncertain() -> None:
    doubt = Doubt(2, NOW, NOW + timedelta(seconds=60))

    early = after_look(ROW, doubt, NOW, None)
    late = after_look(ROW, doubt, NOW + timedelta(seconds=61), None)

    assert early.status is Status.PENDING
    assert doubt_of(replace(ROW, result=early.result)) == doubt
    assert late.status is Status.UNCERTAIN
    assert late.next_attempt_at is None


def test_a_look_that_fails_is_tried_again() -> None:
    doubt = Doubt(2, NOW, NOW - timedelta(hours=1))

    decision = after_blind_look(errors.Transient("502"), ROW, doubt, NOW, 0.0)

    assert decision.status is Status.PENDING
    assert doubt_of(replace(ROW, result=decision.result)) == doubt


def test_a_look_waits_as_the_server_says() -> None:
    until = NOW + timedelta(seconds=77)

    decision = after_blind_look(errors.PauseAll(until, 77), ROW, Doubt(2, NOW, NOW), NOW, 0.0)

    assert decision.next_attempt_at == until
    assert decision.reaction == reactions.PauseAll(until, 77)


def test_without_the_right_to_look_it_stays_uncertain() -> None:
    error = errors.MissingScope("esi-mail.read_mail.v1", 1)

    decision = after_blind_look(error, ROW, Doubt(2, NOW, NOW), NOW, 0.0)

    assert decision.status is Status.UNCERTAIN


def test_a_look_that_never_succeeds_ends_uncertain_and_is_never_sent() -> None:
    old = replace(ROW, expires_at=NOW)

    decision = after_blind_look(errors.Transient("502"), old, Doubt(2, NOW, NOW), NOW, 0.0)

    assert decision.status is Status.UNCERTAIN


FIRST_DAY = datetime(1, 1, 1, tzinfo=UTC)
LAST_DAY = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize("created_at", [FIRST_DAY, LAST_DAY])
def test_a_row_from_the_end_of_the_calendar_gets_its_verdict(created_at: datetime) -> None:
    row = replace(ROW, created_at=created_at, expires_at=None)

    assert is_too_old(row, NOW) is (created_at == FIRST_DAY)
    assert decided(trouble(own=True), row).attempts == 1


def test_a_write_cut_off_that_was_due_on_the_first_day_of_the_calendar_is_in_doubt() -> None:
    decision = after_cut(ROW, NOW, "killed", repeatable=False, asked_at=FIRST_DAY)

    doubt = doubt_of(replace(ROW, result=decision.result))
    assert doubt is not None
    assert doubt.since == FIRST_DAY


def test_attempts_beyond_all_count_as_the_most_there_are() -> None:
    row = replace(ROW, attempts=2**31 - 1)

    decision = decided(trouble(own=True), row)

    assert (decision.status, decision.attempts) == (Status.FAILED, MAX_ATTEMPTS + 1)
