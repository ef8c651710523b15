"""Wars: who fights whom, with which allies, and what was destroyed in them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, String, Table

from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id
from jobs.store.schema.types import Id, Isk, UtcTime, metadata

_DETAIL = "GET /wars/{war_id}"


def _side(name: str) -> list[Column[Any]]:
    return [
        an_id(f"{name}_corporation_id", Names.CORPORATION, needed=False),
        an_id(f"{name}_alliance_id", Names.ALLIANCE, needed=False),
        Column(f"{name}_ships_killed", Id, comment="by it"),
        Column(f"{name}_isk_destroyed", Isk, comment="0.01 ISK, by it"),
    ]


war = Table(
    "war",
    metadata,
    key_id("war_id"),
    Column("read_at", UtcTime, comment="when it was last read; NULL: only known by its number"),
    Column("due_at", UtcTime, comment="before it cannot have changed since"),
    Column("killmails_at", UtcTime, comment="when its killmails were last read"),
    Column("killmails_due_at", UtcTime, comment="before there can be no new ones"),
    Column("declared_at", UtcTime),
    Column("started_at", UtcTime),
    Column("retracted_at", UtcTime),
    Column("finished_at", UtcTime, comment="NULL: it goes on"),
    Column("mutual", Boolean),
    Column("open_for_allies", Boolean),
    *_side("aggressor"),
    *_side("defender"),
    Index(None, "finished_at"),
    comment=f"Wars, since this mirror began to look at them. GET /wars, {_DETAIL}",
    info=dict(SHARED),
)

war_ally = Table(
    "war_ally",
    metadata,
    key_id("war_id"),
    Column("position", Integer, primary_key=True, autoincrement=False, comment="in ESI's list"),
    an_id("corporation_id", Names.CORPORATION, needed=False),
    an_id("alliance_id", Names.ALLIANCE, needed=False),
    comment=f"Allies of defenders. {_DETAIL}",
    info=dict(SHARED),
)

war_killmail = Table(
    "war_killmail",
    metadata,
    key_id("war_id"),
    key_id("killmail_id"),
    Column("killmail_hash", String(64), nullable=False),
    comment="Killmails of wars, by number and hash. GET /wars/{war_id}/killmails",
    info=dict(SHARED),
)
