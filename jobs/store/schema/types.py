"""Column types that keep money exact and times comparable on both databases."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    DateTime,
    Dialect,
    Integer,
    MetaData,
    String,
    Text,
    cast,
    func,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# More than 64 bits hold.
_MOST_DIGITS = 20
# An id of EVE: 64 bits. INTEGER on SQLite, where that is the same and may count itself.
Id = BigInteger().with_variant(Integer(), "sqlite")


def in_utc(value: datetime) -> datetime:
    """Return an aware time in UTC; OverflowError where it is beyond the calendar there.

    PostgreSQL would store one, and no driver could read it again.
    """
    if value.tzinfo is UTC:
        return value
    if value.tzinfo is None:
        raise ValueError("a time without a zone cannot be stored")
    return value.astimezone(UTC)


def text_of_time(value: datetime) -> str:
    """Return a time as SQLite stores it: UTC, milliseconds, fixed width, so that text sorts."""
    # Not strftime, which writes a year before 1000 with fewer digits. "+00:00" gives way to "Z".
    return in_utc(value).isoformat(timespec="milliseconds")[:-6] + "Z"


def same_time(value: datetime | None) -> datetime | None:
    """Return a time as PostgreSQL's driver stores it, where SQLite's is given its text."""
    return value


def time_of_text(text: str) -> datetime:
    """Return the aware UTC time that text_of_time wrote; another program may leave out the zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is UTC:
        return time
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def time_of(value: Any) -> datetime:
    """Return the aware UTC time that a driver's value is, on either database."""
    if isinstance(value, str):
        return time_of_text(value)
    if not isinstance(value, datetime):
        raise ValueError(f"{value!r} is no time")  # noqa: TRY004 - of the value, not of its use
    return value.astimezone(UTC)


def time_for(dialect: Dialect, value: datetime) -> str | datetime:
    """Return what a database's driver takes for an aware time."""
    return text_of_time(value) if dialect.name == "sqlite" else in_utc(value)


def raw_text(dialect: Dialect, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a value as a word to be compared, whatever another program has put there."""
    return func.hex(value) if dialect.name == "sqlite" else cast(value, Text)


class UtcTime(TypeDecorator[datetime]):
    """An aware UTC time: fixed-width text on SQLite, timestamptz on PostgreSQL."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = DateTime
    cache_ok: bool | None = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the column type of the database."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(String(24))
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Turn an aware time into what the driver takes."""
        return None if value is None else time_for(dialect, value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Turn what the driver gives into an aware UTC time."""
        return None if value is None else time_of(value)


def centi_isk(value: Decimal | int) -> int:
    """Return an amount of ISK in hundredths, rounded half to even; ArithmeticError if too large."""
    if isinstance(value, Decimal) and value.adjusted() > _MOST_DIGITS:
        # Not first made a number of as many digits as its exponent says.
        raise OverflowError(f"10^{value.adjusted()} ISK")
    return round(Decimal(value) * 100)


class Isk(TypeDecorator[Decimal]):
    """An amount of ISK, stored as an integer number of 0.01 ISK."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = BigInteger
    cache_ok: bool | None = True

    def process_bind_param(
        self,
        value: Decimal | int | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> int | None:
        """Turn ISK into hundredths."""
        return None if value is None else centi_isk(value)

    def process_result_value(
        self,
        value: int | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> Decimal | None:
        """Turn hundredths into ISK."""
        return None if value is None else Decimal(value).scaleb(-2)
