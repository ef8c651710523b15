"""The real supervisor over a fake scheduler: death, hang, breaker, restart, stop."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from collections.abc import Iterator

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
    assert daemon.seen("stop") == [f"stop {FAST.scheduler_grace_s:g}"]
    daemon.nothing_left()
    assert not daemon.settings.socket_path.exists()


def test_killed_scheduler_comes_back_after_a_backoff(daemon: Daemon) -> None:
    daemon.start()
    first = daemon.state("running")
    killed_s = time.monotonic()
    os.kill(first.scheduler_pid, signal.SIGKILL)
    second = daemon.state("running", 2)
    assert time.monotonic() - killed_s >= 1.0
    assert second.supervisor_pid == first.supervisor_pid
    assert (second.restarts, second.trouble) == (1, "")
    daemon.logs("killed by signal 9", "next start in 1 s")


def test_leaving_with_success_unasked_is_a_death(daemon: Daemon) -> None:
    daemon.behave("leave=0.1")
    daemon.start()
    down = daemon.down()
    assert "exit code 0" in down.trouble
    assert down.next_start_s is not None
    assert down.next_start_s <= FAST.parked_retry_s


@pytest.mark.parametrize(
    ("behaviour", "short", "reason"),
    [
        ("spin", {"hung_after_s": 1.0}, "hung: no heartbeat for 1 s"),
        ("garbage", {}, "broke the protocol"),
        ("never_ready", {"boot_deadline_s": 2.0}, "not ready within 2 s"),
    ],
)
def test_scheduler_that_lives_but_does_not_work_is_ended(
    daemon: Daemon, behaviour: str, short: dict[str, float], reason: str
) -> None:
    daemon.hurry(**short)
    daemon.behave(behaviour)
    daemon.start()
    assert reason in daemon.down().trouble
    if behaviour != "garbage":
        # One that is ended before it can tell its stacks is not the last one.
        daemon.logs("Current thread")


def test_stopped_scheduler_is_replaced(daemon: Daemon) -> None:
    daemon.hurry(hung_after_s=3.0)
    daemon.start()
    state = daemon.state("running")
    os.kill(state.scheduler_pid, signal.SIGSTOP)
    daemon.state("running", state.generation + 1)
    daemon.logs("hung: no heartbeat for 3 s")
    assert not is_alive(state.scheduler_pid)


def test_breaker_parks_and_a_person_revives(daemon: Daemon) -> None:
    daemon.behave("exit=1")
    daemon.start()
    client = daemon.client()
    # Each death but the last is followed by a delay; a person cuts them short one by one in
    # no test but this: here the clock is real, so the delays of 1, 2, 4 and 8 s are waited for.
    eventually("parked", lambda: client.status().scheduler_state == "parked", 120)
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
    daemon.hurry(parked_retry_s=0.5)
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
    assert "restart the daemon" in daemon.down().trouble


def test_restart_of_a_live_engine_is_now_and_once(daemon: Daemon) -> None:
    daemon.start()
    first = daemon.state("running")
    clients = [daemon.client() for _ in range(10)]
    # All of them find the same moment.
    daemon.signal(signal.SIGSTOP)
    for number, client in enumerate(clients):
        client.send(Request(f"r{number}", Restart()))
    daemon.signal(signal.SIGCONT)
    replies = [client.until(Reply) for client in clients]
    assert {(reply.status, reply.text) for reply in replies} == {("done", "generation 2 starts")}
    second = daemon.state("running", 2)
    assert second.generation == 2
    assert not is_alive(first.scheduler_pid)
    # It is now, and nothing is banked: only the next death backs off, as ever.
    os.kill(second.scheduler_pid, signal.SIGKILL)
    daemon.state("running", 3)
    daemon.logs("next start in 1 s")
    assert daemon.log().count("next start in") == 1


@pytest.mark.parametrize("where", ["backoff", "parked"])
def test_usr1_starts_at_once_and_forgets_the_deaths(daemon: Daemon, where: str) -> None:
    daemon.behave("exit=1")
    daemon.start()
    daemon.logs("next start in 8 s" if where == "backoff" else "gave up after 5 deaths")
    daemon.behave("")
    daemon.signal(signal.SIGUSR1)
    # Parked it would stay so for 15 minutes.
    running = daemon.state("running", 5)
    daemon.logs("restart: SIGUSR1")
    before = daemon.log().count("next start in 1 s")
    os.kill(running.scheduler_pid, signal.SIGKILL)
    eventually("a first delay", lambda: daemon.log().count("next start in 1 s") == before + 1)


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
    # The fourth delay is long enough to say TERM within it.
    generation = daemon.state(where, 4 if where == "backoff" else 0).generation
    daemon.signal(signal.SIGTERM)
    # Sooner than after any grace.
    assert daemon.wait() == 0
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
    asked_s = time.monotonic()
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    assert time.monotonic() - asked_s >= 1.5
    daemon.behave(f"slow={FAST.scheduler_grace_s}")
    daemon.start()
    daemon.state("running")
    daemon.signal(signal.SIGTERM)
    eventually("stop was sent", lambda: len(daemon.seen("stop")) == 2)
    daemon.signal(signal.SIGTERM)
    # Sooner than after the grace.
    assert daemon.wait() == 0
    daemon.nothing_left()


def test_stubborn_scheduler_is_killed_after_the_grace(daemon: Daemon) -> None:
    daemon.hurry(scheduler_grace_s=1.0, supervisor_grace_s=1.5)
    daemon.behave("stubborn")
    daemon.start()
    daemon.state("running")
    client = daemon.client()
    assert client.ask(Stop()).status == "done"
    assert daemon.wait() == 0
    daemon.nothing_left()


def test_killed_supervisor_leaves_nothing_and_blocks_nothing(daemon: Daemon) -> None:
    daemon.behave("grandchild")
    daemon.start()
    daemon.state("running")
    grandchild = int(daemon.seen("grandchild")[0].split()[1])
    daemon.signal(signal.SIGKILL)
    daemon.wait()
    eventually("scheduler gone", lambda: set(daemon.processes()) <= {grandchild})
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
    eventually("orphan gone", lambda: not is_alive(grandchild))
    daemon.state("running", 2)


def test_descriptors_and_zombies_do_not_grow(daemon: Daemon) -> None:
    daemon.start()
    client = daemon.client()
    at_first = 0
    for generation in range(1, 51):
        daemon.state("running", generation)
        if generation == 5:
            at_first = len(open_files(daemon.pid))
        assert client.ask(Restart()).status == "done"
    daemon.state("running", 51)
    # What was just closed at one end is closed at the other in a moment.
    eventually("no more descriptors", lambda: len(open_files(daemon.pid)) <= at_first)
    eventually("no zombies", lambda: len(children_of(daemon.pid)) <= 2)


def test_stopped_supervisor_forgives_its_own_absence(daemon: Daemon) -> None:
    hung_after_s = 8.0
    daemon.hurry(hung_after_s=hung_after_s)
    daemon.start()
    state = daemon.state("running")
    daemon.signal(signal.SIGSTOP)
    os.kill(state.scheduler_pid, signal.SIGSTOP)
    # There is nothing to wait for but that the last heartbeat is older than one may be.
    time.sleep(hung_after_s + 1.0)
    os.kill(state.scheduler_pid, signal.SIGCONT)
    daemon.signal(signal.SIGCONT)
    daemon.logs("the supervisor itself stood still")
    assert daemon.state("running").scheduler_pid == state.scheduler_pid
