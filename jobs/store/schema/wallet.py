"""Money: balances, journals and market transactions of characters and corporations."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, NamesBy, name_of, owned_by
from jobs.store.schema.owned import key_id, owned_table
from jobs.store.schema.types import Id, Isk, UtcTime, metadata

# What context_id is stands beside it; the words not listed here name no entity.
_CONTEXT = NamesBy(
    column="context_id_type",
    meanings=(
        ("character_id", Names.CHARACTER),
        ("corporation_id", Names.CORPORATION),
        ("alliance_id", Names.ALLIANCE),
        ("planet_id", Names.PLANET),
        ("station_id", Names.STATION),
        ("system_id", Names.SYSTEM),
        ("type_id", Names.TYPE),
    ),
)
_SHAREHOLDER = NamesBy(
    column="shareholder_type",
    meanings=(("character", Names.CHARACTER), ("corporation", Names.CORPORATION)),
)


def _journal_columns() -> list[Column[Any]]:
    return [
        Column("posted_at", UtcTime, nullable=False),
        Column("ref_type", Text, nullable=False),
        Column("amount", Isk, comment="0.01 ISK; negative: paid"),
        Column("balance", Isk, comment="0.01 ISK, after this entry"),
        Column("first_party_id", Id, info=name_of(Names.ENTITY)),
        Column("second_party_id", Id, info=name_of(Names.ENTITY)),
        Column("context_id", Id, info=name_of(_CONTEXT)),
        Column("context_id_type", Text, comment="what context_id is"),
        Column("tax", Isk, comment="0.01 ISK"),
        Column("tax_receiver_id", Id, info=name_of(Names.CORPORATION)),
        Column("description", Text, nullable=False, comment="raw"),
        Column("reason", Text, comment="raw"),
    ]


def _transaction_columns() -> list[Column[Any]]:
    return [
        Column("traded_at", UtcTime, nullable=False),
        Column("type_id", Id, nullable=False, info=name_of(Names.TYPE)),
        Column("quantity", Id, nullable=False),
        Column("unit_price", Isk, nullable=False, comment="0.01 ISK"),
        Column("is_buy", Boolean, nullable=False),
        Column("client_id", Id, nullable=False, info=name_of(Names.ENTITY)),
        Column("location_id", Id, nullable=False, info=name_of(Names.LOCATION)),
        Column("journal_ref_id", Id, nullable=False),
    ]


def _gap_columns() -> list[Column[Any]]:
    return [
        Column("entry_id", Id, primary_key=True, autoincrement=False, comment="the one after it"),
        Column("posted_at", UtcTime, nullable=False, comment="of that entry"),
        Column("expected", Isk, nullable=False, comment="0.01 ISK: balance before and the amount"),
        Column("balance", Isk, nullable=False, comment="0.01 ISK, as the entry has it"),
        Column("found_at", UtcTime, nullable=False),
    ]


character_wallet = Table(
    "character_wallet",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("balance", Isk, nullable=False, comment="0.01 ISK"),
    comment="Balances. GET /characters/{character_id}/wallet",
    info=owned_by(SubjectType.CHARACTER),
)

character_wallet_journal = Table(
    "character_wallet_journal",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("entry_id", Id, primary_key=True, autoincrement=False),
    *_journal_columns(),
    Index(None, "character_id", "posted_at"),
    comment="Every entry seen; ESI shows 30 days. GET /characters/{character_id}/wallet/journal",
    info=owned_by(SubjectType.CHARACTER),
)

character_wallet_transaction = Table(
    "character_wallet_transaction",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("transaction_id", Id, primary_key=True, autoincrement=False),
    *_transaction_columns(),
    Column("is_personal", Boolean, nullable=False, comment="false: for the corporation"),
    comment="Every trade seen. GET /characters/{character_id}/wallet/transactions",
    info=owned_by(SubjectType.CHARACTER),
)

corporation_division = Table(
    "corporation_division",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("kind", String(8), primary_key=True, comment="hangar or wallet"),
    Column("division", Integer, primary_key=True, autoincrement=False, comment="1 to 7"),
    Column("name", Text, comment="NULL: never renamed"),
    comment="Names of divisions. GET /corporations/{corporation_id}/divisions",
    info=owned_by(SubjectType.CORPORATION),
)

corporation_wallet = Table(
    "corporation_wallet",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("division", Integer, primary_key=True, autoincrement=False, comment="1 to 7"),
    Column("balance", Isk, nullable=False, comment="0.01 ISK"),
    comment="Balances. GET /corporations/{corporation_id}/wallets",
    info=owned_by(SubjectType.CORPORATION),
)

corporation_wallet_journal = Table(
    "corporation_wallet_journal",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("division", Integer, primary_key=True, autoincrement=False, comment="1 to 7"),
    Column("entry_id", Id, primary_key=True, autoincrement=False),
    *_journal_columns(),
    Index(None, "corporation_id", "division", "posted_at"),
    comment="Every entry seen. GET /corporations/{corporation_id}/wallets/{division}/journal",
    info=owned_by(SubjectType.CORPORATION),
)

corporation_wallet_transaction = Table(
    "corporation_wallet_transaction",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("division", Integer, primary_key=True, autoincrement=False, comment="1 to 7"),
    Column("transaction_id", Id, primary_key=True, autoincrement=False),
    *_transaction_columns(),
    comment="Every trade seen. GET /corporations/{corporation_id}/wallets/{division}/transactions",
    info=owned_by(SubjectType.CORPORATION),
)

character_wallet_gap = Table(
    "character_wallet_gap",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    *_gap_columns(),
    comment="Where entries are missing: the journal does not add up. From the journal",
    info=owned_by(SubjectType.CHARACTER),
)

corporation_wallet_gap = Table(
    "corporation_wallet_gap",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("division", Integer, primary_key=True, autoincrement=False, comment="1 to 7"),
    *_gap_columns(),
    comment="Where entries are missing: the journal does not add up. From the journal",
    info=owned_by(SubjectType.CORPORATION),
)

corporation_shareholder: Table = owned_table(
    "corporation_shareholder",
    SubjectType.CORPORATION,
    Column("shareholder_type", String(16), primary_key=True, comment="character or corporation"),
    key_id("shareholder_id", _SHAREHOLDER),
    Column("share_count", Id, nullable=False),
    comment="Who holds its shares. GET /corporations/{corporation_id}/shareholders",
)
