"""What each HTTP status of ESI means for the one who asked: one table, and the reading of bodies.

Pure. The status is looked at first; the body only where the status leaves the question open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from ipc.plain_text import plain
from ipc.unreadable import UNREADABLE
from jobs import errors
from jobs.esi import headers as read
from jobs.rates import bucket_name, is_public
from jobs.spec import Route


class Meaning(StrEnum):
    """What an answer means, whatever was asked."""

    GOOD = "good"
    UNCHANGED = "unchanged"
    # Going elsewhere is for reads only, and within the same origin.
    MOVED = "moved"
    ERROR_LIMIT = "error limit"
    RATE_LIMIT = "rate limit"
    TOKEN = "token"  # noqa: S105 - a word, not a secret
    FORBIDDEN = "forbidden"
    GONE = "gone"
    # Try again later; nothing is wrong with what was asked.
    TROUBLE = "trouble"
    # The game server behind ESI refused a write, and says why in the body.
    GAME_REFUSED = "game refused"
    BAD = "bad"


STATUSES: Mapping[int, Meaning] = {
    304: Meaning.UNCHANGED,
    401: Meaning.TOKEN,
    403: Meaning.FORBIDDEN,
    404: Meaning.GONE,
    410: Meaning.GONE,
    420: Meaning.ERROR_LIMIT,
    422: Meaning.GONE,
    408: Meaning.TROUBLE,
    425: Meaning.TROUBLE,
    429: Meaning.RATE_LIMIT,
    520: Meaning.GAME_REFUSED,
}
_CLASSES: Mapping[int, Meaning] = {
    2: Meaning.GOOD,
    3: Meaning.MOVED,
    4: Meaning.BAD,
    5: Meaning.TROUBLE,
}

_SCOPE = re.compile(r"esi-[a-z_-]+\.[a-z_]+\.v\d+")
_LEFT_WORDS = ("not in the corporation", "not in the alliance", "not a member")
_ROLE_WORDS = ("role", "not a director", *_LEFT_WORDS)
_TEXT_BYTES = 200


class _Error(msgspec.Struct):
    error: str
    sso_status: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked and for whom, as far as an error must name it."""

    route: Route
    # 0: without a token.
    credential_id: int = 0
    generation: int = 0
    # Who spends a rate bucket.
    character_id: int = 0

    @property
    def is_write(self) -> bool:
        """Tell whether the request may change something in the game."""
        return self.route.method in ("PUT", "DELETE") or (
            self.route.method == "POST" and self.route.name not in READING_POSTS
        )

    @property
    def bucket(self) -> str:
        """Return the name of the rate bucket that the request spends from."""
        return self.bucket_of(self.route.rate_group or self.route.name)

    def bucket_of(self, group: str) -> str:
        """Return the name of the bucket of a group that the request spends from."""
        public = is_public(self.route.name, group)
        return bucket_name(group, 0 if public else self.character_id)


# These POSTs carry a list of ids to read; they change nothing and may be repeated.
READING_POSTS = frozenset(
    {
        "POST /universe/names",
        "POST /universe/ids",
        "POST /characters/affiliation",
        "POST /characters/{character_id}/cspa",
        "POST /characters/{character_id}/assets/names",
        "POST /characters/{character_id}/assets/locations",
        "POST /corporations/{corporation_id}/assets/names",
        "POST /corporations/{corporation_id}/assets/locations",
    }
)


class ServerTrouble(errors.Transient):
    """A 5xx; `own` tells ESI's own word from that of a gateway before it."""

    own: bool = False
    status: int = 500


class Absent(errors.RefusedWrite):
    """What a write was about is not there; for a deletion that is the aim."""


class GameRefused(errors.Transient):
    """HTTP 520: the game server's own reason, word for word."""


