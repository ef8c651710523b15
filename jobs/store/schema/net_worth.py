"""What characters are worth, day by day; calculated here, not asked of ESI."""

from __future__ import annotations

from sqlalchemy import Column, Date, Table

from ipc.subject import SubjectType
from jobs.store.schema.marks import owned_by
from jobs.store.schema.types import Id, Isk, metadata

net_worth = Table(
    "net_worth",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("day", Date, primary_key=True, comment="of UTC"),
    Column("liquid", Isk, comment="0.01 ISK in the wallet; NULL: not known"),
    Column("asset_value", Isk, comment="0.01 ISK, quantity x average price; NULL: not known"),
    Column("escrow", Isk, comment="0.01 ISK set aside by open buy orders; NULL: not known"),
    Column("net_worth", Isk, comment="0.01 ISK, sum of what is known; NULL: nothing is"),
    comment="Worth of a character at the end of a day, today's so far; past days: wallet only",
    info=owned_by(SubjectType.CHARACTER),
)
