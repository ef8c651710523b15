"""Payloads of the outbox, as far as a mirror job needs to know what is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from ipc.unreadable import UNREADABLE

T = TypeVar("T")


def readable(payloads: Iterable[str], wire: type[T]) -> Iterator[T]:
    """Yield the payloads that can be read.

    What another program wrote so that it cannot be is failed by whoever claims it, and changes
    nothing at ESI: it must not keep the mirror from being read meanwhile.
    """
    decoder = msgspec.json.Decoder(wire)
    for text in payloads:
        try:
            yield decoder.decode(text)
        except UNREADABLE:
            continue
