"""A worker's side of leases: ask the scheduler, wait for the grant, give it back.

The scheduler alone decides who goes first; here is only the bookkeeping of one pipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import AsyncIterator, Callable

from ipc.channel import ChannelClosed
from ipc.messages import Acquire, Deny, Grant, Message, Release, Spent

_log = logging.getLogger("jobs.leases")


class Leases:
    """The leases this process asked for and those it holds."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        """Take the way to the scheduler."""
        self._send = send
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Grant | Deny]] = {}

    @contextlib.asynccontextmanager
    async def hold(self, resource: str) -> AsyncIterator[None]:
        """Hold a lease while the block runs; waits for it as long as the caller lets it.

        Given back in any case: a release of what was not granted yet takes the question back.
        """
        while True:
            lease_id = next(self._ids)
            answer = await self._ask(Acquire(lease_id, resource))
            if isinstance(answer, Grant):
                break
            await asyncio.sleep(answer.retry_s)
        try:
            yield
        finally:
            self._give_back(lease_id, 1)

    async def borrow(
        self, resource: str, amount: int, priority: int, heard: Spent | None
    ) -> tuple[int, Grant | Deny]:
        """Ask for a part of a budget; return the lease's number and the scheduler's answer.

        heard: what ESI said of it so far.
        """
        lease_id = next(self._ids)
        return lease_id, await self._ask(Acquire(lease_id, resource, amount, priority, heard))

    def give_back(self, lease_id: int, spent: int) -> None:
        """Give back what was borrowed, with what was spent of it."""
        self._give_back(lease_id, spent)

    def on_answer(self, answer: Grant | Deny) -> None:
        """Take over the scheduler's answer; one to a question taken back meanwhile is dropped."""
        waiting = self._waiting.pop(answer.lease_id, None)
        if waiting is None or waiting.done():
            _log.debug("lease %d is not waited for any more", answer.lease_id)
            return
        waiting.set_result(answer)

    async def _ask(self, question: Acquire) -> Grant | Deny:
        waiting: asyncio.Future[Grant | Deny] = asyncio.get_running_loop().create_future()
        self._waiting[question.lease_id] = waiting
        self._send(question)
        try:
            return await waiting
        except asyncio.CancelledError:
            self._waiting.pop(question.lease_id, None)
            self._give_back(question.lease_id, 0)
            raise

    def _give_back(self, lease_id: int, spent: int) -> None:
        # Without a scheduler there is nobody to give it to, and this process is about to leave.
        with contextlib.suppress(ChannelClosed):
            self._send(Release(lease_id, spent))
