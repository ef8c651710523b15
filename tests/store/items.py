"""Tables of every sort of column, and what tests write to them and read of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    Double,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    select,
    text,
)
from sqlalchemy.dialects import postgresql

from ipc.subject import Subject, SubjectType
from jobs.spec import Params, Target, Write
from jobs.store import writer
from jobs.store.database import Database
from jobs.store.schema.types import Isk, UtcTime

metadata = MetaData()
item = Table(
    "item",
    metadata,
    Column("character_id", BigInteger, primary_key=True),
    Column("item_id", BigInteger, primary_key=True),
    Column("name", String(20)),
    Column("price", Isk),
    Column("seen_at", UtcTime),
    Column("is_new", Boolean),
    Column("count", Integer, nullable=False, server_default=text("1")),
    Column("weight", Double),
    Column("day", Date),
    Column("tags", JSON),
    Column("extra", JSON().with_variant(postgresql.JSONB(), "postgresql")),
    Column("note", Text),
    Column("closed_at", UtcTime),
)
entry = Table(
    "entry",
    metadata,
    Column("corporation_id", BigInteger, primary_key=True),
    Column("division", Integer, primary_key=True),
    Column("entry_id", BigInteger, primary_key=True),
    Column("amount", Isk),
)
shared = Table(
    "order",
    metadata,
    Column("type", Text, primary_key=True),
    Column("value", Integer, nullable=False),
)

KEY = ("character_id", "item_id")
ME = Subject(SubjectType.CHARACTER, 1)
YOU = Subject(SubjectType.CHARACTER, 2)
CORPORATION = Subject(SubjectType.CORPORATION, 98)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def put(
    store: Database,
    rows: Iterable[Any],
    write: Write = Write.REPLACE,
    subject: Subject = ME,
    params: Params | None = None,
    now: datetime = NOW,
    **options: Any,
) -> int:
    table = options.pop("table", item)
    key = options.pop("key", KEY)
    target = Target(table, key, write, **options)
    return store.write_now(
        lambda conn: writer.apply(conn, target, rows, subject=subject, params=params or {}, now=now)
    )


def ids(store: Database, subject: Subject = ME) -> list[int]:
    query = select(item.c.item_id).where(item.c.character_id == subject.id)
    return store.read_now(lambda conn: sorted(conn.scalars(query)))


def one(store: Database, item_id: int = 1, subject: Subject = ME) -> dict[str, Any]:
    query = select(item).where(item.c.character_id == subject.id, item.c.item_id == item_id)
    return store.read_now(lambda conn: dict(conn.execute(query).one()._mapping))
