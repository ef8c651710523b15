"""Asks ESI one question at a time, and turns the answer into a value or an error."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

import msgspec
from multidict import CIMultiDictProxy
from yarl import URL

from ipc.clock import Clock
from jobs import errors
from jobs.esi.freshness import fresh_until
from jobs.esi.headers import entity_tag, error_limit_reset_s, kept, whole_number
from jobs.esi.limits import RequestGate
from jobs.esi.reactions import Asked, Meaning, error_of, meaning_of
from jobs.esi.transport import Answer, NotSent, Transport
from jobs.purse import Purse
from jobs.rates import ERRORS_KEPT, ERRORS_WATCHED_FROM, WORST_COST, cost_of, limit_of
from jobs.spec import Params, Route

# Of a hundred errors a minute, so many are left to the requests that are on their way already.
ERRORS_LEFT_ALONE = 10


@dataclass(frozen=True, slots=True)
class Token:
    """An access token, and whose; kept out of every text."""

    credential_id: int
    generation: int
    character_id: int
    access_token: str

    def __repr__(self) -> str:
        """Return what may be logged."""
        return f"Token(credential_id={self.credential_id}, generation={self.generation})"


@dataclass(frozen=True, slots=True)
class Validators:
    """What an earlier answer said of itself, to ask whether it still holds."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class EsiAnswer:
    """A good or unchanged answer of ESI."""

    body: bytes
    unchanged: bool
    etag: str | None
    last_modified: str | None
    pages_text: str | None
    fresh_until: datetime
    date: str | None = None

    @property
    def pages(self) -> int | None:
        """Return the number of pages; None where the header is missing or is no number."""
        return whole_number(self.pages_text)


