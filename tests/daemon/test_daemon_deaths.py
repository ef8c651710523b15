"""kill -9 and SIGSTOP of every process in the middle of mirroring: the mirror goes on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import msgspec
import pytest

from ipc.clock import SystemClock
from tests.daemon.house import FAST, House, workers_of
from tests.processes import eventually, is_alive, none_alive, open_files

pytestmark = pytest.mark.process

GONE_WITHIN_S = 30.0


def test_two_characters_are_mirrored_and_nothing_is_left(house: House) -> None:
    house.run()
    house.mirrored()
    house.end()
    house.check_ledger()
    assert not house.settings.socket_path.exists()


def test_each_process_below_the_supervisor_can_be_killed(house: House) -> None:
    """One house for all of them: a daemon that survives one death must survive the next."""
    first = house.run()
    house.mirrored()

    worker = house.workers()[0]
    house.kill(worker)
    house.until("the death is told", lambda: _deaths(house) == 1)
    house.goes_on()
    assert house.ready().scheduler_pid == first.scheduler_pid
    assert worker not in house.workers()

    forkserver, workers = house.forkserver(), house.workers()
    house.kill(forkserver)
    _gone(workers)
    house.goes_on()
    house.until("another forkserver", lambda: house.forkserver() not in (0, forkserver))
    assert house.status().scheduler_pid == first.scheduler_pid

    below = [house.status().scheduler_pid, house.forkserver(), *house.workers()]
    house.kill(below[0])
    _gone(below)
    house.ready(generation=2, epoch=2)
    house.goes_on()

    house.check_ledger()
    assert house.rows("SELECT * FROM ledger WHERE strikes > 0 OR parked_reason IS NOT NULL") == []
    house.end()


def test_a_killed_supervisor_leaves_nothing_and_blocks_no_start(house: House) -> None:
    house.run()
    house.mirrored()
    house.kill(house.pid)
    house.nothing_left(GONE_WITHIN_S)
    assert house.settings.socket_path.exists()

    house.run()
    house.goes_on()
    assert house.status().epoch == 2

    # All at once, as by the kernel or a power cut.
    house.kill_all()
    house.check_ledger()
    house.run()
    house.goes_on()
    house.end()


def test_a_supervisor_killed_during_its_shutdown_leaves_nothing(house: House) -> None:
    house.eve.fault(path="/characters/.*", delay_s=300.0)
    house.run()
    house.until("a job waits for its answer", lambda: house.summary().in_flight)
    house.signal(signal.SIGTERM)
    house.until("the stop has begun", lambda: "stopping:" in house.log())
    house.kill(house.pid)
    house.nothing_left(GONE_WITHIN_S)
    house.eve.clear_faults()

    house.run()
    house.mirrored()
    house.check_ledger()


def test_a_stopped_worker_is_ended_and_replaced(house: House) -> None:
    house.run()
    house.mirrored()
    worker = house.workers()[0]
    os.kill(worker, signal.SIGSTOP)
    stopped_at = SystemClock().now()
    house.until("the stopped worker's death", lambda: not is_alive(worker))
    house.mirrored(after=stopped_at)
    house.until("the death is told", lambda: _deaths(house) == 1)
    assert house.ready().generation == 1
    house.check_ledger()


def test_a_stopped_forkserver_is_ended_once_it_is_needed(make_house: Callable[..., House]) -> None:
    timings = msgspec.structs.replace(FAST, boot_deadline_s=15.0)
    house = make_house(timings=timings)
    first = house.run()
    forkserver, workers = house.forkserver(), house.workers()
    os.kill(forkserver, signal.SIGSTOP)
    house.kill(workers[0])
    # The other three go on meanwhile.
    house.mirrored()
    _gone([forkserver, *workers], timings.boot_deadline_s + GONE_WITHIN_S)
    house.goes_on()
    assert house.ready().scheduler_pid == first.scheduler_pid
    house.end()


def test_a_first_start_that_was_killed_blocks_no_other(make_house: Callable[..., House]) -> None:
    """Killed whole while the database is made, again and again; then it is mirrored into."""
    house = make_house(template=None, logged_in=False)
    for delay_s in (0.5, 1.0, 1.5):
        house.start()
        # The moment is what this is about: no fact tells when the schema is half made.
        time.sleep(delay_s)
        house.kill_all()
    house.run()
    house.log_in()
    house.mirrored()
    house.end()
    house.check_ledger()


def test_a_stopped_scheduler_is_a_hang_and_its_workers_go_first(house: House) -> None:
    first = house.run()
    house.mirrored()
    below = [first.scheduler_pid, house.forkserver(), *house.workers()]
    os.kill(first.scheduler_pid, signal.SIGSTOP)
    _gone(below, within_s=house.settings.timings.hung_after_s + GONE_WITHIN_S)
    second = house.ready(generation=2)
    assert "hung" in house.log()
    assert second.restarts == 1
    house.goes_on()
    house.check_ledger()


def test_no_process_holds_on_to_the_lock_or_the_socket(house: House) -> None:
    """What the supervisor alone owns is open in no process below it."""
    state = house.run()
    own = {str(house.settings.socket_path), str(house.folder / "esisyncd.lock")}
    for pid in [state.scheduler_pid, house.forkserver(), *house.workers()]:
        files = set(open_files(pid).values())
        assert files
        assert not files & own


def _deaths(house: House) -> int:
    return sum(one.deaths for one in workers_of(house.status()))


def _gone(pids: list[int], within_s: float = GONE_WITHIN_S) -> None:
    eventually(f"death of {pids}", lambda: none_alive(pids), within_s)
