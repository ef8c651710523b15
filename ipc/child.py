"""The only place that starts a process, and what a parent knows of its children.

A child is dead when its pidfd says so, never because a library believes it. Its status comes
from the kernel (spawn) or through the forkserver's pipe; a dead forkserver leaves it unknown.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import multiprocess
from multiprocess import process as _mp_process

from ipc import child_main, forkserver
from ipc.dispositions import operator_signals_blocked
from ipc.exit_reason import ExitReason
from ipc.inherited import do_without_tracker, leave_lost_folder, prepare_environment
from ipc.parentage import reap_adopted

# How long the forkserver may take to hand over the status of a child that is dead already.
_STATUS_WAIT_S = 5.0
_STATUS = struct.Struct("q")
# What a child needs to read who it is; else each would load it for itself.
_FORKED_CHILD = "multiprocess.popen_forkserver"


class SpawnFailed(Exception):
    """No process could be started: no memory, no descriptors, no interpreter."""


class ForkServerGone(SpawnFailed):
    """The forkserver is not there; start() it again."""


class Child:
    """A process that this one started: its pid, our end of its pipe, and how it ended."""

    def __init__(self, process: Any, sock: socket.socket, *, forked: bool) -> None:
        """Take over a started multiprocess.Process; only Spawner and ForkServer call this."""
        self.sock = sock
        self.pid: int = process.pid
        self.reason: ExitReason | None = None
        self._process = process
        self._popen: Any = process._popen  # noqa: SLF001 - its status is read by us alone
        self._forked = forked
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gone: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        # Otherwise the next start of any process polls it and takes its status.
        _mp_process._children.discard(process)  # noqa: SLF001
        try:
            self._pidfd: int | None = os.pidfd_open(self.pid)
        except ProcessLookupError:
            # A forkserver's child that is dead and reaped already.
            self._pidfd = None

    async def wait(self) -> ExitReason:
        """Wait until the process is dead, and return why; any number of tasks may wait."""
        if self.reason is None:
            if self._gone is None:
                self._watch()
            assert self._gone is not None  # noqa: S101 - narrows the type
            await asyncio.shield(self._gone)
        assert self.reason is not None  # noqa: S101 - narrows the type
        return self.reason

    def signal(self, sig: int) -> None:
        """Send a signal through the pidfd; nothing happens when the process is gone."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, sig)

    def close(self) -> None:
        """Release the descriptors, and kill what still lives; abort its channel first."""
        if self._popen is None:
            return
        if self.reason is None:
            self.signal(signal.SIGKILL)
            if not self._forked:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self.pid, 0)
            self._settle(ExitReason())
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        self._popen.close()
        self._popen = self._process = None
        self.sock.close()

    def _watch(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._gone = self._loop.create_future()
        if self._pidfd is None:
            self._on_dead()
        else:
            self._loop.add_reader(self._pidfd, self._on_dead)

    def _on_dead(self) -> None:
        assert self._loop is not None  # noqa: S101 - narrows the type
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
        if not self._forked:
            # poll() answers None when somebody else has taken the status.
            self._settle(ExitReason.of(self._popen.poll()))
        elif select.select([self._popen.sentinel], [], [], 0)[0]:
            self._on_status()
        else:
            self._loop.add_reader(self._popen.sentinel, self._on_status)
            self._timer = self._loop.call_later(_STATUS_WAIT_S, self._settle, ExitReason())

    def _on_status(self) -> None:
        data = os.read(self._popen.sentinel, _STATUS.size)
        code = _STATUS.unpack(data)[0] if len(data) == _STATUS.size else None
        self._settle(ExitReason.of(code))

    def _settle(self, reason: ExitReason) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._loop is not None and not self._loop.is_closed():
            if self._pidfd is not None:
                self._loop.remove_reader(self._pidfd)
            if self._forked:
                self._loop.remove_reader(self._popen.sentinel)
        self.reason = reason
        if self._gone is not None and not self._gone.done():
            self._gone.set_result(None)


def _start(method: str, entry: str, name: str, parent_pid: int) -> Child:
    forked = method == "forkserver"
    leave_lost_folder()
    try:
        ours, theirs = socket.socketpair()
    except OSError as error:
        raise SpawnFailed(f"{name} cannot be started: {error}") from error
    try:
        process = multiprocess.get_context(method).Process(
            target=child_main.run, args=(entry, name, parent_pid, forked, theirs), name=name
        )
        process.start()
        return Child(process, ours, forked=forked)
    except (OSError, EOFError) as error:
        ours.close()
        raise SpawnFailed(f"{name} cannot be started: {error}") from error
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()


class Spawner:
    """Starts children in a fresh interpreter each; used on the main thread."""

    def __init__(self) -> None:
        """Prepare what children inherit."""
        prepare_environment()
        do_without_tracker()

    def start(self, entry: str, name: str) -> Child:
        """Start "package.module:function" as a process; SpawnFailed if the system refuses.

        The child's life is tied to the calling thread.
        """
        with operator_signals_blocked():
            return _start("spawn", entry, name, os.getpid())


class ForkServer:
    """Starts children in milliseconds, from a process that has imported their modules already."""

    def __init__(self, preload: Sequence[str]) -> None:
        """Take the modules to import; whether that worked, each child must tell itself."""
        self._preload = ["ipc.deathwatch", "ipc.child_main", _FORKED_CHILD, *preload]
        # One thread: the forkserver serves one at a time anyhow.
        self._starts = ThreadPoolExecutor(1, thread_name_prefix="start")
        self._pidfd: int | None = None
        self._died: asyncio.Future[None] | None = None
        self.pid = 0

    def start(self) -> None:
        """Start the forkserver, for the first time or after its death; on the main thread."""
        self._start(forkserver.start)

    def branch(self) -> None:
        """Start the forkserver for the first time, as a fork of this process; on the main thread.

        Whatever is loaded here need not be loaded there, and its memory is shared. With another
        thread about, which may hold any lock, it is started anew as after its death.
        """
        alone = threading.active_count() == 1
        self._start(forkserver.start_as_branch if alone else forkserver.start)

    def _start(self, start: Callable[[Sequence[str], Callable[[], None]], int]) -> None:
        self._forget()
        try:
            self.pid = start(self._preload, self._require_running)
        except OSError as error:
            raise SpawnFailed(f"the forkserver cannot be started: {error}") from error
        self._pidfd = os.pidfd_open(self.pid)

    async def start_child(self, entry: str, name: str) -> Child:
        """Start a process off the loop; ForkServerGone if there is no forkserver any more.

        If the caller is cancelled meanwhile, the child is killed as soon as it is there.
        """
        starting = self._starts.submit(self._start_child, entry, name)
        try:
            return await asyncio.wrap_future(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(_discard)
            raise

    @property
    def is_alive(self) -> bool:
        """Tell whether the forkserver lives; asks the kernel, not the loop."""
        return self._is_alive()

    async def died(self) -> None:
        """Wait until the forkserver is dead; its children are then dead or dying."""
        if self._pidfd is None:
            return
        if self._died is None:
            loop = asyncio.get_running_loop()
            self._died = loop.create_future()
            loop.add_reader(self._pidfd, self._on_died, loop, self._pidfd, self._died)
        await asyncio.shield(self._died)

    def reap_orphans(self) -> int:
        """End and reap what became ours when its parent died; return how many still live.

        Nothing here is started by this process itself but the forkserver.
        """
        return reap_adopted({self.pid}, kill=True)

    def end(self) -> None:
        """Kill a forkserver that does not answer, and its children with it; died() follows."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        """End the forkserver, and with it every child that is left."""
        self._starts.shutdown(wait=False, cancel_futures=True)
        self._forget()

    def _start_child(self, entry: str, name: str) -> Child:
        try:
            return _start("forkserver", entry, name, self.pid)
        except SpawnFailed as error:
            if self._is_alive():
                if forkserver.has_address():
                    raise
                # Somebody removed its socket: only another one can start children.
                self.end()
            raise ForkServerGone(str(error)) from error

    def _require_running(self) -> None:
        if not self._is_alive():
            raise ForkServerGone("the forkserver is dead")

    def _is_alive(self) -> bool:
        pidfd = self._pidfd
        return pidfd is not None and not select.select([pidfd], [], [], 0)[0]

    @staticmethod
    def _on_died(loop: asyncio.AbstractEventLoop, pidfd: int, died: asyncio.Future[None]) -> None:
        loop.remove_reader(pidfd)
        if not died.done():
            died.set_result(None)

    def _forget(self) -> None:
        """Kill and reap the forkserver, and clear what multiprocess remembers of it."""
        if self._pidfd is None:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        if self._died is not None:
            self._on_died(self._died.get_loop(), self._pidfd, self._died)
            self._died = None
        os.close(self._pidfd)
        self._pidfd, self.pid = None, 0
        forkserver.forget()


def _discard(starting: Future[Child]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        starting.result().close()
