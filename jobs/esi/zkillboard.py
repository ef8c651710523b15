"""zKillboard: what a killmail is worth. Not ESI: it has rules of its own, above all one request
a second, and is told neither a token nor a compatibility date."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec
from yarl import URL

from ipc.clock import Clock
from ipc.unreadable import UNREADABLE
from jobs.errors import BadAnswer, PauseBucket, Transient
from jobs.esi.headers import retry_after_s
from jobs.esi.transport import Transport
from jobs.spec import KillmailValue

BUCKET = "zkillboard"


class _Entry(msgspec.Struct, frozen=True):
    """One killmail of the answer."""

    killmail_id: int
    zkb: KillmailValue


class Zkillboard:
    """Asks for one killmail at a time, and never faster than the pace."""

    def __init__(
        self,
        base_url: str,
        transport: Transport,
        clock: Clock,
        pace_s: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Take where it is, and the seconds from one request to the next."""
        self._base = base_url.rstrip("/")
        self._transport = transport
        self._clock = clock
        self._pace_s = pace_s
        self._sleep = sleep
        self._next_s = 0.0
        self._turn = asyncio.Lock()

    async def value(self, killmail_id: int) -> KillmailValue | None:
        """Return what it says a killmail is worth; None if it does not know the killmail."""
        url = URL(f"{self._base}/api/killID/{killmail_id}/")
        async with self._turn:
            wait_s = self._next_s - self._clock.monotonic_s()
            if wait_s > 0:
                await self._sleep(wait_s)
            self._next_s = self._clock.monotonic_s() + self._pace_s
            answer = await self._transport.ask(
                "GET", url, {"Accept": "application/json"}, reads=True
            )
        if answer.status == 429:
            now = self._clock.now()
            retry_s = retry_after_s(answer.headers, now)
            raise PauseBucket(BUCKET, now + timedelta(seconds=retry_s), retry_s)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise Transient(f"zKillboard answered {answer.status}")
        try:
            entries = msgspec.json.decode(answer.body, type=list[_Entry])
        except msgspec.ValidationError as error:
            raise BadAnswer(f"zKillboard answered in another form: {error}") from None
        except UNREADABLE:
            raise Transient("zKillboard answered with no JSON") from None
        return next((one.zkb for one in entries if one.killmail_id == killmail_id), None)
