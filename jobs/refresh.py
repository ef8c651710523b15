"""Refreshing one credential: SSO is asked, and the answer committed before anybody uses it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from sqlalchemy import Connection

from ipc.messages import RefreshDone, RunRefresh
from jobs.errors import BadAnswer, Transient
from jobs.esi.sso import Grant, Misconfigured, RefreshRefused, Unverified
from jobs.reasons import one_line
from jobs.store import credentials
from jobs.tools import Tools

T = TypeVar("T")

_log = logging.getLogger("jobs.refresh")

Status = Literal["fresh", "unchanged", "refused", "needs_reauth", "trouble", "misconfigured"]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How a refresh ended; generation and expires_at as the database has them now."""

    status: Status
    generation: int = 0
    expires_at: datetime | None = None
    reason: str = ""


async def run_refresh(tools: Tools, order: RunRefresh) -> RefreshDone:
    """Carry out the scheduler's order and return the answer to it."""
    result = await refresh(tools, order.credential_id, order.generation)
    return RefreshDone(
        job_id=order.job_id,
        epoch=order.epoch,
        credential_id=order.credential_id,
        status=result.status,
        generation=result.generation,
        expires_at=result.expires_at,
        reason=one_line(result.reason),
    )


async def refresh(tools: Tools, credential_id: int, generation: int) -> Refreshed:
    """Refresh a credential if it is still of that generation; SSO's errors become a status.

    The refresh token that SSO sent may be the only one that still works, so it is on disk before
    this returns, and a caller that is cancelled is so afterwards.
    """
    stored = await tools.read(lambda conn: credentials.tokens(conn, credential_id))
    if stored is None:
        return Refreshed("unchanged", reason="the credential was removed")
    if stored.generation != generation:
        return Refreshed("unchanged", stored.generation, stored.expires_at)
    try:
        grant = await tools.sso.refresh(stored.refresh_token, stored.client_id)
    except RefreshRefused as refused:
        return await _note_refused(tools, credential_id, generation, refused.reason)
    except Misconfigured as error:
        return Refreshed("misconfigured", generation, stored.expires_at, error.reason)
    except Unverified as error:
        if error.refresh_token not in ("", stored.refresh_token):
            await _to_its_end(_store_refresh_token(tools, credential_id, stored, error))
        return Refreshed("trouble", generation, stored.expires_at, error.reason)
    except (Transient, BadAnswer) as error:
        return Refreshed("trouble", generation, stored.expires_at, error.reason)
    if grant.character_id != stored.character_id:
        reason = f"SSO answered for character {grant.character_id}, not {stored.character_id}"
        return Refreshed("trouble", generation, stored.expires_at, reason)
    return await _to_its_end(_store(tools, credential_id, stored, grant))


async def _to_its_end(storing: Coroutine[Any, Any, T]) -> T:
    """Await what must not stop half way; a caller that is cancelled is so once it has ended."""
    task = asyncio.get_running_loop().create_task(storing, name="store-tokens")
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait((task,))
        raise


async def _store(
    tools: Tools, credential_id: int, stored: credentials.Tokens, grant: Grant
) -> Refreshed:
    def unit(connection: Connection) -> bool:
        return credentials.store_refreshed(
            connection,
            credential_id,
            stored.generation,
            grant.access_token,
            grant.refresh_token or stored.refresh_token,
            grant.expires_at,
            grant.scopes or None,
            tools.clock.now(),
        )

    if not await tools.write(unit, durable=True):
        # A login or another refresh was faster, and what it stored is newer.
        _log.info("credential %d was changed while it was refreshed", credential_id)
        return Refreshed("unchanged", stored.generation)
    return Refreshed("fresh", stored.generation + 1, grant.expires_at)


async def _store_refresh_token(
    tools: Tools, credential_id: int, stored: credentials.Tokens, answer: Unverified
) -> None:
    """Keep a refresh token that came with an access token which nobody should use."""
    now = tools.clock.now()
    await tools.write(
        lambda conn: credentials.store_refreshed(
            conn, credential_id, stored.generation, "", answer.refresh_token, now, None, now
        ),
        durable=True,
    )


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
