"""Who is thought well of, and who thinks well of whom: contacts with their labels, standings."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Double, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, NamesBy
from jobs.store.schema.owned import key_id, owned_table

_ME, _CORPORATION, _ALLIANCE = (
    SubjectType.CHARACTER,
    SubjectType.CORPORATION,
    SubjectType.ALLIANCE,
)
_CONTACT = NamesBy(
    column="contact_type",
    meanings=(
        ("character", Names.CHARACTER),
        ("corporation", Names.CORPORATION),
        ("alliance", Names.ALLIANCE),
        ("faction", Names.FACTION),
    ),
)
_FROM = NamesBy(
    column="from_type",
    meanings=(
        ("agent", Names.CHARACTER),
        ("npc_corp", Names.CORPORATION),
        ("faction", Names.FACTION),
    ),
)


def _contact_columns() -> list[Column[Any]]:
    return [
        key_id("contact_id", _CONTACT),
        Column("contact_type", Text, nullable=False, comment="character, corporation, ..."),
        Column("standing", Double, nullable=False, comment="-10 to 10"),
    ]


def _label_columns() -> list[Column[Any]]:
    # The number is a bit mask: all 64 bits are in use.
    return [key_id("label_id"), Column("label_name", Text, nullable=False)]


def _standing_columns() -> list[Column[Any]]:
    return [
        Column("from_type", Text, primary_key=True, comment="agent, npc_corp or faction"),
        key_id("from_id", _FROM),
        Column("standing", Double, nullable=False, comment="-10 to 10, without skills"),
    ]


character_contact: Table = owned_table(
    "character_contact",
    _ME,
    *_contact_columns(),
    Column("is_watched", Boolean),
    Column("is_blocked", Boolean),
    comment="Contacts. GET /characters/{character_id}/contacts",
)

character_contact_label_link: Table = owned_table(
    "character_contact_label_link",
    _ME,
    key_id("contact_id"),
    key_id("label_id"),
    comment="Labels on contacts. GET /characters/{character_id}/contacts",
)

character_contact_label: Table = owned_table(
    "character_contact_label",
    _ME,
    *_label_columns(),
    comment="Labels for contacts. GET /characters/{character_id}/contacts/labels",
)

corporation_contact: Table = owned_table(
    "corporation_contact",
    _CORPORATION,
    *_contact_columns(),
    Column("is_watched", Boolean),
    comment="Contacts. GET /corporations/{corporation_id}/contacts",
)

corporation_contact_label_link: Table = owned_table(
    "corporation_contact_label_link",
    _CORPORATION,
    key_id("contact_id"),
    key_id("label_id"),
    comment="Labels on contacts. GET /corporations/{corporation_id}/contacts",
)

corporation_contact_label: Table = owned_table(
    "corporation_contact_label",
    _CORPORATION,
    *_label_columns(),
    comment="Labels for contacts. GET /corporations/{corporation_id}/contacts/labels",
)

alliance_contact: Table = owned_table(
    "alliance_contact",
    _ALLIANCE,
    *_contact_columns(),
    comment="Contacts. GET /alliances/{alliance_id}/contacts",
)

alliance_contact_label_link: Table = owned_table(
    "alliance_contact_label_link",
    _ALLIANCE,
    key_id("contact_id"),
    key_id("label_id"),
    comment="Labels on contacts. GET /alliances/{alliance_id}/contacts",
)

alliance_contact_label: Table = owned_table(
    "alliance_contact_label",
    _ALLIANCE,
    *_label_columns(),
    comment="Labels for contacts. GET /alliances/{alliance_id}/contacts/labels",
)

character_standing: Table = owned_table(
    "character_standing",
    _ME,
    *_standing_columns(),
    comment="Standings towards a character. GET /characters/{character_id}/standings",
)

corporation_standing: Table = owned_table(
    "corporation_standing",
    _CORPORATION,
    *_standing_columns(),
    comment="Standings towards a corporation. GET /corporations/{corporation_id}/standings",
)
