"""A forkserver forked off a process that has loaded most of what the children need.

They share those pages with it, and the modules are loaded once. What they inherit beside is made
harmless: no descriptor of the parent stays open in them, and no loop of its runs.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from multiprocess import connection as _mp_connection
from multiprocess import forkserver as _mp_forkserver

from ipc import deathwatch
from ipc.exits import Exit
from ipc.parentage import set_process_name

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Branch:
    """A forkserver that was forked: its pid, its socket, and the pipe whose end ends it."""

    pid: int
    address: str
    alive_fd: int


def branch(preload: Sequence[str], kept: Collection[int]) -> Branch:
    """Fork a forkserver off this process, which must have one thread; call it on that.

    kept: descriptors that the forkserver needs as well.
    """
    owner = os.getpid()
    with socket.socket(socket.AF_UNIX) as listener:
        address: str = _mp_connection.arbitrary_address("AF_UNIX")
        listener.bind(address)
        Path(address).chmod(0o600)
        listener.listen()
        alive_r, alive_w = os.pipe()
        try:
            # No collection in either touches the pages that both share.
            gc.freeze()
            pid = os.fork()
            if pid == 0:
                listener_fd = os.dup(listener.fileno())
                _serve(owner, listener_fd, alive_r, preload, {listener_fd, alive_r, *kept})
        except BaseException:
            os.close(alive_w)
            raise
        finally:
            os.close(alive_r)
    return Branch(pid, address, alive_w)


def _serve(
    owner: int, listener_fd: int, alive_r: int, preload: Sequence[str], kept: Collection[int]
) -> None:
    """Be the forkserver; never returns into the frames of the process that it was forked off."""
    code = Exit.INTERNAL
    try:
        deathwatch.arm(owner)
        set_process_name("forkserver")
        # The loop that called us runs in the parent only.
        asyncio._set_running_loop(None)  # noqa: SLF001 - documented, for makers of loops
        _give_up_descriptors(kept)
        _mp_forkserver.main(listener_fd, alive_r, preload)
    except SystemExit:
        code = Exit.OK
    except BaseException:  # noqa: BLE001 - top of the process
        _log.exception("the forkserver ends by an error nobody foresaw")
    finally:
        os._exit(code)


def _give_up_descriptors(kept: Collection[int]) -> None:
    """Point all others to nothing; their numbers stay taken, for objects here may close them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if number > 2 and number != nothing and number not in kept:
            try:
                os.fstat(number)
            except OSError:
                # The one that listed them.
                continue
            os.dup2(nothing, number, inheritable=False)
    os.close(nothing)
