"""What the control route can be told to do, and how it is read from a request."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from simulator.answers import Question
from simulator.errors import bad_request

T = TypeVar("T", bound=msgspec.Struct)


class ClockOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Stop or start universe time, let it jump, change its pace."""

    freeze: bool | None = None
    advance_s: float = 0.0
    speed: float | None = None


class DowntimeOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Begin or end a downtime."""

    on: bool


class LatencyOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Let every answer take so long."""

    seconds: float


class CharacterOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Name a character."""

    character_id: int


class GrantOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Grant scopes anew, as a person would by logging in; all of them when absent."""

    character_id: int
    scopes: tuple[str, ...] | None = None


class RolesOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Take roles from a character (`*`: all), or give back what was taken."""

    character_id: int
    drop: tuple[str, ...] = ()
    restore: bool = False


class MoveOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Let a character change its corporation."""

    character_id: int
    corporation_id: int


class LimitsOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Switch the limits, or give everything back."""

    rate: bool | None = None
    errors: bool | None = None
    clear: bool = False


class SsoOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Make refresh tokens die with their first use, or not; expire all access tokens."""

    single_use: bool | None = None
    expire_access: bool = False


class StrangerOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Let somebody charge those who write, or be out of reach for contacts."""

    character_id: int
    charge: int = 0
    unreachable: bool = False


class SpamOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Let a character send no mail for so long."""

    character_id: int
    seconds: float


class LabelsOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Take labels for a character's contacts and put none on, or do so again."""

    character_id: int
    applied: bool


def decode(question: Question, kind: type[T]) -> T:
    """Return the order that a request gives; a Refusal if it is none."""
    try:
        return msgspec.json.decode(question.body or b"{}", type=kind)
    except msgspec.DecodeError as wrong:
        raise bad_request(str(wrong)) from wrong


def whole(text: str, name: str) -> int:
    """Return a number of a query; a Refusal if it is none."""
    if not text.isdecimal():
        raise bad_request(f"{name} must be a number")
    return int(text)
