from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cli.client import ConnectionLost, ControlClient, daemon_answers
from cli.errors import DaemonRefused, DaemonSilent, NoDaemon, NotYet
from ipc.commands import Restart, RunNow, Stop
from ipc.control_messages import FromClient, GetStatus, Hello, HelloBack, Missed, Refused, Request
from ipc.events import Heartbeat
from ipc.scheduler_messages import Events, JobState
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from tests.unit.cli.fake_supervisor import WELL, FakeSupervisor

AT = datetime(2026, 6, 9, 12, tzinfo=UTC)
PILOT = Subject(SubjectType.CHARACTER, 90000001)


def jobs(number: int, subject: Subject = PILOT) -> tuple[JobState, ...]:
    return tuple(JobState(JobKey(f"character.kind{n}", subject)) for n in range(number))


def test_status_without_jobs_is_one_answer(daemon: FakeSupervisor) -> None:
    with ControlClient(daemon.path) as client:
        state, found = client.status()
    assert state.epoch == WELL.epoch
    assert found is None


def test_pages_of_jobs_are_put_together(daemon: FakeSupervisor) -> None:
    daemon.jobs = jobs(5)
    with ControlClient(daemon.path) as client:
        _, found = client.status(jobs=True)
    assert found == list(daemon.jobs)


def test_a_subject_is_passed_on(daemon: FakeSupervisor) -> None:
    daemon.jobs = (*jobs(3), *jobs(1, GLOBAL))
    with ControlClient(daemon.path) as client:
        _, found = client.status(jobs=True, subject=GLOBAL)
    assert found == list(jobs(1, GLOBAL))


def test_no_pages_are_waited_for_while_no_scheduler_runs(daemon: FakeSupervisor) -> None:
    daemon.state = msgspec.structs.replace(WELL, scheduler_state="parked")
    daemon.jobs = ()
    with ControlClient(daemon.path) as client:
        state, found = client.status(jobs=True)
    assert state.scheduler_state == "parked"
    assert found is None


def test_nobody_listens(data_dir: Path) -> None:
    with pytest.raises(NoDaemon):
        ControlClient(data_dir / "control.sock")


def test_a_stale_socket_is_no_daemon(data_dir: Path) -> None:
    path = data_dir / "control.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    with pytest.raises(NoDaemon):
        ControlClient(path)
    assert not daemon_answers(path)


def test_a_path_too_long_for_a_socket_is_explained(data_dir: Path) -> None:
    with pytest.raises(NoDaemon, match="too long"):
        ControlClient(data_dir / ("x" * 120))


def test_a_daemon_that_takes_no_word_is_silent(daemon: FakeSupervisor) -> None:
    daemon.hello = []
    with pytest.raises(DaemonSilent):
        ControlClient(daemon.path, wait_s=0.05)


def test_another_protocol_is_refused(daemon: FakeSupervisor) -> None:
    daemon.hello = [HelloBack(999, "9.0.0", 1)]
    with pytest.raises(DaemonRefused, match=r"9\.0\.0"):
        ControlClient(daemon.path)


def test_a_refusal_carries_its_reason(daemon: FakeSupervisor) -> None:
    daemon.hello = [Refused("not your daemon")]
    with pytest.raises(DaemonRefused, match="not your daemon"):
        ControlClient(daemon.path)


def test_garbage_is_refused(daemon: FakeSupervisor) -> None:
    daemon.hello = [Request("1", Restart())]
    with pytest.raises(DaemonRefused):
        ControlClient(daemon.path)


def test_a_command_is_answered(daemon: FakeSupervisor) -> None:
    daemon.reply_status = "kept"
    with ControlClient(daemon.path) as client:
        reply = client.request(RunNow(PILOT), command_id="mine")
    assert (reply.command_id, reply.status) == ("mine", "kept")
    assert daemon.received[-1] == Request("mine", RunNow(PILOT))


def test_a_command_that_takes_long_is_not_one_that_nobody_took(daemon: FakeSupervisor) -> None:
    answer = daemon.answer
    daemon.answer = lambda message: [] if isinstance(message, Request) else answer(message)  # type: ignore[method-assign]
    with ControlClient(daemon.path) as client, pytest.raises(NotYet) as raised:
        client.request(RunNow(PILOT), wait_s=0.05)
    assert raised.value.exit_code == 75
    assert "took the command and did not carry it out within 0.05 s" in raised.value.message


def test_a_daemon_that_says_nothing_more_is_silent(
    daemon: FakeSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.client._ALIVE_WAIT_S", 0.05)
    answer = daemon.answer
    daemon.answer = lambda message: answer(message) if isinstance(message, Hello) else []  # type: ignore[method-assign]
    with ControlClient(daemon.path) as client, pytest.raises(DaemonSilent):
        client.request(RunNow(PILOT), wait_s=0.05)


@pytest.mark.parametrize("status", ["refused", "full"])
def test_a_command_that_is_not_taken_raises(daemon: FakeSupervisor, status: str) -> None:
    daemon.reply_status = status
    with ControlClient(daemon.path) as client, pytest.raises(DaemonRefused):
        client.request(Restart())


def test_events_and_gaps_keep_their_order_among_answers(daemon: FakeSupervisor) -> None:
    beats = tuple(Heartbeat(AT, n, 0, 0) for n in range(3))
    daemon.on_request = lambda _: [Events(beats[:2]), Missed(4), Events(beats[2:])]
    with ControlClient(daemon.path) as client:
        client.request(Restart())
        seen: list[object] = []
        while len(seen) < 4:
            seen += client.events(5.0)
    assert seen == [beats[0], beats[1], Missed(4), beats[2]]


def test_no_event_in_time_is_no_event(daemon: FakeSupervisor) -> None:
    with ControlClient(daemon.path) as client:
        assert list(client.events(0.0)) == []


def hang_up(message: FromClient) -> list[msgspec.Struct] | None:
    return None


def test_the_end_of_the_daemon_is_seen(daemon: FakeSupervisor) -> None:
    with ControlClient(daemon.path) as client:
        daemon.answer = hang_up  # type: ignore[method-assign]
        with pytest.raises(ConnectionLost):
            client.request(Stop())


def test_wait_closed_sees_the_end(daemon: FakeSupervisor) -> None:
    with ControlClient(daemon.path) as client:
        assert not client.wait_closed(0.01)
        daemon.__exit__()
        assert client.wait_closed(5.0)


def test_a_late_answer_to_an_earlier_question_is_not_taken(daemon: FakeSupervisor) -> None:
    late = msgspec.structs.replace(WELL, request_id=77)
    answer = daemon.answer
    daemon.answer = lambda message: [  # type: ignore[method-assign]
        *([late] if isinstance(message, GetStatus) else []),
        *(answer(message) or []),
    ]
    with ControlClient(daemon.path) as client:
        state, _ = client.status()
    assert state.request_id == 1


def test_no_descriptor_is_left_after_a_failed_handshake(daemon: FakeSupervisor) -> None:
    daemon.hello = [Refused("no")]
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with pytest.raises(DaemonRefused):
            ControlClient(daemon.path)
    # The fake keeps its own ends.
    assert len(os.listdir("/proc/self/fd")) - before <= 5
