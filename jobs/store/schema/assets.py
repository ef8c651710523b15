"""Things owned: items where they lie, the names people gave them, where they float in space."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Double, Index, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, name_of, owned_by
from jobs.store.schema.types import Id, metadata


def _item_columns() -> list[Column[Any]]:
    return [
        Column("type_id", Id, nullable=False, info=name_of(Names.TYPE)),
        Column("quantity", Id, nullable=False),
        Column("location_id", Id, nullable=False, info=name_of(Names.LOCATION)),
        Column("location_type", Text, nullable=False, comment="station, solar_system, item, other"),
        Column("location_flag", Text, nullable=False, comment="hangar, slot or bay"),
        Column("is_singleton", Boolean, nullable=False, comment="unpacked"),
        Column("is_blueprint_copy", Boolean, comment="NULL: no blueprint"),
    ]


def _position_columns() -> list[Column[Any]]:
    return [
        Column("x", Double, nullable=False, comment="metres from the sun"),
        Column("y", Double, nullable=False, comment="metres from the sun"),
        Column("z", Double, nullable=False, comment="metres from the sun"),
    ]


character_asset = Table(
    "character_asset",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("item_id", Id, primary_key=True, autoincrement=False),
    *_item_columns(),
    Index(None, "character_id", "location_id"),
    comment="What a character owns now. GET /characters/{character_id}/assets",
    info=owned_by(SubjectType.CHARACTER),
)

character_asset_name = Table(
    "character_asset_name",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("item_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, comment="NULL: asked for, it has none"),
    comment="Names given to unpacked items. POST /characters/{character_id}/assets/names",
    info=owned_by(SubjectType.CHARACTER),
)

character_asset_position = Table(
    "character_asset_position",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("item_id", Id, primary_key=True, autoincrement=False),
    *_position_columns(),
    comment="Where unpacked items are. POST /characters/{character_id}/assets/locations",
    info=owned_by(SubjectType.CHARACTER),
)

corporation_asset = Table(
    "corporation_asset",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("item_id", Id, primary_key=True, autoincrement=False),
    *_item_columns(),
    Index(None, "corporation_id", "location_id"),
    comment="What a corporation owns now. GET /corporations/{corporation_id}/assets",
    info=owned_by(SubjectType.CORPORATION),
)

corporation_asset_name = Table(
    "corporation_asset_name",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("item_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, comment="NULL: asked for, it has none"),
    comment="Names given to unpacked items. POST /corporations/{corporation_id}/assets/names",
    info=owned_by(SubjectType.CORPORATION),
)

corporation_asset_position = Table(
    "corporation_asset_position",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("item_id", Id, primary_key=True, autoincrement=False),
    *_position_columns(),
    comment="Where unpacked items are. POST /corporations/{corporation_id}/assets/locations",
    info=owned_by(SubjectType.CORPORATION),
)
