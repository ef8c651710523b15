"""Which tables keep a history, and how the rows of each tell their age.

A table that closes rows ages by when they were closed. Of one that only adds rows this has to be
said here, or that its rows last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Date,
    Table,
    and_,
    case,
    exists,
    func,
    select,
    type_coerce,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from jobs.store.schema import metadata
from jobs.store.schema.types import UtcTime

CLOSED_AT = "closed_at"
# Days; the game's limit is 365 at most.
_LONGEST_ORDER = 365

Age = Callable[[Table], ColumnElement[Any]]


@dataclass(frozen=True, slots=True)
class History:
    """A table whose rows pile up."""

    table: Table
    # Time or day since when a row is of the past; NULL: it is not.
    age: Age
    # When a row came to be; None: nobody knows.
    born: ColumnElement[Any] | None = None
    # Tables whose rows go with a row: the same values in all columns of its key.
    parts: tuple[Table, ...] = ()
    # What must hold beside the age for a row to go.
    may_go: Callable[[Table], ColumnElement[bool]] | None = None

    def is_old(self, before: datetime) -> ColumnElement[bool]:
        """Return whether a row is of the past since before a time."""
        age = self.age(self.table)
        limit: datetime | date = before.date() if isinstance(age.type, Date) else before
        old = age < limit
        return old if self.may_go is None else and_(old, self.may_go(self.table))


def _at(name: str) -> Age:
    return lambda table: table.c[name]


def _the_newest_stays(time: str, *owner: str) -> Callable[[Table], ColumnElement[bool]]:
    """Return that a newer row of the same owner is there: the last one says how things are."""

    def condition(table: Table) -> ColumnElement[bool]:
        newer = table.alias("newer")
        return exists().where(
            newer.c[time] > table.c[time], *(newer.c[name] == table.c[name] for name in owner)
        )

    return condition


def _killed_at(table: Table) -> ColumnElement[Any]:
    killmail = metadata.tables["killmail"]
    query = select(killmail.c.killed_at).where(killmail.c.killmail_id == table.c.killmail_id)
    return type_coerce(query.scalar_subquery(), killmail.c.killed_at.type)


def _concerns_nobody(table: Table) -> ColumnElement[bool]:
    """Return that no list of killmails has it any more."""
    lists = [metadata.tables[f"{who}_killmail"] for who in ("character", "corporation", "war")]
    return and_(*(~exists().where(one.c.killmail_id == table.c.killmail_id) for one in lists))


def _war_over(table: Table) -> ColumnElement[Any]:
    war = metadata.tables["war"]
    query = select(war.c.finished_at).where(war.c.war_id == table.c.war_id)
    return type_coerce(query.scalar_subquery(), war.c.finished_at.type)


class _DaysLater(FunctionElement[datetime]):
    """A time, and a number of days of 24 hours."""

    type: TypeEngine[datetime] = UtcTime()
    inherit_cache: bool | None = True
    name = "days_later"


@compiles(_DaysLater, "sqlite")
def _on_sqlite(element: _DaysLater, compiler: SQLCompiler, **how: Any) -> str:
    time, days = (compiler.process(one, **how) for one in element.clauses)
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', {time}, ({days}) || ' days')"


@compiles(_DaysLater, "postgresql")
def _on_postgresql(element: _DaysLater, compiler: SQLCompiler, **how: Any) -> str:
    time, days = (compiler.process(one, **how) for one in element.clauses)
    return f"({time} + ({days}) * interval '24 hours')"


def _order_age(table: Table) -> ColumnElement[Any]:
    """Return when an order was closed, or ran out: of some only the history told, and not when.

    A history goes back from the end of an order: by its beginning it would go, and come back.
    """
    c = table.c
    days = case((c.duration.between(0, _LONGEST_ORDER), c.duration), else_=_LONGEST_ORDER)
    told = case((c.state.is_not(None), _DaysLater(c.issued, days)))
    return type_coerce(func.coalesce(c.closed_at, told), c.closed_at.type)


def _explicit() -> list[History]:
    t = metadata.tables

    def one(
        name: str,
        age: str | Age,
        *parts: str,
        born: str | None = None,
        may_go: Callable[[Table], ColumnElement[bool]] | None = None,
    ) -> History:
        table = t[name]
        column: Column[Any] | None = None
        if born is None and isinstance(age, str) and age != CLOSED_AT:
            born = age
        if born is not None:
            column = table.c[born]
        return History(
            table,
            _at(age) if isinstance(age, str) else age,
            column,
            tuple(t[part] for part in parts),
            may_go,
        )

    found = [
        one("calendar_event", CLOSED_AT, "calendar_event_detail", "calendar_event_attendee",
            born="event_at"),
        one("character_contact_notification", "sent_at"),
        one("character_notification", "sent_at"),
        one("character_location_history", "observed_at",
            may_go=_the_newest_stays("observed_at", "character_id")),
        one("character_mining", "day"),
        one("corporation_container_log", "logged_at"),
        one("corporation_mining_ledger", "day"),
        one("corporation_member", CLOSED_AT, "corporation_member_tracking"),
        one("corporation_role_history", "changed_at"),
        # The lists first: they tell which killmails concern nobody.
        one("character_killmail", _killed_at),
        one("corporation_killmail", _killed_at),
        one("war_killmail", _war_over),
        one("killmail", "killed_at", "killmail_attacker", "killmail_item",
            may_go=_concerns_nobody),
        one("mail", "deleted_at", "mail_body", "mail_recipient", "mail_label_link",
            born="sent_at"),
        one("net_worth", "day"),
        one("public_contract", CLOSED_AT, "public_contract_item", "public_contract_bid",
            born="issued_at"),
        one("server_status", "observed_at", may_go=_the_newest_stays("observed_at")),
    ]  # fmt: skip
    for who in ("character", "corporation"):
        found += [
            one(f"{who}_wallet_journal", "posted_at"),
            one(f"{who}_wallet_transaction", "traded_at"),
            one(f"{who}_wallet_gap", "posted_at"),
            one(f"{who}_market_order", _order_age, born="issued"),
            one(f"{who}_industry_job", CLOSED_AT, born="start_at"),
            one(f"{who}_contract", CLOSED_AT, f"{who}_contract_item", f"{who}_contract_bid",
                born="issued_at"),
        ]  # fmt: skip
    return found


@cache
def histories() -> tuple[History, ...]:
    """Return all histories, in an order in which rows can go."""
    found = _explicit()
    said = {one.table for one in found}
    found += [
        History(table, _at(CLOSED_AT))
        for table in metadata.sorted_tables
        if CLOSED_AT in table.c and table not in said
    ]
    return tuple(found)
