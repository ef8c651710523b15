"""Mining for corporations: chunks cut from moons, and who mined what beside which structure."""

from __future__ import annotations

from sqlalchemy import Column, Date, String, Table

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, UtcTime

_CORPORATION = SubjectType.CORPORATION
_PATH = "GET /corporation/{corporation_id}/mining"

corporation_mining_extraction: Table = owned_table(
    "corporation_mining_extraction",
    _CORPORATION,
    key_id("structure_id", Names.LOCATION),
    Column("started_at", UtcTime, primary_key=True),
    an_id("moon_id", Names.MOON),
    Column("arrives_at", UtcTime, nullable=False, comment="from then on it can be broken up"),
    Column("decays_at", UtcTime, nullable=False, comment="when it breaks up by itself"),
    Column("closed_at", UtcTime, comment="when it was no longer listed: over, or given up"),
    comment=f"Chunks that are cut from moons, and past ones. {_PATH}/extractions",
)

corporation_mining_observer: Table = owned_table(
    "corporation_mining_observer",
    _CORPORATION,
    key_id("observer_id", Names.LOCATION),
    Column("observer_type", String(32), nullable=False, comment="structure"),
    Column("last_updated", Date, nullable=False, comment="the last day with mining beside it"),
    Column("closed_at", UtcTime, comment="when it was no longer listed"),
    comment=f"Structures that watch who mines beside them. {_PATH}/observers",
)

corporation_mining_ledger: Table = owned_table(
    "corporation_mining_ledger",
    _CORPORATION,
    key_id("observer_id", Names.LOCATION),
    Column("day", Date, primary_key=True),
    key_id("character_id", Names.CHARACTER),
    key_id("type_id", Names.TYPE),
    key_id("recorded_corporation_id", Names.CORPORATION, "in which the character was then"),
    Column("quantity", Id, nullable=False, comment="of that day so far"),
    comment=f"Who mined what beside an observer, for ever. {_PATH}/observers/{{observer_id}}",
)
