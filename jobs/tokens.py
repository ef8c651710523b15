"""The access tokens of one job: read from the database when it starts, and once more on a 401."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import Connection

from jobs.errors import NeedsLogin, TokenRejected
from jobs.esi.client import Token
from jobs.reasons import Flagged
from jobs.store import credentials
from jobs.tools import Tools

# A token that ends so soon would end on its way.
_MARGIN = timedelta(seconds=5)


class JobTokens:
    """Hands out the tokens of the credentials that a job was granted."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._stored: dict[int, credentials.Tokens | None] = {}

    async def load(self, credential_ids: Iterable[int]) -> None:
        """Read credentials, all in one go."""
        wanted = sorted(set(credential_ids) - {0})
        if wanted:
            self._stored.update(await self._tools.read(lambda conn: _read(conn, wanted)))

    def token(self, credential_id: int) -> Token:
        """Return a token that is good for a while.

        Flagged, NeedsLogin, or TokenRejected where it has run out: a refresh must come first.
        """
        stored = self._stored.get(credential_id)
        if stored is None:
            raise NeedsLogin("the credential was removed; log in again", credential_id)
        return token_of(credential_id, stored, self._tools.clock.now())

    async def newer(self, token: Token) -> Token | None:
        """Return a token newer than one that ESI refused, if the database has one by now."""
        await self.load([token.credential_id])
        fresh = self.token(token.credential_id)
        return fresh if fresh.generation != token.generation else None


def _read(
    connection: Connection, credential_ids: list[int]
) -> dict[int, credentials.Tokens | None]:
    return {each: credentials.tokens(connection, each) for each in credential_ids}


def token_of(credential_id: int, stored: credentials.Tokens, now: datetime) -> Token:
    """Return a credential's token if it is good for a while.

    Flagged, or TokenRejected where it has run out: a refresh must come first.
    """
    if stored.needs_reauth:
        raise Flagged(f"character {stored.character_id} needs to log in again")
    if not stored.access_token or stored.expires_at is None or stored.expires_at - now <= _MARGIN:
        raise TokenRejected(credential_id, stored.generation)
    return Token(credential_id, stored.generation, stored.character_id, stored.access_token)
