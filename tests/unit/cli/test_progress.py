from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from cli.progress import LOOKS_TO_BE_GONE, Progress
from ipc.control_messages import Missed
from ipc.events import BackingOff, Event, Failed, Finished, Started
from ipc.outcome import Outcome, Token
from ipc.scheduler_messages import JobState
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType

AT = datetime(2026, 6, 9, 12, tzinfo=UTC)
ONE, TWO = (JobKey(f"global.kind{n}", GLOBAL) for n in (1, 2))
BEFORE = (JobState(ONE, last_attempt_at=AT), JobState(TWO))


def finished(key: JobKey, token: Token) -> Event:
    return Finished(AT, key, Outcome(token, 0, "a reason"), 0.1)


def test_events_end_jobs() -> None:
    progress = Progress(BEFORE)
    assert progress.waiting == {ONE, TWO}
    assert not progress.take_event(Started(AT, ONE, 1, 1))
    assert not progress.take_event(Missed(3))
    assert not progress.take_event(finished(JobKey("global.other", GLOBAL), Token.SYNCED))
    assert progress.take_event(finished(ONE, Token.BLOCKED))
    assert progress.waiting == {TWO}
    assert progress.take_event(Failed(AT, TWO, "no answer", 1))
    assert progress.bad == {TWO: "no answer"}


def test_another_run_of_a_job_is_not_told() -> None:
    progress = Progress(BEFORE)
    later = JobState(ONE, Outcome(Token.SYNCED), last_attempt_at=AT + timedelta(seconds=1))
    progress.take_status((later, BEFORE[1]))
    assert progress.waiting == {TWO}
    # The state was faster than the event.
    assert progress.take_event(finished(ONE, Token.SYNCED))
    assert not progress.take_event(BackingOff(AT, ONE, 60))
    assert not progress.take_event(Failed(AT, ONE, "no answer", 1))
    assert (progress.bad, progress.held) == ({}, {})


def test_a_limit_of_esi_is_a_wait_and_no_failure() -> None:
    progress = Progress(BEFORE)
    assert not progress.take_event(BackingOff(AT, JobKey("global.other", GLOBAL), 60))
    assert progress.take_event(BackingOff(AT, ONE, 60))
    until = AT + timedelta(seconds=60)
    assert (progress.held, progress.bad, progress.ended) == ({ONE: until}, {}, {})
    assert progress.waiting == {TWO}
    later = AT + timedelta(seconds=1)
    spent = JobState(
        TWO, Outcome(Token.FAILED, 0, "spent"), last_attempt_at=later, next_run_at=until
    )
    progress.take_status((BEFORE[0], spent))
    assert progress.held == {ONE: until, TWO: until}
    # It came to its end while others were waited for.
    progress.take_event(finished(ONE, Token.SYNCED))
    assert (progress.held, progress.ended) == ({TWO: until}, {ONE: ""})


def test_the_state_ends_what_an_event_did_not() -> None:
    progress = Progress(BEFORE)
    later = AT + timedelta(seconds=1)
    running = JobState(TWO, last_attempt_at=later, in_flight=True)
    progress.take_status((*BEFORE[:1], running))
    assert progress.waiting == {ONE, TWO}
    failed = Outcome(Token.FAILED, 0, "no answer")
    progress.take_status(
        (
            JobState(ONE, Outcome(Token.SYNCED), last_attempt_at=later),
            msgspec.structs.replace(running, in_flight=False, outcome=failed, failures=1),
        )
    )
    assert not progress.waiting
    assert progress.bad == {TWO: "no answer"}


def test_a_job_that_is_gone_has_ended() -> None:
    progress = Progress(BEFORE)
    # A scheduler that has just started may know it a moment later.
    for _ in range(LOOKS_TO_BE_GONE - 1):
        progress.take_status(BEFORE[:1])
    progress.take_status(BEFORE)
    for _ in range(LOOKS_TO_BE_GONE - 1):
        progress.take_status(BEFORE[:1])
    assert progress.waiting == {ONE, TWO}
    progress.take_status(BEFORE[:1])
    assert progress.bad == {TWO: "no longer scheduled"}


def test_what_waits_for_a_profile_that_fails_is_not_waited_for() -> None:
    pilot = Subject(SubjectType.CHARACTER, 90000001)
    profile, wallet = (JobKey(f"character.{noun}", pilot) for noun in ("profile", "wallet"))
    progress = Progress([JobState(profile), JobState(wallet)])
    later = AT + timedelta(seconds=1)
    running = JobState(profile, in_flight=True)
    progress.take_status([running, JobState(wallet)])
    assert progress.waiting == {profile, wallet}
    failed = JobState(
        profile,
        Outcome(Token.FAILED, 0, "no answer"),
        last_attempt_at=later,
        next_run_at=later,
        failures=1,
    )
    progress.take_status([failed, JobState(wallet)])
    assert progress.bad == {
        profile: "no answer",
        wallet: "waits for the profile of its subject, which fails",
    }
