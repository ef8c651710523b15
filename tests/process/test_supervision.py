"""The real supervisor over a fake scheduler: death, hang, breaker, restart, stop."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from collections.abc import Iterator

import msgspec
import pytest

from ipc.commands import Restart, Stop
from ipc.control_messages import Reply, Request
from tests.process.daemon import FAST, Daemon, fresh_daemon
from tests.processes import children_of, eventually, is_alive, open_files

pytestmark = pytest.mark.process


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with fresh_daemon() as daemon:
        yield daemon


def test_boots_reports_and_stops(daemon: Daemon) -> None:
    daemon.start()
    state = daemon.state("running")
    assert (state.generation, state.restarts, state.trouble) == (1, 0, "")
    assert is_alive(state.scheduler_pid)
    assert state.supervisor_pid == daemon.pid
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    assert daemon.seen("stop") == ["stop 2"]
    daemon.nothing_left()
    assert not daemon.settings.socket_path.exists()


def test_killed_scheduler_comes_back_after_a_backoff(daemon: Daemon) -> None:
    daemon.start()
    first = daemon.state("running")
    killed_s = time.monotonic()
    os.kill(first.scheduler_pid, signal.SIGKILL)
    waiting = daemon.state("backoff")
    assert "killed by signal 9" in waiting.trouble
    assert waiting.next_start_s is not None
    assert waiting.next_start_s <= 1.0
    second = daemon.state("running", 2)
    assert time.monotonic() - killed_s >= 1.0
    assert second.supervisor_pid == first.supervisor_pid
    assert (second.restarts, second.trouble) == (1, "")


def test_leaving_with_success_unasked_is_a_death(daemon: Daemon) -> None:
    daemon.behave("leave=0.1")
    daemon.start()
    assert "exit code 0" in daemon.state("backoff").trouble


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("spin", "hung: no heartbeat for 1 s"),
        ("garbage", "broke the protocol"),
        ("never_ready", "not ready within 0.8 s"),
    ],
)
def test_scheduler_that_lives_but_does_not_work_is_ended(
    daemon: Daemon, behaviour: str, reason: str
) -> None:
    daemon.configure(timings=msgspec.structs.replace(FAST, boot_deadline_s=0.8))
    daemon.behave(behaviour)
    daemon.start()
    assert reason in daemon.state("backoff").trouble
    assert "Current thread" in daemon.log() or behaviour == "garbage"


def test_stopped_scheduler_is_replaced(daemon: Daemon) -> None:
    daemon.start()
    state = daemon.state("running")
    os.kill(state.scheduler_pid, signal.SIGSTOP)
    assert "hung" in daemon.state("backoff").trouble
    assert not is_alive(state.scheduler_pid)
    daemon.state("running", 2)


def test_breaker_parks_and_a_person_revives(daemon: Daemon) -> None:
    daemon.behave("exit=1")
    daemon.start()
    client = daemon.client()
    # Each death but the last is followed by a delay; a person cuts them short one by one in
    # no test but this: here the clock is real, so the delays of 1, 2, 4 and 8 s are waited for.
    eventually("parked", lambda: client.status().scheduler_state == "parked", within_s=45)
    parked = client.status()
    assert parked.trouble.startswith("gave up after 5 deaths in a row")
    assert re.findall(r"next start in (\d+) s", daemon.log()) == ["1", "2", "4", "8"]
    times = [float(line.split()[3]) for line in daemon.seen("begin")]
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert all(gap >= delay for gap, delay in zip(gaps, (1, 2, 4, 8), strict=True))
    daemon.behave("")
    reply = client.ask(Restart())
    assert (reply.status, reply.text) == ("done", "generation 6 starts")
    assert daemon.state("running", 6).trouble == ""


def test_parked_tries_again_by_itself(daemon: Daemon) -> None:
    daemon.configure(timings=msgspec.structs.replace(FAST, parked_retry_s=0.5))
    daemon.behave("")
    daemon.start()
    first = daemon.state("running")
    daemon.behave("refuse_boot=78")
    os.kill(first.scheduler_pid, signal.SIGKILL)
    state = daemon.state("parked")
    assert state.trouble == "scheduler: the planted reason"
    daemon.behave("")
    daemon.state("running")


def test_gives_up_with_its_own_exit_code(daemon: Daemon) -> None:
    daemon.start("--exit-on-give-up")
    running = daemon.state("running")
    daemon.behave("refuse_boot=83")
    os.kill(running.scheduler_pid, signal.SIGKILL)
    assert daemon.wait() == 75
    assert "the planted reason" in daemon.log()


@pytest.mark.parametrize("code", [73, 77, 78])
def test_first_boot_that_is_refused_ends_the_daemon(daemon: Daemon, code: int) -> None:
    daemon.behave(f"refuse_boot={code}")
    daemon.start()
    assert daemon.wait() == code
    assert daemon.log().splitlines()[-1] == "esisyncd: scheduler: the planted reason"


def test_another_protocol_is_no_crash_loop(daemon: Daemon) -> None:
    daemon.behave("skew")
    daemon.start()
    assert "restart the daemon" in daemon.state("backoff").trouble


def test_restart_of_a_live_engine_is_now_and_once(daemon: Daemon) -> None:
    daemon.start()
    first = daemon.state("running")
    clients = [daemon.client() for _ in range(10)]
    # All of them find the same moment.
    daemon.signal(signal.SIGSTOP)
    for number, client in enumerate(clients):
        client.send(Request(f"r{number}", Restart()))
    asked_s = time.monotonic()
    daemon.signal(signal.SIGCONT)
    replies = [client.until(Reply) for client in clients]
    assert {(reply.status, reply.text) for reply in replies} == {("done", "generation 2 starts")}
    second = daemon.state("running", 2)
    assert time.monotonic() - asked_s < 2.0
    assert not is_alive(first.scheduler_pid)
    # Nothing is banked: the next death backs off as ever.
    os.kill(second.scheduler_pid, signal.SIGKILL)
    assert daemon.state("backoff").generation == 2


def test_usr1_ends_a_backoff(daemon: Daemon) -> None:
    daemon.behave("exit=1")
    daemon.start()
    eventually("third delay", lambda: len(daemon.seen("begin")) == 3)
    daemon.state("backoff", 3)
    daemon.behave("")
    daemon.signal(signal.SIGUSR1)
    asked_s = time.monotonic()
    daemon.state("running", 4)
    assert time.monotonic() - asked_s < 2.0


@pytest.mark.parametrize("where", ["starting", "running", "backoff", "parked"])
def test_term_in_every_state(daemon: Daemon, where: str) -> None:
    if where == "parked":
        daemon.start()
        running = daemon.state("running")
        daemon.behave("refuse_boot=78")
        os.kill(running.scheduler_pid, signal.SIGKILL)
    else:
        daemon.behave({"starting": "never_ready", "running": "", "backoff": "exit=1"}[where])
        daemon.start()
    generation = daemon.state(where).generation
    daemon.signal(signal.SIGTERM)
    asked_s = time.monotonic()
    assert daemon.wait() == 0
    # On an idle machine 0.1 s; a grace that was waited for would be 2.5 s.
    assert time.monotonic() - asked_s < 2.0
    daemon.nothing_left()
    # Nothing was started after that; one that was just starting need not have begun.
    assert len(daemon.seen("begin")) <= generation


def test_term_from_the_first_moment_on(daemon: Daemon) -> None:
    for delay_s in (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3):
        daemon.start()
        time.sleep(delay_s)
        for number in (signal.SIGUSR2, signal.SIGTERM):
            daemon.signal(number)
        # Before Python has reached our first statement, the default action applies.
        assert daemon.wait() in (0, -signal.SIGTERM, -signal.SIGUSR2)
        daemon.nothing_left()


def test_blocked_from_exec_on_no_signal_kills(daemon: Daemon) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
    try:
        daemon.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    for _ in range(100):
        daemon.signal(signal.SIGUSR1)
    daemon.state("running")
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0


def test_signals_up_to_the_last_moment_do_not_change_the_exit_code(daemon: Daemon) -> None:
    for _ in range(3):
        daemon.start()
        daemon.state("running")
        while daemon.process.poll() is None:
            for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
                daemon.signal(number)
            time.sleep(0.0005)
        assert daemon.wait() == 0


def test_slow_jobs_get_their_grace_and_a_second_term_ends_it(daemon: Daemon) -> None:
    daemon.behave("slow=1.5")
    daemon.start()
    daemon.state("running")
    daemon.signal(signal.SIGTERM)
    asked_s = time.monotonic()
    assert daemon.wait() == 0
    assert time.monotonic() - asked_s > 1.4
    daemon.configure(
        timings=msgspec.structs.replace(FAST, scheduler_grace_s=30.0, supervisor_grace_s=31.0)
    )
    daemon.behave("slow=30")
    daemon.start()
    daemon.state("running")
    daemon.signal(signal.SIGTERM)
    eventually("stop was sent", lambda: len(daemon.seen("stop")) == 2)
    daemon.signal(signal.SIGTERM)
    asked_s = time.monotonic()
    assert daemon.wait() == 0
    assert time.monotonic() - asked_s < 5.0
    daemon.nothing_left()


def test_stubborn_scheduler_is_killed_after_the_grace(daemon: Daemon) -> None:
    daemon.behave("stubborn")
    daemon.start()
    daemon.state("running")
    client = daemon.client()
    assert client.ask(Stop()).status == "done"
    assert daemon.wait(6.0) == 0
    daemon.nothing_left()


def test_killed_supervisor_leaves_nothing_and_blocks_nothing(daemon: Daemon) -> None:
    daemon.behave("grandchild")
    daemon.start()
    daemon.state("running")
    grandchild = int(daemon.seen("grandchild")[0].split()[1])
    daemon.signal(signal.SIGKILL)
    daemon.wait()
    eventually("scheduler gone", lambda: set(daemon.processes()) <= {grandchild}, 2.0)
    os.kill(grandchild, signal.SIGKILL)
    assert daemon.settings.socket_path.exists()
    daemon.behave("")
    daemon.start()
    assert daemon.state("running").generation == 1


def test_forkserver_of_a_killed_daemon_leaves_no_file(daemon: Daemon) -> None:
    daemon.behave("forkserver")
    temporary = daemon.folder / "t"
    temporary.mkdir()
    for _ in range(2):
        daemon.start(TMPDIR=str(temporary))
        daemon.state("running")
        assert len(list((daemon.folder / "run").iterdir())) == 1
        daemon.signal(signal.SIGKILL)
        daemon.wait()
        daemon.nothing_left()
    assert list(temporary.iterdir()) == []


def test_orphans_of_a_dead_scheduler_are_ended(daemon: Daemon) -> None:
    daemon.behave("grandchild")
    daemon.start()
    state = daemon.state("running")
    grandchild = int(daemon.seen("grandchild")[0].split()[1])
    daemon.behave("")
    os.kill(state.scheduler_pid, signal.SIGKILL)
    eventually("orphan gone", lambda: not is_alive(grandchild), 2.0)
    daemon.state("running", 2)


@pytest.mark.timeout(180)
def test_descriptors_and_zombies_do_not_grow(daemon: Daemon) -> None:
    daemon.start()
    counts = []
    client = daemon.client()
    for generation in range(1, 101):
        daemon.state("running", generation)
        for used in daemon.clients[1:]:
            used.close()
        counts.append(len(open_files(daemon.pid)))
        assert client.ask(Restart()).status == "done"
    assert max(counts[5:]) <= max(counts[:5])
    eventually("no zombies", lambda: len(children_of(daemon.pid)) <= 2)


def test_stopped_supervisor_forgives_its_own_absence(daemon: Daemon) -> None:
    daemon.start()
    state = daemon.state("running")
    daemon.signal(signal.SIGSTOP)
    os.kill(state.scheduler_pid, signal.SIGSTOP)
    time.sleep(1.6)
    os.kill(state.scheduler_pid, signal.SIGCONT)
    daemon.signal(signal.SIGCONT)
    eventually("stall noticed", lambda: "stood still" in daemon.log())
    assert daemon.state("running").scheduler_pid == state.scheduler_pid
