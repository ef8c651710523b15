"""Turning ESI's JSON into Structs, so that one odd row does not cost the others."""

from __future__ import annotations

import contextlib
import functools
import logging
import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

import msgspec

from ipc.unreadable import UNREADABLE
from jobs.errors import BadAnswer, NoneReadable, Transient

_log = logging.getLogger("jobs.esi.decoding")

# With more unreadable rows nobody asks any more which they are.
_MOST_UNREAD = 1_000
# A pair of surrogates, half a pair, or any other escape; the first that fits is taken.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\.",
    re.DOTALL,
)


@functools.lru_cache(maxsize=512)
def _decoder(wire: Any) -> msgspec.json.Decoder[Any]:
    # Decimal fields take the digits as they stand in the text: no amount goes through a float.
    return msgspec.json.Decoder(wire)


def decode(
    body: bytes, wire: Any, unread: list[Mapping[str, Any]] | None = None
) -> tuple[Any, int]:
    """Return the value of a body, and how many rows of its lists were left out as unreadable.

    unread takes what of those could be read, field by field, where the body is a list of them.
    What is no JSON is trouble on the way and may be better the next time; JSON of another shape
    is not.
    """
    try:
        value = decode_text(body, wire)
    except msgspec.ValidationError as error:
        if get_origin(wire) is not list:
            return _list_by_list(body, wire, error)
        return _row_by_row(body, get_args(wire)[0], error, unread)
    if isinstance(value, msgspec.Struct) and _says_nothing(value):
        _require_form(body, wire)
    return value, 0


def _says_nothing(value: msgspec.Struct) -> bool:
    """Tell whether nothing of what could be there is: as in {}, and in any other object."""
    return not any(getattr(value, name) for name in value.__struct_fields__)


def _require_form(body: bytes, wire: Any) -> None:
    """Raise BadAnswer for an object that has fields, and none of those asked for."""
    names = decode_text(body, dict[str, msgspec.Raw]).keys()
    if names and not names & {field.encode_name for field in msgspec.structs.fields(wire)}:
        raise BadAnswer(f"an answer of another form: it has {', '.join(sorted(names))[:200]}")


def decode_pages(
    bodies: tuple[bytes, ...], wire: Any, unread: list[Mapping[str, Any]] | None = None
) -> tuple[Any, int]:
    """Return the value of a set of one or more pages, and how many rows were left out."""
    if len(bodies) == 1:
        return decode(bodies[0], wire, unread)
    rows: list[Any] = []
    skipped = 0
    why: BadAnswer | None = None
    for body in bodies:
        try:
            page, left_out = decode(body, wire, unread)
        except NoneReadable as error:
            why = error
            skipped += error.rows
        else:
            rows += page
            skipped += left_out
    if why is not None and not rows:
        raise why
    return rows, skipped


def decode_text(body: bytes, wire: Any) -> Any:
    """Return the value of a body; ValidationError when it is JSON of another shape."""
    decoder = _decoder(wire)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except UNREADABLE as error:
        whole = mended(body)
        if whole == body:
            raise Transient(f"an answer that is no JSON: {error}") from None
    return decode_text(whole, wire)


def mended(body: bytes) -> bytes:
    """Return a body whose broken characters gave way to U+FFFD; the game cuts texts anywhere."""
    valid = body.decode("utf-8", "replace").encode()
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], valid)


def _row_by_row(
    body: bytes,
    row_wire: Any,
    why: msgspec.ValidationError,
    unread: list[Mapping[str, Any]] | None,
) -> tuple[list[Any], int]:
    rows, skipped = _readable(body, row_wire, why, unread)
    return [value for _, value in rows], skipped


def _list_by_list(body: bytes, wire: Any, why: msgspec.ValidationError) -> tuple[Any, int]:
    """Return an object without those rows of its lists that cannot be read."""
    if not (isinstance(wire, type) and issubclass(wire, msgspec.Struct)):
        raise BadAnswer(f"an answer of another form: {why}")
    skipped = 0
    unreadable: NoneReadable | None = None
    try:
        fields = decode_text(mended(body), dict[str, msgspec.Raw])
        for field in msgspec.structs.fields(wire):
            if field.encode_name in fields and _is_list(field.type):
                raw = bytes(fields[field.encode_name])
                rows: list[tuple[msgspec.Raw, Any]] = []
                try:
                    rows, left_out = _readable(raw, get_args(field.type)[0], why)
                except NoneReadable as error:
                    unreadable, left_out = error, error.rows
                fields[field.encode_name] = msgspec.Raw(msgspec.json.encode([r for r, _ in rows]))
                skipped += left_out
        value = _decoder(wire).decode(msgspec.json.encode(fields))
    except msgspec.ValidationError:
        raise BadAnswer(f"an answer of another form: {why}") from None
    if unreadable is not None:
        unreadable.rows, unreadable.rest = skipped, value
        raise unreadable
    return value, skipped


def _fields_of(raw: msgspec.Raw, row_wire: Any) -> dict[str, Any]:
    """Return the fields of an unreadable row that can be read on their own."""
    known: dict[str, Any] = {}
    try:
        told = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except UNREADABLE:
        return known
    is_struct = isinstance(row_wire, type) and issubclass(row_wire, msgspec.Struct)
    for field in msgspec.structs.fields(row_wire) if is_struct else ():
        if field.encode_name in told:
            with contextlib.suppress(*UNREADABLE):
                known[field.name] = _decoder(field.type).decode(told[field.encode_name])
    return known


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list or (get_origin(kind) is tuple and get_args(kind)[1:] == (...,))


def _readable(
    body: bytes,
    row_wire: Any,
    why: msgspec.ValidationError,
    unread: list[Mapping[str, Any]] | None = None,
) -> tuple[list[tuple[msgspec.Raw, Any]], int]:
    """Return the rows of a list that can be read, as they came and as values; count the others."""
    try:
        raws = decode_text(mended(body), list[msgspec.Raw])
    except msgspec.ValidationError:
        raise BadAnswer(f"an answer of another form: {why}") from None
    decoder = _decoder(row_wire)
    rows: list[tuple[msgspec.Raw, Any]] = []
    for raw in raws:
        try:
            rows.append((raw, decoder.decode(raw)))
        except RecursionError:
            # How deep one may be depends on what it is read for: it was skipped a moment ago.
            continue
        except msgspec.ValidationError as error:
            why = error
            if unread is not None and len(unread) < _MOST_UNREAD:
                unread.append(_fields_of(raw, row_wire))
    skipped = len(raws) - len(rows)
    if raws and not rows:
        raise NoneReadable(f"none of {skipped} rows could be read: {why}", skipped)
    if skipped:
        _log.warning("%d of %d rows could not be read, the last: %s", skipped, len(raws), why)
    return rows, skipped
