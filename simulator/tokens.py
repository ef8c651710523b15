"""Grants of the simulated SSO: access tokens that ESI knows, refresh tokens that rotate."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from simulator.clock import SimulatedClock
from simulator.universe.people import Population

AUDIENCE = "EVE Online"
KEY_ID = "simulated-eve-1"


def new_key() -> rsa.RSAPrivateKey:
    """Make a key to sign access tokens with."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class InvalidGrant(Exception):
    """A refresh token or code that is unknown, used up or revoked."""


@dataclass(frozen=True, slots=True)
class Access:
    """What ESI knows of an access token."""

    character_id: int
    scopes: frozenset[str]
    client_id: str
    family: int
    expires_s: float


@dataclass(slots=True)
class Refresh:
    """One refresh token; the token that it was exchanged for confirms it when used."""

    token: str
    family: int
    character_id: int
    client_id: str
    scopes: tuple[str, ...]
    used: bool = False
    dead: bool = False
    successor: Refresh | None = None
    predecessor: Refresh | None = None


@dataclass(frozen=True, slots=True)
class Issued:
    """What the token endpoint answers."""

    access_token: str
    refresh_token: str
    lifetime_s: int
    expires_at_s: float


@dataclass(slots=True)
class _Books:
    access: dict[str, Access] = field(default_factory=dict)
    refresh: dict[str, Refresh] = field(default_factory=dict)
    latest: dict[int, Refresh] = field(default_factory=dict)
    revoked: set[int] = field(default_factory=set)
    families: int = 0


class TokenOffice:
    """Issues, rotates and revokes tokens, and tells what an access token is good for."""

    def __init__(
        self,
        people: Population,
        clock: SimulatedClock,
        *,
        lifetime_s: int = 1200,
        rotate: bool = True,
        single_use: bool = False,
        key: rsa.RSAPrivateKey | None = None,
    ) -> None:
        self._people = people
        self._clock = clock
        self._lifetime_s = lifetime_s
        self._rotate = rotate
        self._books = _Books()
        self._key = key or new_key()
        self.single_use = single_use
        self.issuer = ""

    def jwks(self) -> dict[str, object]:
        """Return the public key with which access tokens can be checked."""
        key = jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {
            "keys": [{**key, "alg": "RS256", "kid": KEY_ID, "use": "sig"}],
            "SkipUnresolvedJsonWebKeys": True,
        }

    def grant(self, character_id: int, client_id: str, scopes: tuple[str, ...]) -> Refresh:
        """Start a new family of tokens, as a person's consent does."""
        books = self._books
        books.families += 1
        made = Refresh(secrets.token_urlsafe(24), books.families, character_id, client_id, scopes)
        books.refresh[made.token] = made
        books.latest[character_id] = made
        return made

    def latest(self, character_id: int) -> Refresh | None:
        """Return the newest refresh token of a character, dead or alive."""
        return self._books.latest.get(character_id)

    def first_issue(self, refresh: Refresh) -> Issued:
        """Answer an exchanged code: an access token beside the family's first refresh token."""
        return self._issue(refresh)

    def refresh(self, token: str, client_id: str) -> Issued:
        """Exchange a refresh token for an access token, and a new refresh token."""
        held = self._books.refresh.get(token)
        if held is None or held.dead or held.family in self._books.revoked:
            raise InvalidGrant("The refresh token is expired, revoked or unknown.")
        if held.client_id != client_id:
            raise InvalidGrant("The refresh token belongs to another client.")
        if self.single_use and held.used and self._rotate:
            raise InvalidGrant("The refresh token has been used.")
        held.used = True
        if held.predecessor is not None:
            held.predecessor.dead = True
        return self._issue(self._next(held) if self._rotate else held)

    def access_of(self, token: str) -> Access | None:
        """Return what a bearer token is good for now; None for one that is good for nothing."""
        found = self._books.access.get(token)
        if found is None or found.expires_s <= self._clock.steady_s():
            return None
        return None if found.family in self._books.revoked else found

    def revoke_token(self, token: str) -> None:
        """Revoke the family of a refresh token or access token; unknown ones are no error."""
        refresh = self._books.refresh.get(token)
        access = self._books.access.get(token)
        family = refresh.family if refresh else access.family if access else None
        if family is not None:
            self._books.revoked.add(family)

    def revoke_character(self, character_id: int) -> int:
        """Revoke every family of a character, as its owner can; return how many there were."""
        families = {
            held.family
            for held in self._books.refresh.values()
            if held.character_id == character_id
        } - self._books.revoked
        self._books.revoked |= families
        return len(families)

    def is_alive(self, refresh: Refresh) -> bool:
        """Tell whether a refresh token can still be exchanged."""
        used_up = self.single_use and refresh.used and self._rotate
        return not (refresh.dead or used_up or refresh.family in self._books.revoked)

    def expire_access(self) -> int:
        """Make ESI forget every access token; refresh tokens live on."""
        count = len(self._books.access)
        self._books.access.clear()
        return count

    def _next(self, held: Refresh) -> Refresh:
        # An answer that got lost may be asked for again: the same successor is told then.
        if held.successor is None:
            made = Refresh(
                secrets.token_urlsafe(24),
                held.family,
                held.character_id,
                held.client_id,
                held.scopes,
                predecessor=held,
            )
            held.successor = made
            self._books.refresh[made.token] = made
            self._books.latest[held.character_id] = made
        return held.successor

    def _issue(self, refresh: Refresh) -> Issued:
        now_s = self._clock.wall_s()
        expires_at_s = now_s + self._lifetime_s
        pilot = self._people.pilot(refresh.character_id)
        scopes: str | list[str] = list(refresh.scopes)
        if len(refresh.scopes) == 1:  # the real one writes a single scope without a list
            scopes = refresh.scopes[0]
        claims: dict[str, object] = {
            "sub": f"CHARACTER:EVE:{refresh.character_id}",
            "name": pilot.name,
            "owner": f"owner-{refresh.character_id}",
            "iss": self.issuer,
            "aud": [refresh.client_id, AUDIENCE],
            "azp": refresh.client_id,
            "jti": secrets.token_hex(12),
            "kid": KEY_ID,
            "region": "world",
            "tenant": "tranquility",
            "tier": "live",
            "iat": int(now_s),
            "exp": int(expires_at_s),
        }
        if refresh.scopes:
            claims["scp"] = scopes
        token = jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": KEY_ID})
        self._forget_expired()
        self._books.access[token] = Access(
            refresh.character_id,
            frozenset(refresh.scopes),
            refresh.client_id,
            refresh.family,
            self._clock.steady_s() + self._lifetime_s,
        )
        return Issued(token, refresh.token, self._lifetime_s, expires_at_s)

    def _forget_expired(self) -> None:
        now_s = self._clock.steady_s()
        access = self._books.access
        while access:
            oldest = next(iter(access))  # issued first, so it expires first
            if access[oldest].expires_s > now_s:
                return
            del access[oldest]
