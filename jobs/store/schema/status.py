"""How ESI and the game server are."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Integer, Table, Text

from jobs.store.schema.marks import SHARED
from jobs.store.schema.types import UtcTime, metadata

server_status = Table(
    "server_status",
    metadata,
    Column("observed_at", UtcTime, primary_key=True),
    Column("players", Integer, nullable=False, comment="characters online"),
    Column("server_version", Text, nullable=False),
    Column("started_at", UtcTime, nullable=False, comment="start of the game server"),
    Column("vip", Boolean, comment="true: only staff can log in"),
    comment="The game server, one row whenever something changed. GET /status",
    info=dict(SHARED),
)

route_status = Table(
    "route_status",
    metadata,
    Column("method", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("status", Text, nullable=False, comment="OK, Degraded, Down, Recovering"),
    comment="How each route of ESI does now. GET /meta/status",
    info=dict(SHARED),
)
