"""Refreshing one credential: SSO is asked, and the answer committed before anybody uses it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection

from ipc.messages import RefreshDone, RunRefresh
from jobs.errors import BadAnswer, Transient
from jobs.esi.sso import Grant, Misconfigured, RefreshRefused, Unverified
from jobs.reasons import one_line
from jobs.store import credentials
from jobs.store.errors import StoreError
from jobs.tools import Tools

# The database was away when new tokens were to be stored.
STORE_AGAIN_S = 1.0

_log = logging.getLogger("jobs.refresh")

Status = Literal["fresh", "unchanged", "refused", "needs_reauth", "trouble", "misconfigured"]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How a refresh ended; generation and expires_at as the database has them now."""

    status: Status
    generation: int = 0
    expires_at: datetime | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _New:
    """What SSO gave for a refresh token; the tokens show in no repr."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime
    # None: as before.
    scopes: frozenset[str] | None


async def run_refresh(tools: Tools, order: RunRefresh, hold: Callable[[], None]) -> RefreshDone:
    """Carry out the scheduler's order and return the answer to it; hold: as of `refresh`."""
    result = await refresh(tools, order.credential_id, order.generation, hold)
    return RefreshDone(
        job_id=order.job_id,
        epoch=order.epoch,
        credential_id=order.credential_id,
        status=result.status,
        generation=result.generation,
        expires_at=result.expires_at,
        reason=one_line(result.reason),
    )


async def refresh(
    tools: Tools, credential_id: int, generation: int, hold: Callable[[], None]
) -> Refreshed:
    """Refresh a credential if it is still of that generation; SSO's errors become a status.

    hold: called once SSO is asked. The refresh token that it sends may be the only one that still
    works, so from then on nothing ends this before that is on the disk: a caller that is cancelled
    is passed over, and while the database is away it is waited for.
    """
    stored = await tools.read(lambda conn: credentials.tokens(conn, credential_id))
    if stored is None:
        return Refreshed("unchanged", reason="the credential was removed")
    if stored.generation != generation:
        return Refreshed("unchanged", stored.generation, stored.expires_at)
    try:
        await tools.sso.prepare()
    except Misconfigured as error:
        return Refreshed("misconfigured", generation, stored.expires_at, error.reason)
    except (Transient, BadAnswer) as error:
        return Refreshed("trouble", generation, stored.expires_at, error.reason)
    hold()
    return await _to_its_end(_exchange(tools, credential_id, stored))


async def _to_its_end(exchange: Coroutine[Any, Any, Refreshed]) -> Refreshed:
    """Await what must not stop half way, whoever is cancelled meanwhile."""
    task = asyncio.get_running_loop().create_task(exchange, name="exchange-tokens")
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait((task,))
    return task.result()


async def _exchange(tools: Tools, credential_id: int, stored: credentials.Tokens) -> Refreshed:
    """Ask SSO for new tokens, and store them."""
    generation = stored.generation
    try:
        grant = await tools.sso.refresh(stored.refresh_token, stored.client_id)
    except RefreshRefused as refused:
        return await _note_refused(tools, credential_id, generation, refused.reason)
    except Misconfigured as error:
        return Refreshed("misconfigured", generation, stored.expires_at, error.reason)
    except Unverified as error:
        if error.refresh_token not in ("", stored.refresh_token):
            await _store_refresh_token(tools, credential_id, stored, error)
        return Refreshed("trouble", generation, stored.expires_at, error.reason)
    except (Transient, BadAnswer) as error:
        return Refreshed("trouble", generation, stored.expires_at, error.reason)
    if grant.character_id != stored.character_id:
        reason = f"SSO answered for character {grant.character_id}, not {stored.character_id}"
        return Refreshed("trouble", generation, stored.expires_at, reason)
    return await _store(tools, credential_id, stored, grant)


async def _store(
    tools: Tools, credential_id: int, stored: credentials.Tokens, grant: Grant
) -> Refreshed:
    new = _New(
        grant.access_token,
        grant.refresh_token or stored.refresh_token,
        grant.expires_at,
        grant.scopes or None,
    )
    generation = await _write(tools, credential_id, stored, new)
    if generation is None:
        # A login or another refresh was faster, and what it stored is newer.
        _log.info("credential %d was changed while it was refreshed", credential_id)
        return Refreshed("unchanged", stored.generation)
    return Refreshed("fresh", generation, grant.expires_at)


async def _store_refresh_token(
    tools: Tools, credential_id: int, stored: credentials.Tokens, answer: Unverified
) -> None:
    """Keep a refresh token that came with an access token which nobody should use."""
    new = _New("", answer.refresh_token, tools.clock.now(), None)
    await _write(tools, credential_id, stored, new)


async def _write(
    tools: Tools, credential_id: int, stored: credentials.Tokens, new: _New
) -> int | None:
    """Store new tokens, however long the database is away; return the credential's generation.

    None: it has other tokens by now, or was removed.
    """

    def unit(connection: Connection) -> int | None:
        return _put(connection, credential_id, stored, new, tools.clock.now())

    told = False
    while True:
        try:
            return await tools.write(unit, durable=True)
        except StoreError as error:
            if not told:
                _log.warning(
                    "the new tokens of credential %d cannot be stored yet: %s", credential_id, error
                )
            told = True
            await asyncio.sleep(STORE_AGAIN_S)


def _put(
    connection: Connection, credential_id: int, spent: credentials.Tokens, new: _New, now: datetime
) -> int | None:
    def store(generation: int) -> bool:
        return credentials.store_refreshed(
            connection,
            credential_id,
            generation,
            new.access_token,
            new.refresh_token,
            new.expires_at,
            new.scopes,
            now,
        )

    if store(spent.generation):
        return spent.generation + 1
    there = credentials.tokens(connection, credential_id)
    if there is None:
        return None
    if (there.access_token, there.refresh_token) == (new.access_token, new.refresh_token):
        # An earlier try was committed, and told as in doubt.
        return there.generation
    # What was given for the very token that is there belongs in its place, whoever counted on.
    is_successor = there.refresh_token == spent.refresh_token != new.refresh_token
    return there.generation + 1 if is_successor and store(there.generation) else None


async def _note_refused(
    tools: Tools, credential_id: int, generation: int, reason: str
) -> Refreshed:
    verdict = await tools.write(
        lambda conn: credentials.note_refused(conn, credential_id, generation, tools.clock.now()),
        durable=True,
    )
    match verdict:
        case "flagged":
            _log.warning("credential %d needs a new login: %s", credential_id, reason)
            return Refreshed("needs_reauth", generation + 1, reason=reason)
        case "first":
            return Refreshed("refused", generation, reason=reason)
        case _:
            return Refreshed("unchanged", generation, reason="the credential was changed meanwhile")
