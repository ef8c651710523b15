"""Credentials as lines of JSON: read and checked before any is written."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import msgspec

from cli.errors import BadInput
from ipc.unreadable import UNREADABLE

_MAX_SHOWN = 10
_MAX_ID = 2**63
# A day from either end of the calendar: a database tells times in the zone of its session.
_FIRST = datetime.min.replace(tzinfo=UTC) + timedelta(days=1)
_LAST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)


class CredentialLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the input."""

    character_id: int
    refresh_token: str
    # A list, or the space-separated text that SSO answers.
    scopes: list[str] | str
    access_token: str = ""
    expires_at: datetime | None = None
    # Corporations to mirror through this character's roles.
    corporations: list[int] = []

    @property
    def scope_set(self) -> frozenset[str]:
        """Return the scopes as a set."""
        return frozenset(self.scopes.split() if isinstance(self.scopes, str) else self.scopes)


def parse_lines(lines: Iterable[bytes]) -> list[CredentialLine]:
    """Return the credentials; BadInput lists every faulty line, without showing any token."""
    decoder = msgspec.json.Decoder(CredentialLine)
    found: list[CredentialLine] = []
    faults: list[str] = []
    seen: dict[int, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            credential = decoder.decode(line)
        except msgspec.ValidationError as error:
            faults.append(f"line {number}: {error}")
            continue
        except UNREADABLE:
            # The error's own text could quote a token.
            faults.append(f"line {number}: is no JSON object")
            continue
        fault = _fault(credential)
        earlier = seen.setdefault(credential.character_id, number)
        if earlier != number:
            fault = fault or f"character {credential.character_id} is on line {earlier} already"
        if fault:
            faults.append(f"line {number}: {fault}")
        found.append(credential)
    if faults:
        shown = faults[:_MAX_SHOWN]
        if len(faults) > _MAX_SHOWN:
            shown.append(f"and {len(faults) - _MAX_SHOWN} lines more")
        raise BadInput("no credential was imported\n" + "\n".join(shown))
    if not found:
        raise BadInput(
            "there is no credential on standard input",
            "Each line is an object with character_id, refresh_token and scopes.",
        )
    return found


def _fault(credential: CredentialLine) -> str:
    if not 0 < credential.character_id < _MAX_ID:
        return "character_id must be above 0"
    if not credential.refresh_token or not credential.refresh_token.isprintable():
        return "refresh_token must be set, on one line"
    if not credential.access_token.isprintable():
        return "access_token must be on one line"
    if any(not scope or not scope.isprintable() or " " in scope for scope in credential.scope_set):
        return "scopes must be names without spaces"
    if bool(credential.access_token) != (credential.expires_at is not None):
        return "access_token and expires_at go together"
    if credential.expires_at is not None and credential.expires_at.tzinfo is None:
        return "expires_at must name its zone, as 2026-06-09T12:00:00Z"
    if credential.expires_at is not None and not _is_storable(credential.expires_at):
        return "expires_at must lie within the years 1 to 9999"
    if not all(0 < corporation < _MAX_ID for corporation in credential.corporations):
        return "corporations must be ids above 0"
    return ""


def _is_storable(time: datetime) -> bool:
    return _FIRST <= time <= _LAST