class EsiClient:
    """ESI, as all jobs of this process ask it."""

    def __init__(
        self,
        base_url: str,
        compatibility_date: str,
        transport: Transport,
        gate: RequestGate,
        clock: Clock,
    ) -> None:
        """Take where ESI is, the shared session and the shared pauses."""
        self._base = str(URL(base_url.rstrip("/")))
        self._compatibility_date = compatibility_date
        self._transport = transport
        self._gate = gate
        self._clock = clock

    @property
    def compatibility_date(self) -> str:
        """Return the date that pins the form of the answers."""
        return self._compatibility_date

    async def ask(
        self,
        route: Route,
        params: Params,
        *,
        token: Token | None = None,
        validators: Validators | None = None,
        body: object = None,
        purse: Purse | None = None,
        going: AbstractAsyncContextManager[None] | None = None,
    ) -> EsiAnswer:
        """Return the answer to one request; an error of jobs.errors for anything else.

        purse: pays for it; None: nobody counts. going: entered when nothing keeps the request back
        any more, and left when it is answered.
        """
        going = going or contextlib.nullcontext()
        asked = Asked(
            route,
            credential_id=token.credential_id if token else 0,
            generation=token.generation if token else 0,
            character_id=token.character_id if token else 0,
        )
        self._gate.check(asked.bucket, risks_errors=route.rate_group is None)
        if purse is None or route.rate_group is None:
            async with going:
                answer = await self._send(asked, params, token, validators, body)
        else:
            answer = await self._paid(purse, asked, params, token, validators, body, going)
        now = self._clock.now()
        if purse is not None:
            purse.saw(route.name, answer.status)
        self._gate.saw(answer.status)
        self._spare_error_limit(answer.headers, now)
        meaning = meaning_of(answer.status)
        if meaning is Meaning.GOOD:
            if answer.status == 204 and not asked.is_write:
                # As for the items of a contract that somebody has just accepted.
                raise errors.Gone(f"{route.name} answered 204: there is nothing any more")
            if answer.status == 206 and not asked.is_write:
                # Nobody asked for a part of it.
                raise errors.Transient(f"{route.name} answered 206, with a part of the whole")
            if not answer.body and not asked.is_write:
                raise errors.Transient(f"{route.name} answered {answer.status} with nothing in it")
            return self._answer(route, answer.headers, answer.body, now, unchanged=False)
        if meaning is Meaning.UNCHANGED and validators is not None:
            return self._answer(route, answer.headers, b"", now, unchanged=True)
        in_doubt = self._gate.in_doubt(now)
        error = error_of(answer.status, answer.headers, answer.body, asked, now, in_doubt=in_doubt)
        if isinstance(error, errors.PauseAll):
            self._gate.pause(error.until)
            # At once: the end of this job may take a moment, and others are under way.
            self._gate.tell_errors(0, error.reset_s)
        elif isinstance(error, errors.PauseBucket):
            self._gate.pause_bucket(error.bucket, error.until)
        raise error

    async def _send(
        self,
        asked: Asked,
        params: Params,
        token: Token | None,
        validators: Validators | None,
        body: object,
    ) -> Answer:
        return await self._transport.ask(
            asked.route.method,
            self._url(asked.route, params),
            self._headers(token, validators, has_body=body is not None),
            None if body is None else msgspec.json.encode(body),
            reads=not asked.is_write,
        )

    async def _paid(
        self,
        purse: Purse,
        asked: Asked,
        params: Params,
        token: Token | None,
        validators: Validators | None,
        body: object,
        going: AbstractAsyncContextManager[None],
    ) -> Answer:
        """Send a request whose cost is set aside before, and paid when it is known."""
        bucket = asked.bucket
        await purse.take(bucket)
        cost = 0
        try:
            # A pause may have begun meanwhile.
            self._gate.check(bucket)
            async with going:
                # So much, when nobody learns what came of it.
                cost = WORST_COST
                answer = await self._send(asked, params, token, validators, body)
            cost = cost_of(answer.status) + answer.earlier * WORST_COST
            _note(purse, asked, answer.headers)
        except NotSent:
            cost = 0
            raise
        finally:
            purse.pay(bucket, cost)
        return answer

    def _spare_error_limit(self, headers: CIMultiDictProxy[str], now: datetime) -> None:
        """Stop before the shared error limit is spent: past it every route answers 420."""
        remain = whole_number(headers.get("X-ESI-Error-Limit-Remain"))
        if remain is None or remain >= ERRORS_WATCHED_FROM:
            return
        reset_s = error_limit_reset_s(headers)
        until = now + timedelta(seconds=reset_s)
        if remain <= ERRORS_LEFT_ALONE:
            self._gate.pause(until)
        elif remain <= ERRORS_KEPT:
            self._gate.hold_errors(until)
        self._gate.tell_errors(remain, reset_s)

    def _url(self, route: Route, params: Params) -> URL:
        """Return the URL; params that the path does not name become its query."""
        path, rest = route.path, dict(params)
        for name in params:
            placeholder = "{" + name + "}"
            if placeholder in path:
                path = path.replace(placeholder, _in_url(rest.pop(name)))
        if "{" in path:
            raise ValueError(f"{route.name} needs more than {sorted(params)}")
        query = {**dict(route.query), **rest}
        words = "&".join(f"{name}={_in_url(value)}" for name, value in query.items())
        tail = f"?{words}" if words else ""
        return URL(f"{self._base}{path}{tail}", encoded=True)

    def _headers(
        self, token: Token | None, validators: Validators | None, *, has_body: bool
    ) -> Mapping[str, str]:
        """Return the headers of this one request."""
        headers = {
            "Accept": "application/json",
            "X-Compatibility-Date": self._compatibility_date,
        }
        if has_body:
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["Authorization"] = f"Bearer {token.access_token}"
        if validators is not None:
            if validators.etag:
                headers["If-None-Match"] = validators.etag
            elif validators.last_modified:
                headers["If-Modified-Since"] = validators.last_modified
        return headers

    @staticmethod
    def _answer(
        route: Route,
        headers: CIMultiDictProxy[str],
        body: bytes,
        now: datetime,
        *,
        unchanged: bool,
    ) -> EsiAnswer:
        return EsiAnswer(
            body=body,
            unchanged=unchanged,
            etag=entity_tag(headers),
            last_modified=kept(headers, "Last-Modified"),
            pages_text=headers.get("X-Pages"),
            fresh_until=fresh_until(headers, route.cache_age_s, now),
            date=headers.get("Date"),
        )


def _in_url(value: int | str) -> str:
    """Return a value as it stands in a URL; most are numbers, which stand as they are."""
    return str(value) if type(value) is int else quote(str(value), safe="")


def _note(purse: Purse, asked: Asked, headers: CIMultiDictProxy[str]) -> None:
    """Remember what ESI says of the bucket that was spent from."""
    if headers.get("X-Ratelimit-Group") != asked.route.rate_group:
        return
    remaining = whole_number(headers.get("X-Ratelimit-Remaining"))
    if remaining is not None:
        tokens, window_s = limit_of(headers.get("X-Ratelimit-Limit")) or (0, 0)
        purse.note(asked.bucket, remaining, tokens, window_s)
