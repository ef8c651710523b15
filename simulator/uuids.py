"""Ids that are written as UUIDs, and the numbers they stand for inside of the simulator."""

from __future__ import annotations

from uuid import UUID

# Path parameters whose ids are UUIDs.
NAMES = frozenset({"job_id", "operation_id", "project_id"})
_VERSION = 0x4000_8000_0000_0000_0000
_OWNER_BITS = 32


def uuid_of(topic: int, owner_id: int, index: int) -> str:
    """Return the id of a thing: the same for the same owner and index, and readable back."""
    number = topic << 112 | owner_id << 80 | _VERSION | index
    return str(UUID(int=number))


def number_of(text: str) -> int:
    """Return the number that a UUID is; ValueError for any other text."""
    return UUID(text).int


def parts_of(topic: int, number: int) -> tuple[int, int] | None:
    """Return owner and index of an id that uuid_of made for the topic; None for any other."""
    owner_id, index = number >> 80 & (2**_OWNER_BITS - 1), number & (2**32 - 1)
    made = topic << 112 | owner_id << 80 | _VERSION | index
    return (owner_id, index) if number == made else None
