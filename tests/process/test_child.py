"""Real children: how they start, what they inherit, how their end is told, what they leave."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import shutil
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from multiprocess import process as _mp_process

from ipc.child import Child, ForkServer, ForkServerGone, Spawner, SpawnFailed
from ipc.exit_reason import ExitReason
from ipc.ladder import end_ladder, stop_ladder
from ipc.parentage import child_pids
from tests.processes import WITHIN_S, children_of, eventually_async, none_alive, open_files

pytestmark = pytest.mark.process

HERE = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def entries_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere")
    monkeypatch.setenv("WATCHDOG_USEC", "1")
    monkeypatch.syspath_prepend(HERE)


@pytest.fixture
async def forkserver() -> AsyncIterator[ForkServer]:
    server = ForkServer([])
    server.start()
    yield server
    server.close()


Keep = Callable[[Child], Child]


@pytest.fixture
async def kept() -> AsyncIterator[Keep]:
    """Closes the children that it is given, however the test ends."""
    with ExitStack() as stack:

        def keep(child: Child) -> Child:
            stack.callback(child.close)
            return child

        yield keep


async def receive(child: Child) -> bytes:
    child.sock.setblocking(False)
    async with asyncio.timeout(WITHIN_S):
        return await asyncio.get_running_loop().sock_recv(child.sock, 4096)


async def ended(child: Child) -> ExitReason:
    async with asyncio.timeout(WITHIN_S):
        return await child.wait()


async def until_gone(*pids: int) -> None:
    await eventually_async(f"the end of {pids}", lambda: none_alive(pids))


async def test_spawned_child_talks_and_ends_with_its_code(kept: Keep) -> None:
    child = kept(Spawner().start("child_entries:echo", "echo"))
    child.sock.send(b"hello")
    assert await receive(child) == b"hello"
    child.sock.shutdown(socket.SHUT_WR)
    assert await ended(child) == ExitReason(exit_code=7)
    assert child.reason == ExitReason(exit_code=7)


async def test_spawned_child_ignores_term_and_blocks_nothing(kept: Keep) -> None:
    child = kept(Spawner().start("child_entries:facts", "facts"))
    assert (await receive(child)).decode().split() == [
        str(child.pid),
        str(os.getpid()),
        "1",
        "0",
        "0",
        "0",
    ]
    assert await ended(child) == ExitReason(exit_code=0)


async def test_forked_child_knows_its_true_parent(forkserver: ForkServer, kept: Keep) -> None:
    child = kept(await forkserver.start_child("child_entries:facts", "facts"))
    words = (await receive(child)).decode().split()
    assert words == [str(child.pid), str(forkserver.pid), "1", "0", "0", "0"]
    assert await ended(child) == ExitReason(exit_code=0)


@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGSEGV])
async def test_signal_of_a_forked_child_is_told(
    forkserver: ForkServer, sig: int, kept: Keep
) -> None:
    child = kept(await forkserver.start_child("child_entries:echo", "echo"))
    child.signal(sig)
    assert await ended(child) == ExitReason(signal=sig)
    child.signal(sig)
    child.close()
    child.signal(sig)


async def test_nothing_is_started_beside_what_was_asked_for(
    forkserver: ForkServer, kept: Keep
) -> None:
    before = set(child_pids())
    spawned = kept(Spawner().start("child_entries:echo", "echo"))
    kept(await forkserver.start_child("child_entries:echo", "echo"))
    assert set(child_pids()) - before == {spawned.pid}
    assert forkserver.pid in before


async def test_several_wait_for_one_child(forkserver: ForkServer, kept: Keep) -> None:
    child = kept(await forkserver.start_child("child_entries:echo", "echo"))
    waiting = [asyncio.create_task(child.wait()) for _ in range(3)]
    waiting[0].cancel()
    await asyncio.sleep(0)
    child.signal(signal.SIGKILL)
    assert await waiting[1] == await waiting[2] == ExitReason(signal=9)


async def test_error_in_main_is_an_internal_error(kept: Keep) -> None:
    child = kept(Spawner().start("child_entries:raises", "raises"))
    assert await ended(child) == ExitReason(exit_code=70)


async def test_status_taken_by_a_stranger_is_unknown_not_success(kept: Keep) -> None:
    child = kept(Spawner().start("child_entries:echo", "echo"))
    child.sock.shutdown(socket.SHUT_WR)
    await asyncio.to_thread(os.waitpid, child.pid, 0)
    assert await ended(child) == ExitReason()


async def test_status_survives_the_start_of_another_child(
    forkserver: ForkServer, kept: Keep
) -> None:
    child = kept(await forkserver.start_child("child_entries:echo", "echo"))
    child.signal(signal.SIGKILL)
    await until_gone(child.pid)
    # A start looks through the dead, and would take this one's status.
    kept(await forkserver.start_child("child_entries:echo", "echo"))
    assert await ended(child) == ExitReason(signal=signal.SIGKILL)


async def test_dead_forkserver_takes_its_children_along_and_can_start_again(
    forkserver: ForkServer, kept: Keep
) -> None:
    child = kept(await forkserver.start_child("child_entries:spin", "spin"))
    assert await receive(child) == b"spinning"
    first = forkserver.pid
    os.kill(first, signal.SIGKILL)
    async with asyncio.timeout(WITHIN_S):
        await forkserver.died()
    assert await ended(child) == ExitReason()
    child.close()
    with pytest.raises(ForkServerGone):
        await forkserver.start_child("child_entries:echo", "echo")
    forkserver.start()
    assert forkserver.pid != first
    child = kept(await forkserver.start_child("child_entries:echo", "echo"))
    child.sock.send(b"again")
    assert await receive(child) == b"again"


async def test_forkserver_whose_folder_was_removed_is_started_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: Keep
) -> None:
    held = tmp_path / "held"
    held.mkdir()
    monkeypatch.setitem(_mp_process.current_process()._config, "tempdir", str(held))
    server = ForkServer([])
    server.start()
    try:
        assert list(held.iterdir())
        shutil.rmtree(held)
        with pytest.raises(ForkServerGone):
            await server.start_child("child_entries:echo", "echo")
        async with asyncio.timeout(WITHIN_S):
            await server.died()
        server.start()
        child = kept(await server.start_child("child_entries:echo", "echo"))
        child.sock.send(b"again")
        assert await receive(child) == b"again"
        child.close()
    finally:
        server.close()


@pytest.mark.parametrize("entry", ["own_forkserver", "own_branch"])
async def test_everything_below_a_killed_scheduler_is_gone(entry: str, kept: Keep) -> None:
    scheduler = kept(Spawner().start(f"child_entries:{entry}", "scheduler"))
    pids = list(map(int, (await receive(scheduler)).split()))
    # A stopped process acts on nothing but KILL, and is no survivor either.
    os.kill(pids[1], signal.SIGSTOP)
    scheduler.signal(signal.SIGKILL)
    assert await ended(scheduler) == ExitReason(signal=9)
    await until_gone(*pids)


async def test_a_branch_holds_no_descriptor_of_its_parent(kept: Keep) -> None:
    scheduler = kept(Spawner().start("child_entries:own_branch", "scheduler"))
    pids = list(map(int, (await receive(scheduler)).split()))
    ours = _descriptors(scheduler.pid)
    for pid in pids:
        shared = _descriptors(pid) & ours
        # What ends it with its parent, and the child its start.
        assert all(name.startswith("pipe:") for name in shared), shared
    assert not any(name.startswith("socket:") for name in _descriptors(pids[1]) & ours)
    scheduler.close()
    await until_gone(*pids)


def _descriptors(pid: int) -> set[str]:
    """Return what a process has open above the standard three, where the name tells which it is.

    All event polls have one name, so that two processes' own ones would look like a shared one.
    """
    names = {name for number, name in open_files(pid).items() if number > 2}
    return {name for name in names - {os.devnull} if not name.startswith("anon_inode:")}


async def test_cancelled_start_leaves_no_child(forkserver: ForkServer, kept: Keep) -> None:
    os.kill(forkserver.pid, signal.SIGSTOP)
    before = set(open_files(os.getpid()))
    starting = asyncio.create_task(forkserver.start_child("child_entries:echo", "echo"))
    # Its pipes are there: it waits for the forkserver.
    await eventually_async("begun", lambda: set(open_files(os.getpid())) - before)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    os.kill(forkserver.pid, signal.SIGCONT)
    later = kept(await forkserver.start_child("child_entries:echo", "echo"))
    await eventually_async("it alone", lambda: children_of(forkserver.pid) == [later.pid])


async def test_ladder_ends_a_stopped_child_with_its_stacks(
    capfd: pytest.CaptureFixture[str], kept: Keep
) -> None:
    child = kept(Spawner().start("child_entries:spin", "spin"))
    await receive(child)
    child.signal(signal.SIGSTOP)
    reason = await end_ladder(child, abort_wait_s=WITHIN_S)
    assert reason == ExitReason(signal=signal.SIGABRT)
    child.close()
    assert "in spin" in capfd.readouterr().err


async def test_ladder_kills_without_a_channel(forkserver: ForkServer, kept: Keep) -> None:
    child = kept(await forkserver.start_child("child_entries:spin", "spin"))
    await receive(child)
    reason = await stop_ladder(child, None, 1.0)
    assert reason.signal in (signal.SIGABRT, signal.SIGKILL)


async def test_descriptors_do_not_leak_over_respawns(forkserver: ForkServer, kept: Keep) -> None:
    gc.disable()
    try:
        counts = []
        for _ in range(60):
            child = kept(await forkserver.start_child("child_entries:echo", "echo"))
            child.signal(signal.SIGKILL)
            await ended(child)
            child.close()
            counts.append(len(open_files(os.getpid())))
        assert counts[-1] <= counts[9]
    finally:
        gc.enable()


@pytest.mark.parametrize("spare", [0, 1, 3, 5])
async def test_system_that_refuses_leaks_nothing(spare: int) -> None:
    spawner = Spawner()
    # What an earlier test left to the collector is not counted.
    gc.collect()
    before = open_files(os.getpid())
    free = [number for number in range(len(before) + 10) if number not in before]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # So many descriptors are left to take, wherever those lie that are open.
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], hard))
    try:
        with pytest.raises(SpawnFailed, match="cannot be started"):
            spawner.start("child_entries:echo", "echo")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    gc.collect()
    assert len(open_files(os.getpid())) == len(before)


async def test_missing_interpreter_is_a_death(kept: Keep) -> None:
    import multiprocess.spawn

    old = multiprocess.spawn.get_executable()
    multiprocess.spawn.set_executable("/nowhere/python")
    try:
        child = kept(Spawner().start("child_entries:echo", "echo"))
    finally:
        multiprocess.spawn.set_executable(old)
    assert await ended(child) == ExitReason(exit_code=255)
