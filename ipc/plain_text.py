"""Text from outside as every database, pipe and screen can take it; pure."""

from __future__ import annotations

import re

# PostgreSQL stores no NUL, and a screen obeys the others; line breaks and tabs are for the caller.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x9f]")
# Of a byte that is no UTF-8, or half a pair: no encoder takes it.
_HALF = re.compile(r"[\ud800-\udfff]")
_INSTEAD = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """Return a text without control characters, and with U+FFFD for what is no character."""
    return text if text.isascii() and text.isprintable() else encodable(_CONTROL.sub("", text))


def encodable(text: str) -> str:
    """Return a text that can be encoded, with U+FFFD for what is no character."""
    return text if text.isascii() else _HALF.sub(_INSTEAD, text)
