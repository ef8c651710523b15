"""Reading what ESI answers to a write, or to a look at what was written."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from ipc.unreadable import UNREADABLE
from jobs.errors import BadAnswer, Transient

T = TypeVar("T")


def decoded(body: bytes, kind: type[T], what: str) -> T:
    """Return the value of a body; Transient if it is no JSON, BadAnswer if it has another form."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise BadAnswer(f"{what} came in another form: {error}") from None
    except UNREADABLE as error:
        raise Transient(f"{what} came as what is no JSON: {error}") from None
