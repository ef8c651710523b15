"""Values as the databases store them, a whole column at a time.

A column is checked and converted by a few passes in C where nothing needs to change. What does
not fit raises UnfitValue with the column's name and no value, which may be private.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
)

from jobs.store.errors import UnfitValue
from jobs.store.schema.types import Isk, UtcTime, centi_isk, in_utc, text_of_time

Values = Sequence[Any]

_NONE = type(None)
# Letters of a text in a key: PostgreSQL takes no more than 2,704 bytes in an index.
KEY_LETTERS = 300


class _Unfit(Exception):
    """Values do not fit their column; says why."""


def convert(column: Column[Any], dialect: str, values: Values) -> Values:
    """Return values as the driver takes them; UnfitValue if one of them cannot be stored."""
    kinds = set(map(type, values))
    if _NONE in kinds and not column.nullable:
        raise UnfitValue(column.table.name, column.name, "has no value")
    if kinds <= {_NONE}:
        return values
    try:
        return _converter(column, dialect)(kinds - {_NONE}, values)
    except _Unfit as error:
        raise UnfitValue(column.table.name, column.name, str(error)) from None


def unfit(column: Column[Any], dialect: str, values: Values) -> set[int]:
    """Return the places of the values that cannot be stored in their column."""
    found: set[int] = set()
    for place, value in enumerate(values):
        try:
            convert(column, dialect, (value,))
        except UnfitValue:
            found.add(place)
    return found


@lru_cache(maxsize=4096)
def _converter(column: Column[Any], dialect: str) -> Callable[[set[type], Values], Values]:
    type_ = column.type
    sqlite = dialect == "sqlite"
    # Subclasses before their bases.
    choices: tuple[tuple[type, Callable[[set[type], Values], Values]], ...] = (
        (UtcTime, _times(text_of_time if sqlite else in_utc)),
        (Isk, _isk),
        (Boolean, _plain(bool)),
        (BigInteger, _integers(64)),
        (SmallInteger, _integers(16)),
        (Integer, _integers(32)),
        (Float, _floats),
        (Date, _dates_as_text if sqlite else _plain(date)),
        (JSON, _json),
        (String, _texts(_letters(column))),
        (LargeBinary, _plain(bytes)),
    )
    for known, converter in choices:
        if isinstance(type_, known):
            return converter
    raise TypeError(f"the writer knows no {type_!r}, the type of {column}")


def _require(kinds: set[type], *allowed: type) -> None:
    if not kinds <= set(allowed):
        found = ", ".join(sorted(kind.__name__ for kind in kinds - set(allowed)))
        raise _Unfit(f"is {found}, not {' or '.join(kind.__name__ for kind in allowed)}")


def _plain(allowed: type) -> Callable[[set[type], Values], Values]:
    def converter(kinds: set[type], values: Values) -> Values:
        _require(kinds, allowed)
        return values

    return converter


def _integers(bits: int) -> Callable[[set[type], Values], Values]:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1

    def converter(kinds: set[type], values: Values) -> Values:
        if kinds != {int}:
            # An enum of integers is as good as one.
            if bool in kinds or not all(issubclass(kind, int) for kind in kinds):
                _require(kinds, int)
            values = [None if value is None else int(value) for value in values]
        present = [value for value in values if value is not None]
        if min(present) < low or max(present) > high:
            raise _Unfit(f"is beyond {bits} bits")
        return values

    return converter


def _isk(kinds: set[type], values: Values) -> Values:
    _require(kinds, Decimal, int)
    try:
        hundredths = [None if value is None else centi_isk(value) for value in values]
    # Of numbers without end, of what is none, and of what is beyond decimal arithmetic itself.
    except (ArithmeticError, ValueError) as error:
        raise _Unfit("is no amount of ISK that can be stored") from error
    return _integers(64)({int}, hundredths)


def _floats(kinds: set[type], values: Values) -> Values:
    if kinds != {float}:
        _require(kinds, float, int, Decimal)
        try:
            values = [None if value is None else float(value) for value in values]
        except (ArithmeticError, ValueError) as error:
            raise _Unfit("is too large, or no number") from error
    if not all(value is None or math.isfinite(value) for value in values):
        raise _Unfit("is not a finite number")
    return values


def _times(as_stored: Callable[[datetime], object]) -> Callable[[set[type], Values], Values]:
    def converter(kinds: set[type], values: Values) -> Values:
        _require(kinds, datetime)
        try:
            return [None if value is None else as_stored(value) for value in values]
        except (ValueError, OverflowError) as error:
            raise _Unfit(f"is no time that can be stored: {error}") from error

    return converter


def _dates_as_text(kinds: set[type], values: Values) -> Values:
    _require(kinds, date)
    return [None if value is None else value.isoformat() for value in values]


def _json(kinds: set[type], values: Values) -> Values:
    del kinds
    try:
        return [
            # Sorted: the text of equal values is equal.
            None if value is None else msgspec.json.encode(value, order="sorted").decode()
            for value in values
        ]
    except (TypeError, ValueError) as error:
        raise _Unfit("cannot be written as JSON") from error


def _letters(column: Column[Any]) -> int | None:
    length: int | None = getattr(column.type, "length", None)
    return length or (KEY_LETTERS if column.primary_key else None)


def _texts(length: int | None) -> Callable[[set[type], Values], Values]:
    def converter(kinds: set[type], values: Values) -> Values:
        if kinds != {str}:
            if not all(issubclass(kind, str) for kind in kinds):
                _require(kinds, str)
            values = [None if value is None else str(value) for value in values]
        present = [value for value in values if value is not None]
        joined = "".join(present)
        if not joined.isascii():
            try:
                joined.encode()
            except UnicodeEncodeError as error:
                raise _Unfit("is not valid Unicode") from error
        if "\0" in joined:
            # PostgreSQL can store none; both databases shall hold the same.
            values = [None if value is None else value.replace("\0", "") for value in values]
        if length is not None and max(map(len, present)) > length:
            raise _Unfit(f"is longer than {length} characters")
        return values

    return converter
