"""EVE's single sign-on: where its endpoints are, logging in, refreshing, revoking, checking tokens.

Used by the workers' refresh jobs and by the login of the command line.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import jwt
import msgspec
from yarl import URL

from ipc.clock import Clock
from ipc.plain_text import plain
from ipc.unreadable import UNREADABLE
from jobs.errors import JobError, Transient
from jobs.esi.reactions import error_text
from jobs.esi.transport import Answer, Transport

_log = logging.getLogger(__name__)

METADATA_PATH = "/.well-known/oauth-authorization-server"
AUDIENCE = "EVE Online"
# SSO names itself in one of these two ways, whatever its address.
ISSUERS = ("login.eveonline.com", "https://login.eveonline.com")
_ALGORITHMS = ["RS256", "ES256"]
_LEEWAY_S = 60
_METADATA_AGE_S = 3600.0
_KEYS_AGE_S = 3600.0
# A token that no known key signed has them read again, but not more often than this.
_KEYS_AGAIN_S = 30.0
_SUBJECT_PREFIX = "CHARACTER:EVE:"
# More digits than any id has: Python refuses to read very many.
_ID_DIGITS = 18
# Looked for where an answer as a whole cannot be read.
_NEW_REFRESH_TOKEN = re.compile(rb'"refresh_token"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass
class RefreshRefused(JobError):
    """SSO says that the refresh token is no good (invalid_grant)."""

    reason: str


@dataclass
class Misconfigured(JobError):
    """SSO does not know this client: every refresh will fail until the operator acts."""

    reason: str


@dataclass
class BadToken(JobError):
    """An access token is not what SSO would have signed for us."""

    reason: str


@dataclass
class Unverified(JobError):
    """SSO answered, and its access token could not be checked; the refresh token may be new."""

    reason: str
    refresh_token: str = field(repr=False)


class _Metadata(msgspec.Struct):
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    revocation_endpoint: str = ""
    issuer: str = ""


class _TokenAnswer(msgspec.Struct):
    access_token: str
    expires_in: float
    refresh_token: str | None = None


class _Claims(msgspec.Struct):
    sub: str
    name: str = ""
    scp: list[str] | str | None = None


class _Refusal(msgspec.Struct):
    error: str = ""
    error_description: str = ""


class _KeySet(msgspec.Struct):
    keys: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Grant:
    """What SSO granted: tokens, which show in no repr, and what the access token says."""

    access_token: str = field(repr=False)
    # Empty: SSO sent none, so the one before goes on being good.
    refresh_token: str = field(repr=False)
    expires_at: datetime
    character_id: int
    character_name: str
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Challenge:
    """One login under way: the secret that proves who began it, and the state that comes back."""

    verifier: str = field(repr=False)
    state: str

    @classmethod
    def new(cls) -> Challenge:
        """Return a challenge that nobody can guess."""
        return cls(secrets.token_urlsafe(64), secrets.token_urlsafe(24))

    @property
    def code_challenge(self) -> str:
        """Return the S256 hash of the verifier."""
        digest = hashlib.sha256(self.verifier.encode("ascii")).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


class SsoClient:
    """SSO, as one registered application asks it."""

    def __init__(self, base_url: str, client_id: str, transport: Transport, clock: Clock) -> None:
        """Take where SSO is, the application's id, the shared session and a clock."""
        self._base = URL(base_url.rstrip("/"))
        self._client_id = client_id
        self._transport = transport
        self._clock = clock
        self._metadata: _Metadata | None = None
        self._metadata_until_s = float("-inf")
        self._keys: dict[str, Any] = {}
        self._keys_until_s = float("-inf")
        self._keys_again_s = float("-inf")

    # --- logging in ------------------------------------------------------------------------------

    async def login_url(
        self, challenge: Challenge, callback_url: str, scopes: Iterable[str]
    ) -> str:
        """Return the address at which a person logs in and consents."""
        metadata = await self._endpoints()
        query = {
            "response_type": "code",
            "redirect_uri": callback_url,
            "client_id": self._client_id,
            "scope": " ".join(sorted(scopes)),
            "state": challenge.state,
            "code_challenge": challenge.code_challenge,
            "code_challenge_method": "S256",
        }
        return f"{metadata.authorization_endpoint}?{urlencode(query)}"

    async def redeem(self, code: str, challenge: Challenge, callback_url: str) -> Grant:
        """Return the grant for the code that the login ended with."""
        return await self._token_request(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": callback_url,
                "code_verifier": challenge.verifier,
            }
        )

    # --- keeping the grant -----------------------------------------------------------------------

    async def prepare(self) -> None:
        """Learn what a refresh needs beside the refresh token, which it may cost."""
        await self._endpoints()
        await self._fresh_keys()

    async def refresh(self, refresh_token: str, client_id: str = "") -> Grant:
        """Return new tokens for a refresh token; RefreshRefused if SSO does not take it."""
        return await self._token_request(
            {"grant_type": "refresh_token", "refresh_token": refresh_token}, client_id
        )

    async def revoke(self, refresh_token: str, client_id: str = "") -> None:
        """Give a refresh token back; it is good for nothing afterwards."""
        metadata = await self._endpoints()
        if not metadata.revocation_endpoint:
            raise Misconfigured("SSO names no endpoint that revokes tokens")
        answer = await self._post(
            metadata.revocation_endpoint,
            {
                "token": refresh_token,
                "token_type_hint": "refresh_token",
                "client_id": client_id or self._client_id,
            },
        )
        if answer.status >= 300:
            raise _refusal(answer)

    async def verify(self, access_token: str, client_id: str = "") -> Mapping[str, Any]:
        """Return the claims of an access token that SSO signed, for us, and that still holds."""
        try:
            key_id = jwt.get_unverified_header(access_token).get("kid", "")
        except jwt.InvalidTokenError as error:
            raise BadToken(f"the access token is no JWT: {error}") from None
        key = await self._key(key_id)
        try:
            claims = self._claims(access_token, key)
        except jwt.InvalidSignatureError:
            # SSO may have put another key under the same name.
            await self._load_keys_again()
            try:
                claims = self._claims(access_token, await self._key(key_id))
            except jwt.InvalidTokenError as error:
                raise BadToken(f"the access token does not hold: {error}") from None
        except jwt.InvalidTokenError as error:
            raise BadToken(f"the access token does not hold: {error}") from None
        audience = claims["aud"]
        named = audience if isinstance(audience, list) else [audience]
        if (client_id or self._client_id) not in named:
            raise BadToken("the access token was issued to another application")
        return claims

    # --- inside ----------------------------------------------------------------------------------

    async def _token_request(self, fields: Mapping[str, str], client_id: str = "") -> Grant:
        client_id = client_id or self._client_id
        if not client_id:
            raise Misconfigured("no client_id is configured; set [sso] client_id")
        # Before: what could fail should do so while the old refresh token is still good.
        await self.prepare()
        metadata = await self._endpoints()
        answer = await self._post(metadata.token_endpoint, {**fields, "client_id": client_id})
        if answer.status != 200:
            raise _refusal(answer)
        # From here on the old refresh token may be dead, and the new one is all there is.
        try:
            # A number in quotes is one too.
            given = msgspec.json.decode(answer.body, type=_TokenAnswer, strict=False)
        except UNREADABLE as error:
            reason = f"SSO's answer cannot be read: {error}"
            if refresh_token := _new_refresh_token(answer.body):
                raise Unverified(reason, refresh_token) from None
            raise Transient(reason) from None
        try:
            return await self._grant(given, client_id)
        except JobError as error:
            raise Unverified(_reason_of(error), given.refresh_token or "") from error
        except Exception as error:
            _log.exception("checking SSO's answer met an error nobody foresaw")
            raise Unverified(type(error).__name__, given.refresh_token or "") from error

    async def _grant(self, given: _TokenAnswer, client_id: str) -> Grant:
        """Return what was granted, once the access token has been checked."""
        verified = await self.verify(given.access_token, client_id)
        try:
            claims = msgspec.convert(verified, _Claims)
        except msgspec.ValidationError as error:
            raise BadToken(f"the access token cannot be read: {error}") from None
        scopes = [claims.scp] if isinstance(claims.scp, str) else claims.scp or []
        return Grant(
            access_token=given.access_token,
            refresh_token=given.refresh_token or "",
            expires_at=self._expiry(given.expires_in),
            character_id=_character_of(claims.sub),
            character_name=plain(claims.name),
            scopes=frozenset(map(plain, scopes)),
        )

    def _expiry(self, expires_in_s: float) -> datetime:
        # By our own clock: only the duration is SSO's to tell.
        return self._clock.now() + timedelta(seconds=min(max(expires_in_s, 0.0), 86_400.0))

    def _issuers(self) -> list[str]:
        own = [self._metadata.issuer] if self._metadata and self._metadata.issuer else []
        return [*ISSUERS, *own, str(self._base), str(self._base) + "/"]

    async def _endpoints(self) -> _Metadata:
        now_s = self._clock.monotonic_s()
        if self._metadata is None or now_s >= self._metadata_until_s:
            url = URL(str(self._base) + METADATA_PATH)
            metadata = await self._get(url, _Metadata)
            self._check_origins(metadata)
            self._metadata = metadata
            self._metadata_until_s = now_s + _METADATA_AGE_S
        return self._metadata

    def _check_origins(self, metadata: _Metadata) -> None:
        """Refuse metadata that would have refresh tokens sent to another server."""
        for endpoint in (metadata.token_endpoint, metadata.revocation_endpoint):
            try:
                is_same = not endpoint or URL(endpoint).origin() == self._base.origin()
                # The keys may be anywhere, as long as that is an address.
                URL(metadata.jwks_uri).origin()
            except ValueError:
                raise Transient("SSO's metadata names what is no address of a server") from None
            if not is_same:
                raise Misconfigured(f"SSO's metadata names another server: {endpoint}")

    async def _key(self, key_id: str) -> Any:
        """Return the public key of that name; keys are read again when a new name turns up."""
        await self._fresh_keys()
        if key_id not in self._keys:
            await self._load_keys_again()
        try:
            return self._keys[key_id]
        except KeyError:
            raise BadToken(f"SSO has no key named {key_id!r}") from None

    def _claims(self, access_token: str, key: Any) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            access_token,
            key=key,
            algorithms=_ALGORITHMS,
            issuer=self._issuers(),
            audience=AUDIENCE,
            leeway=_LEEWAY_S,
            options={"require": ["exp", "iss", "aud", "sub"], "verify_iat": False},
        )
        return claims

    async def _load_keys_again(self) -> None:
        if self._clock.monotonic_s() >= self._keys_again_s:
            await self._load_keys()

    async def _fresh_keys(self) -> None:
        if self._clock.monotonic_s() >= self._keys_until_s:
            await self._load_keys()

    async def _load_keys(self) -> None:
        now_s = self._clock.monotonic_s()
        metadata = await self._endpoints()
        answer = await self._get(URL(metadata.jwks_uri), _KeySet)
        keys: dict[str, Any] = {}
        for each in answer.keys:
            try:
                key = jwt.PyJWK(each)
            except jwt.PyJWTError:
                # A kind of key that we could not check a signature with.
                continue
            keys[key.key_id or ""] = key
        self._keys = keys
        self._keys_until_s = now_s + _KEYS_AGE_S
        self._keys_again_s = now_s + _KEYS_AGAIN_S

    async def _get(self, url: URL, wire: type[Any]) -> Any:
        answer = await self._transport.ask("GET", url, {"Accept": "application/json"}, reads=True)
        if answer.status != 200:
            raise Transient(f"SSO answered {answer.status} to {url.path}")
        try:
            return msgspec.json.decode(answer.body, type=wire)
        except UNREADABLE as error:
            raise Transient(f"SSO's {url.path} cannot be read: {error}") from None

    async def _post(self, endpoint: str, fields: Mapping[str, str]) -> Answer:
        return await self._transport.ask(
            "POST",
            URL(endpoint),
            {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"},
            urlencode(fields).encode("ascii"),
            reads=False,
        )


def _new_refresh_token(body: bytes) -> str:
    """Return the refresh token in an answer that cannot be read as a whole; empty: none."""
    found = _NEW_REFRESH_TOKEN.search(body)
    try:
        return "" if found is None else msgspec.json.decode(found[1], type=str)
    except UNREADABLE:
        return ""


def _reason_of(error: JobError) -> str:
    reason = getattr(error, "reason", "")
    return reason if isinstance(reason, str) and reason else type(error).__name__


def _character_of(subject: str) -> int:
    number = subject.removeprefix(_SUBJECT_PREFIX)
    if number == subject or not number.isdecimal() or len(number) > _ID_DIGITS:
        raise BadToken(f"the access token is for {subject!r}, which is no character")
    return int(number)


def _refusal(answer: Answer) -> JobError:
    """Return what a refusal of SSO is: of the token, of this client, or of nobody in particular."""
    try:
        refusal = msgspec.json.decode(answer.body, type=_Refusal)
    except UNREADABLE:
        refusal = _Refusal()
    said = f"SSO answered {answer.status}: {refusal.error_description or error_text(answer.body)}"
    if 400 <= answer.status < 500:
        if refusal.error == "invalid_grant":
            return RefreshRefused(said)
        if refusal.error in ("invalid_client", "unauthorized_client"):
            return Misconfigured(said)
    return Transient(said)
