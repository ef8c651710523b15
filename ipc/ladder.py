"""How a child is ended: it is asked, then made to write its stacks, then killed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from typing import Any

from ipc.channel import Channel, ChannelClosed
from ipc.child import Child
from ipc.exit_reason import ExitReason
from ipc.messages import StopChild

_log = logging.getLogger("ipc.ladder")

# How long a process may take to write its stacks.
ABORT_WAIT_S = 2.0
# What a child may take beyond its own grace: to cancel what is left, and to leave.
LEAVE_MARGIN_S = 5.0


async def stop_ladder(
    child: Child,
    channel: Channel[Any] | None,
    grace_s: float,
    *,
    margin_s: float = LEAVE_MARGIN_S,
    abort_wait_s: float = ABORT_WAIT_S,
) -> ExitReason:
    """Ask a child to stop, and end it if it has not left margin_s after its grace.

    abort_wait_s: how long it may take to write its stacks; 0: they are not wanted.
    """
    if channel is not None and not channel.is_closed:
        with contextlib.suppress(ChannelClosed):
            channel.send(StopChild(grace_s=grace_s))
        try:
            async with asyncio.timeout(grace_s + margin_s):
                return await child.wait()
        except TimeoutError:
            _log.warning("process %d did not stop in %.1f s", child.pid, grace_s + margin_s)
    return await end_ladder(child, abort_wait_s=abort_wait_s)


async def end_ladder(child: Child, *, abort_wait_s: float = ABORT_WAIT_S) -> ExitReason:
    """End a child that does not listen: ABRT with CONT for its stacks, then KILL."""
    if abort_wait_s > 0:
        child.signal(signal.SIGABRT)
        # A stopped process acts on nothing but KILL before it goes on.
        child.signal(signal.SIGCONT)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(abort_wait_s):
                return await child.wait()
    child.signal(signal.SIGKILL)
    return await child.wait()