def meaning_of(status: int) -> Meaning:
    """Return what a status means; one that the table does not name goes by its class."""
    return STATUSES.get(status) or _CLASSES.get(status // 100, Meaning.BAD)


def error_text(body: bytes) -> str:
    """Return the error that ESI's body names, or the beginning of whatever it is."""
    inner = _inner(body)
    if inner is not None:
        return plain(inner.error)
    return " ".join(plain(body[:_TEXT_BYTES].decode("utf-8", "replace")).split())


def is_own_error(body: bytes) -> bool:
    """Tell whether the body is an error in ESI's form, and no page of a gateway."""
    inner = _inner(body)
    return inner is not None and not inner.error.lower().startswith("timeout contacting")


def error_of(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    asked: Asked,
    now: datetime,
    *,
    in_doubt: bool = False,
) -> errors.JobError:
    """Return the error that an answer other than good or unchanged is.

    in_doubt: ESI may be down, as in the downtime, or has just come back, and says things that are
    not so.
    """
    said = f"{asked.route.name} answered {status}: {error_text(body)}"
    meaning = meaning_of(status)
    if meaning is Meaning.TOKEN and not asked.credential_id:
        meaning = Meaning.BAD
    if in_doubt and (meaning is Meaning.FORBIDDEN or status in (404, 410)):
        return errors.Transient(f"{said} (ESI is or was down: no verdict)")
    match meaning:
        case Meaning.ERROR_LIMIT:
            reset_s = read.error_limit_reset_s(headers)
            return errors.PauseAll(now + timedelta(seconds=reset_s), reset_s)
        case Meaning.RATE_LIMIT:
            return _rate_limited(headers, asked, now)
        case Meaning.TOKEN:
            return errors.TokenRejected(asked.credential_id, asked.generation)
        case Meaning.FORBIDDEN:
            return _forbidden(body, asked, said)
        case Meaning.GONE:
            return _gone(status, asked, said)
        case Meaning.GAME_REFUSED:
            return GameRefused(error_text(body)) if asked.is_write else errors.Transient(said)
        case Meaning.TROUBLE:
            return _trouble(status, headers, body, said, now)
        case _:
            return _bad(status, meaning, asked, said)


def _rate_limited(headers: Mapping[str, str], asked: Asked, now: datetime) -> errors.JobError:
    retry_s = read.retry_after_s(headers, now)
    group = read.rate_group(headers)
    bucket = asked.bucket_of(group) if group else asked.bucket
    return errors.PauseBucket(bucket, now + timedelta(seconds=retry_s), retry_s)


def _gone(status: int, asked: Asked, said: str) -> errors.JobError:
    if not asked.is_write:
        return errors.Gone(said)
    return errors.RefusedWrite(said) if status == 422 else Absent(said)


def _trouble(
    status: int, headers: Mapping[str, str], body: bytes, said: str, now: datetime
) -> errors.JobError:
    trouble = ServerTrouble(said)
    trouble.own, trouble.status = is_own_error(body), status
    if "Retry-After" in headers:
        trouble.retry_at = now + timedelta(seconds=read.retry_after_s(headers, now))
    return trouble


def _bad(status: int, meaning: Meaning, asked: Asked, said: str) -> errors.JobError:
    if meaning is Meaning.BAD and asked.is_write:
        return errors.RefusedWrite(said)
    return errors.Refused(said) if status == 400 else errors.BadAnswer(said)


def _forbidden(body: bytes, asked: Asked, said: str) -> errors.JobError:
    """Return what a 403 is: of scope, of role, or of nothing that concerns the one who asks."""
    inner = _inner(body)
    if inner is None or inner.sso_status is not None:
        # A page of a gateway, or trouble at SSO: no verdict on anybody's rights.
        return errors.Transient(said)
    text = inner.error.lower()
    scope = _SCOPE.search(text)
    if asked.credential_id and (scope or "scope" in text):
        return errors.MissingScope(scope[0] if scope else inner.error, asked.credential_id)
    if asked.is_write:
        return errors.RefusedWrite(said)
    if asked.credential_id:
        left = any(word in text for word in _LEFT_WORDS)
        reason = inner.error if any(word in text for word in _ROLE_WORDS) else said
        return errors.MissingRole(reason, asked.credential_id, left)
    return errors.Gone(said)


def _inner(body: bytes) -> _Error | None:
    try:
        return msgspec.json.decode(body, type=_Error)
    except UNREADABLE:
        return None
