"""initial."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from jobs.store.schema.types import Isk, UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema from nothing to 0001."""
    op.create_table(
        "abyssal_attribute",
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "attribute_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("value", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", "attribute_id", name=op.f("pk_abyssal_attribute")),
        comment="Attributes of mutated items. GET /dogma/dynamic/items/{type_id}/{item_id}",
    )
    op.create_table(
        "abyssal_effect",
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "effect_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", "effect_id", name=op.f("pk_abyssal_effect")),
        comment="Effects of mutated items. GET /dogma/dynamic/items/{type_id}/{item_id}",
    )
    op.create_table(
        "abyssal_item",
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="what it was before",
        ),
        sa.Column(
            "mutator_type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="the mutaplasmid",
        ),
        sa.Column(
            "created_by", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("item_id", name=op.f("pk_abyssal_item")),
        comment="Mutated items; they never change. GET /dogma/dynamic/items/{type_id}/{item_id}",
    )
    op.create_table(
        "access",
        sa.Column("subject_type", sa.String(length=16), nullable=False),
        sa.Column(
            "subject_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "credential_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "roles", sa.Text(), nullable=True, comment="sorted, apart by blanks; NULL: not known"
        ),
        sa.Column(
            "refused_until",
            UtcTime(),
            nullable=True,
            comment="what ESI refused is not asked again before",
        ),
        sa.Column(
            "refused_roles",
            sa.Text(),
            nullable=True,
            comment="the refusal concerns what needs one of these roles; NULL: everything",
        ),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "subject_type", "subject_id", "credential_id", name=op.f("pk_access")
        ),
        comment="Through which credentials a corporation or alliance is read",
    )
    op.create_table(
        "affiliation",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="NULL: ESI knows no such character",
        ),
        sa.Column(
            "alliance_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("checked_at", UtcTime(), nullable=False, comment="when ESI last said so"),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_affiliation")),
        comment="Where every character in the mirror belongs. POST /characters/affiliation",
    )
    op.create_table(
        "alliance",
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("ticker", sa.Text(), nullable=False),
        sa.Column("founded_at", UtcTime(), nullable=False),
        sa.Column(
            "creator_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "creator_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "executor_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="NULL: the alliance is closed",
        ),
        sa.Column(
            "faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.PrimaryKeyConstraint("alliance_id", name=op.f("pk_alliance")),
        comment="Alliances met, mirrored or not. GET /alliances/{alliance_id}",
    )
    op.create_table(
        "alliance_contact",
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contact_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("contact_type", sa.Text(), nullable=False, comment="character, corporation, ..."),
        sa.Column("standing", sa.Double(), nullable=False, comment="-10 to 10"),
        sa.PrimaryKeyConstraint("alliance_id", "contact_id", name=op.f("pk_alliance_contact")),
        comment="Contacts. GET /alliances/{alliance_id}/contacts",
    )
    op.create_table(
        "alliance_contact_label",
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("label_name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("alliance_id", "label_id", name=op.f("pk_alliance_contact_label")),
        comment="Labels for contacts. GET /alliances/{alliance_id}/contacts/labels",
    )
    op.create_table(
        "alliance_contact_label_link",
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contact_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint(
            "alliance_id", "contact_id", "label_id", name=op.f("pk_alliance_contact_label_link")
        ),
        comment="Labels on contacts. GET /alliances/{alliance_id}/contacts",
    )
    op.create_table(
        "alliance_corporation",
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint(
            "alliance_id", "corporation_id", name=op.f("pk_alliance_corporation")
        ),
        comment="Members of alliances. GET /alliances/{alliance_id}/corporations",
    )
    op.create_table(
        "alliance_icon",
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("px64", sa.Text(), nullable=True, comment="URL, 64 x 64 pixels"),
        sa.Column("px128", sa.Text(), nullable=True, comment="URL, 128 x 128 pixels"),
        sa.Column(
            "image_checked_at",
            UtcTime(),
            nullable=True,
            comment="when the picture itself was last asked for",
        ),
        sa.PrimaryKeyConstraint("alliance_id", name=op.f("pk_alliance_icon")),
        comment="Where logos are. GET /alliances/{alliance_id}/icons",
    )
    op.create_table(
        "bloodline",
        sa.Column(
            "bloodline_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("race_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "ship_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("charisma", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "intelligence", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("memory", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "perception", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "willpower", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("bloodline_id", name=op.f("pk_bloodline")),
        comment="Bloodlines with their starting attributes. GET /universe/bloodlines",
    )
    op.create_table(
        "calendar_event",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "event_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("title", sa.Text(), nullable=True, comment="raw"),
        sa.Column("event_at", UtcTime(), nullable=True),
        sa.Column(
            "response",
            sa.Text(),
            nullable=True,
            comment="accepted, declined, tentative or not_responded",
        ),
        sa.Column("importance", sa.Integer(), nullable=True),
        sa.Column(
            "closed_at",
            UtcTime(),
            nullable=True,
            comment="when ESI no longer listed it: past, or called off",
        ),
        sa.Column(
            "looked_at", UtcTime(), nullable=True, comment="when its details were last asked for"
        ),
        sa.Column(
            "looked_line",
            sa.Text(),
            nullable=True,
            comment="what the list said of it then, as JSON",
        ),
        sa.PrimaryKeyConstraint("character_id", "event_id", name=op.f("pk_calendar_event")),
        comment="Events of the calendar. GET /characters/{character_id}/calendar",
    )
    with op.batch_alter_table("calendar_event", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_calendar_event_character_id_closed_at"),
            ["character_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "calendar_event_attendee",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "event_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "attendee_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "response",
            sa.Text(),
            nullable=True,
            comment="accepted, declined, tentative or not_responded",
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "event_id", "attendee_id", name=op.f("pk_calendar_event_attendee")
        ),
        comment="Who was asked to events, and what they said. GET /characters/{character_id}/calendar/{event_id}/attendees",
    )
    op.create_table(
        "calendar_event_detail",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "event_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "owner_type",
            sa.Text(),
            nullable=False,
            comment="character, corporation, ..., eve_server",
        ),
        sa.Column("owner_name", sa.Text(), nullable=False),
        sa.Column("duration", sa.Integer(), nullable=False, comment="minutes"),
        sa.Column("text", sa.Text(), nullable=False, comment="raw"),
        sa.PrimaryKeyConstraint("character_id", "event_id", name=op.f("pk_calendar_event_detail")),
        comment="What events say. GET /characters/{character_id}/calendar/{event_id}",
    )
    op.create_table(
        "character",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "alliance_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("birthday", UtcTime(), nullable=False),
        sa.Column("gender", sa.Text(), nullable=False),
        sa.Column("race_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "bloodline_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("security_status", sa.Double(), nullable=True, comment="-10 to 10"),
        sa.Column("corporation_title", sa.Text(), nullable=True, comment="raw, can hold markup"),
        sa.Column(
            "character_title_id", sa.Text(), nullable=True, comment="UUID of the shown title"
        ),
        sa.Column(
            "achievement_score", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("description", sa.Text(), nullable=True, comment="raw, can hold markup"),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character")),
        comment="Mirrored characters. GET /characters/{character_id}, corporation by affiliation",
    )
    op.create_table(
        "character_access_list",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "access_list_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=True, comment="raw; NULL: not told yet"),
        sa.Column("description", sa.Text(), nullable=True, comment="raw"),
        sa.Column("allow_everyone", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint(
            "character_id", "access_list_id", name=op.f("pk_character_access_list")
        ),
        comment="Access lists. GET /characters/{character_id}/access-lists/{access_list_id}",
    )
    op.create_table(
        "character_access_list_member",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "access_list_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "member_type",
            sa.String(length=16),
            nullable=False,
            comment="character, corporation, alliance",
        ),
        sa.Column(
            "member_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("access", sa.Text(), nullable=False, comment="Allowed, Blocked, Manager, Admin"),
        sa.PrimaryKeyConstraint(
            "character_id",
            "access_list_id",
            "member_type",
            "member_id",
            name=op.f("pk_character_access_list_member"),
        ),
        comment="Who is on access lists. GET /characters/{character_id}/access-lists/{access_list_id}",
    )
    op.create_table(
        "character_asset",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_type", sa.Text(), nullable=False, comment="station, solar_system, item, other"
        ),
        sa.Column("location_flag", sa.Text(), nullable=False, comment="hangar, slot or bay"),
        sa.Column("is_singleton", sa.Boolean(), nullable=False, comment="unpacked"),
        sa.Column("is_blueprint_copy", sa.Boolean(), nullable=True, comment="NULL: no blueprint"),
        sa.PrimaryKeyConstraint("character_id", "item_id", name=op.f("pk_character_asset")),
        comment="What a character owns now. GET /characters/{character_id}/assets",
    )
    with op.batch_alter_table("character_asset", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_character_asset_character_id_location_id"),
            ["character_id", "location_id"],
            unique=False,
        )

    op.create_table(
        "character_asset_name",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=True, comment="NULL: asked for, it has none"),
        sa.PrimaryKeyConstraint("character_id", "item_id", name=op.f("pk_character_asset_name")),
        comment="Names given to unpacked items. POST /characters/{character_id}/assets/names",
    )
    op.create_table(
        "character_asset_position",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("x", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("y", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("z", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.PrimaryKeyConstraint(
            "character_id", "item_id", name=op.f("pk_character_asset_position")
        ),
        comment="Where unpacked items are. POST /characters/{character_id}/assets/locations",
    )
    op.create_table(
        "character_attributes",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("charisma", sa.Integer(), nullable=False),
        sa.Column("intelligence", sa.Integer(), nullable=False),
        sa.Column("memory", sa.Integer(), nullable=False),
        sa.Column("perception", sa.Integer(), nullable=False),
        sa.Column("willpower", sa.Integer(), nullable=False),
        sa.Column("bonus_remaps", sa.Integer(), nullable=True),
        sa.Column("last_remap_at", UtcTime(), nullable=True),
        sa.Column(
            "next_remap_at", UtcTime(), nullable=True, comment="when the yearly remap is back"
        ),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_attributes")),
        comment="Attributes, implants included. GET /characters/{character_id}/attributes",
    )
    op.create_table(
        "character_blueprint",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("location_flag", sa.Text(), nullable=False, comment="hangar, slot or bay"),
        sa.Column(
            "quantity",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="-1: an original, -2: a copy; else a stack",
        ),
        sa.Column("runs", sa.Integer(), nullable=False, comment="-1: without end"),
        sa.Column("material_efficiency", sa.Integer(), nullable=False, comment="percent"),
        sa.Column("time_efficiency", sa.Integer(), nullable=False, comment="percent"),
        sa.PrimaryKeyConstraint("character_id", "item_id", name=op.f("pk_character_blueprint")),
        comment="Blueprints a character owns. GET /characters/{character_id}/blueprints",
    )
    op.create_table(
        "character_clone",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "home_location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("home_location_type", sa.Text(), nullable=True, comment="station or structure"),
        sa.Column("last_clone_jump_at", UtcTime(), nullable=True),
        sa.Column("last_station_change_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_clone")),
        comment="Home, and when it last jumped into another clone. GET /characters/{character_id}/clones",
    )
    op.create_table(
        "character_contact",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contact_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("contact_type", sa.Text(), nullable=False, comment="character, corporation, ..."),
        sa.Column("standing", sa.Double(), nullable=False, comment="-10 to 10"),
        sa.Column("is_watched", sa.Boolean(), nullable=True),
        sa.Column("is_blocked", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint("character_id", "contact_id", name=op.f("pk_character_contact")),
        comment="Contacts. GET /characters/{character_id}/contacts",
    )
    op.create_table(
        "character_contact_label",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("label_name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id", "label_id", name=op.f("pk_character_contact_label")
        ),
        comment="Labels for contacts. GET /characters/{character_id}/contacts/labels",
    )
    op.create_table(
        "character_contact_label_link",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contact_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "contact_id", "label_id", name=op.f("pk_character_contact_label_link")
        ),
        comment="Labels on contacts. GET /characters/{character_id}/contacts",
    )
    op.create_table(
        "character_contact_notification",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "notification_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "sender_character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("sent_at", UtcTime(), nullable=False),
        sa.Column("standing_level", sa.Double(), nullable=False, comment="-10 to 10"),
        sa.Column("message", sa.Text(), nullable=False, comment="raw"),
        sa.PrimaryKeyConstraint(
            "character_id", "notification_id", name=op.f("pk_character_contact_notification")
        ),
        comment="Who added it as a contact. GET /characters/{character_id}/notifications/contacts",
    )
    op.create_table(
        "character_contract",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type", sa.Text(), nullable=False, comment="item_exchange, auction, courier, ..."
        ),
        sa.Column("status", sa.Text(), nullable=False, comment="the last one that was listed"),
        sa.Column("availability", sa.Text(), nullable=False, comment="public, personal, ..."),
        sa.Column(
            "issuer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "issuer_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("for_corporation", sa.Boolean(), nullable=False),
        sa.Column(
            "assignee_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="0: nobody",
        ),
        sa.Column(
            "acceptor_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="0: nobody",
        ),
        sa.Column("title", sa.Text(), nullable=True, comment="raw"),
        sa.Column(
            "start_location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "end_location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("price", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("reward", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("collateral", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("buyout", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("volume", sa.Double(), nullable=True, comment="cubic metres"),
        sa.Column("days_to_complete", sa.Integer(), nullable=True),
        sa.Column("issued_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column("accepted_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True),
        sa.Column("closed_at", UtcTime(), nullable=True, comment="when ESI no longer listed it"),
        sa.Column(
            "items_at", UtcTime(), nullable=True, comment="when its items were read; NULL: not yet"
        ),
        sa.Column(
            "items_due_at",
            UtcTime(),
            nullable=True,
            comment="ESI refused them: not asked again before",
        ),
        sa.PrimaryKeyConstraint("character_id", "contract_id", name=op.f("pk_character_contract")),
        comment="Contracts, for ever. GET /characters/{character_id}/contracts",
    )
    with op.batch_alter_table("character_contract", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_character_contract_character_id_closed_at"),
            ["character_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "character_contract_bid",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "bid_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "bidder_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("amount", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column("bid_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id", "contract_id", "bid_id", name=op.f("pk_character_contract_bid")
        ),
        comment="Bids in auctions. GET /characters/{character_id}/contracts/{contract_id}/bids",
    )
    op.create_table(
        "character_contract_item",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "record_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "raw_quantity",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="-1: a blueprint's original, -2: a copy",
        ),
        sa.Column(
            "is_included", sa.Boolean(), nullable=False, comment="false: asked for in return"
        ),
        sa.Column("is_singleton", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id", "contract_id", "record_id", name=op.f("pk_character_contract_item")
        ),
        comment="What contracts are about. GET /characters/{character_id}/contracts/{contract_id}/items",
    )
    op.create_table(
        "character_corporation_history",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "record_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("is_deleted", sa.Boolean(), nullable=True, comment="the corporation was closed"),
        sa.PrimaryKeyConstraint(
            "character_id", "record_id", name=op.f("pk_character_corporation_history")
        ),
        comment="Corporations a character was in. GET /characters/{character_id}/corporationhistory",
    )
    op.create_table(
        "character_factional_warfare",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "faction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="NULL: not enlisted",
        ),
        sa.Column("enlisted_on", UtcTime(), nullable=True),
        sa.Column("current_rank", sa.Integer(), nullable=True),
        sa.Column("highest_rank", sa.Integer(), nullable=True),
        sa.Column("kills_yesterday", sa.Integer(), nullable=False),
        sa.Column("kills_last_week", sa.Integer(), nullable=False),
        sa.Column("kills_total", sa.Integer(), nullable=False),
        sa.Column(
            "points_yesterday",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.Column(
            "points_last_week",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.Column(
            "points_total",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_factional_warfare")),
        comment="Its part in factional warfare. GET /characters/{character_id}/fw/stats",
    )
    op.create_table(
        "character_fatigue",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("fatigue_ends_at", UtcTime(), nullable=True, comment="NULL: not tired"),
        sa.Column("last_jump_at", UtcTime(), nullable=True),
        sa.Column("last_update_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_fatigue")),
        comment="Jump fatigue. GET /characters/{character_id}/fatigue",
    )
    op.create_table(
        "character_fitting",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "fitting_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False, comment="raw"),
        sa.Column("description", sa.Text(), nullable=False, comment="raw"),
        sa.Column(
            "ship_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("character_id", "fitting_id", name=op.f("pk_character_fitting")),
        comment="Saved fittings. GET /characters/{character_id}/fittings",
    )
    op.create_table(
        "character_fitting_item",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "fitting_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="in ESI's list"
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("flag", sa.Text(), nullable=False, comment="slot or bay"),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id", "fitting_id", "position", name=op.f("pk_character_fitting_item")
        ),
        comment="What saved fittings are made of. GET /characters/{character_id}/fittings",
    )
    op.create_table(
        "character_freelance_job",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="raw"),
        sa.Column(
            "state", sa.Text(), nullable=False, comment="Active, Closed, Completed, Expired, ..."
        ),
        sa.Column("last_modified_at", UtcTime(), nullable=False),
        sa.Column(
            "progress_current", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "progress_desired", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "reward_initial", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "reward_remaining", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "details_of",
            UtcTime(),
            nullable=True,
            comment="last_modified_at of the row when its details were last read; 1970-01-01: were not there when last asked for",
        ),
        sa.Column("closed_at", UtcTime(), nullable=True, comment="when it was no longer listed"),
        sa.PrimaryKeyConstraint("character_id", "job_id", name=op.f("pk_character_freelance_job")),
        comment="Freelance jobs that a character takes part in, past ones too. GET /characters/{character_id}/freelance-jobs",
    )
    op.create_table(
        "character_freelance_participation",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, comment="Committed, Kicked or Resigned"),
        sa.Column(
            "contributed", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("last_modified_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id", "job_id", name=op.f("pk_character_freelance_participation")
        ),
        comment="What a character did for freelance jobs. GET /characters/{character_id}/freelance-jobs/{job_id}/participation",
    )
    op.create_table(
        "character_implant",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("character_id", "type_id", name=op.f("pk_character_implant")),
        comment="Implants of the clone in use. GET /characters/{character_id}/implants",
    )
    op.create_table(
        "character_industry_job",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "job_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "activity_id", sa.Integer(), nullable=False, comment="1: manufacturing, 5: copying, ..."
        ),
        sa.Column(
            "blueprint_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "blueprint_type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "blueprint_location_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "output_location_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "facility_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "station_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "installer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "product_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("status", sa.Text(), nullable=False, comment="active, delivered, cancelled, ..."),
        sa.Column("runs", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "licensed_runs",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of the copy that is made",
        ),
        sa.Column(
            "successful_runs",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of an invention",
        ),
        sa.Column("probability", sa.Double(), nullable=True, comment="of an invention, 0 to 1"),
        sa.Column("cost", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column(
            "duration",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="seconds",
        ),
        sa.Column("start_at", UtcTime(), nullable=False),
        sa.Column("end_at", UtcTime(), nullable=False),
        sa.Column("pause_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True, comment="when it was delivered"),
        sa.Column(
            "completed_character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column("closed_at", UtcTime(), nullable=True, comment="when ESI no longer listed it"),
        sa.PrimaryKeyConstraint("character_id", "job_id", name=op.f("pk_character_industry_job")),
        comment="Industry jobs, for ever. GET /characters/{character_id}/industry/jobs",
    )
    with op.batch_alter_table("character_industry_job", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_character_industry_job_character_id_closed_at"),
            ["character_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "character_jump_clone",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "jump_clone_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("location_type", sa.Text(), nullable=False, comment="station or structure"),
        sa.Column("name", sa.Text(), nullable=True, comment="raw; NULL: it has none"),
        sa.PrimaryKeyConstraint(
            "character_id", "jump_clone_id", name=op.f("pk_character_jump_clone")
        ),
        comment="Clones to jump into. GET /characters/{character_id}/clones",
    )
    op.create_table(
        "character_jump_clone_implant",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "jump_clone_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "jump_clone_id", "type_id", name=op.f("pk_character_jump_clone_implant")
        ),
        comment="Implants of jump clones. GET /characters/{character_id}/clones",
    )
    op.create_table(
        "character_killmail",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "killmail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("killmail_hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("character_id", "killmail_id", name=op.f("pk_character_killmail")),
        comment="Kills and losses of a character. GET /characters/{character_id}/killmails/recent",
    )
    op.create_table(
        "character_location",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "station_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "structure_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_location")),
        comment="Where a character is now. GET /characters/{character_id}/location",
    )
    op.create_table(
        "character_location_history",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("observed_at", UtcTime(), nullable=False, comment="when it was first seen there"),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "station_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "structure_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "observed_at", name=op.f("pk_character_location_history")
        ),
        comment="Every change of place seen. GET /characters/{character_id}/location",
    )
    op.create_table(
        "character_loyalty",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "loyalty_points", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "corporation_id", name=op.f("pk_character_loyalty")
        ),
        comment="Loyalty points with corporations. GET /characters/{character_id}/loyalty/points",
    )
    op.create_table(
        "character_market_order",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "order_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "region_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("is_buy_order", sa.Boolean(), nullable=True, comment="NULL: a sell order"),
        sa.Column(
            "is_corporation", sa.Boolean(), nullable=False, comment="placed for the corporation"
        ),
        sa.Column("price", Isk(), nullable=False, comment="0.01 ISK for one"),
        sa.Column("escrow", Isk(), nullable=True, comment="0.01 ISK set aside by a buy order"),
        sa.Column(
            "volume_total", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "volume_remain", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "min_volume", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "range", sa.Text(), nullable=False, comment="station, solarsystem, region or jumps"
        ),
        sa.Column("duration", sa.Integer(), nullable=False, comment="days"),
        sa.Column("issued", UtcTime(), nullable=False),
        sa.Column(
            "state",
            sa.Text(),
            nullable=True,
            comment="cancelled or expired, once the history says so",
        ),
        sa.Column(
            "closed_at", UtcTime(), nullable=True, comment="when it was no longer listed as open"
        ),
        sa.PrimaryKeyConstraint("character_id", "order_id", name=op.f("pk_character_market_order")),
        comment="Market orders, open and past. GET /characters/{character_id}/orders and its history",
    )
    with op.batch_alter_table("character_market_order", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_character_market_order_character_id_closed_at"),
            ["character_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "character_medal",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "medal_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("awarded_at", UtcTime(), nullable=False),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "issuer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("title", sa.Text(), nullable=False, comment="raw"),
        sa.Column("description", sa.Text(), nullable=False, comment="raw"),
        sa.Column("reason", sa.Text(), nullable=False, comment="raw"),
        sa.Column("status", sa.Text(), nullable=False, comment="public or private"),
        sa.PrimaryKeyConstraint(
            "character_id", "medal_id", "awarded_at", name=op.f("pk_character_medal")
        ),
        comment="Medals a character was given. GET /characters/{character_id}/medals",
    )
    op.create_table(
        "character_medal_graphic",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "medal_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("awarded_at", UtcTime(), nullable=False),
        sa.Column(
            "part", sa.Integer(), autoincrement=False, nullable=False, comment="1: ribbon, 2: medal"
        ),
        sa.Column("layer", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("graphic", sa.Text(), nullable=False),
        sa.Column("color", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.PrimaryKeyConstraint(
            "character_id",
            "medal_id",
            "awarded_at",
            "part",
            "layer",
            name=op.f("pk_character_medal_graphic"),
        ),
        comment="How medals look. GET /characters/{character_id}/medals",
    )
    op.create_table(
        "character_mercenary_den",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "mercenary_den_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("planet_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="NULL: its details are not told yet",
        ),
        sa.Column("state", sa.Text(), nullable=True, comment="Running, Paused or Disabled"),
        sa.Column(
            "infomorphs",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="aboard",
        ),
        sa.Column("development_amount", sa.Integer(), nullable=True),
        sa.Column("development_level", sa.Text(), nullable=True, comment="Level0 to Level4"),
        sa.Column("anarchy_amount", sa.Integer(), nullable=True),
        sa.Column("anarchy_level", sa.Text(), nullable=True, comment="Level0 to Level4"),
        sa.Column("reinforced_until", UtcTime(), nullable=True, comment="NULL: not reinforced"),
        sa.Column(
            "skyhook_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of the planet",
        ),
        sa.Column(
            "skyhook_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "mercenary_den_id", name=op.f("pk_character_mercenary_den")
        ),
        comment="Mercenary dens. GET /characters/{character_id}/structures/mercenary-dens/{mercenary_den_id}",
    )
    op.create_table(
        "character_mercenary_operation",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("operation_id", sa.String(length=36), nullable=False),
        sa.Column(
            "mercenary_den_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "state",
            sa.Text(),
            nullable=True,
            comment="Available, Started, Completed, Expired, Removed; the last seen",
        ),
        sa.Column(
            "dungeon_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column(
            "closed_at", UtcTime(), nullable=True, comment="when it was no longer listed: over"
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "operation_id", name=op.f("pk_character_mercenary_operation")
        ),
        comment="Mercenary tactical operations, past ones too. GET /characters/{character_id}/mercenary-tactical-operations/{operation_id}",
    )
    op.create_table(
        "character_mining",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column(
            "solar_system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "quantity",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="of that day so far",
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "day", "solar_system_id", "type_id", name=op.f("pk_character_mining")
        ),
        comment="What was mined a day; ESI shows 30 days. GET /characters/{character_id}/mining",
    )
    op.create_table(
        "character_notification",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "notification_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type", sa.Text(), nullable=False, comment="new ones come without notice"),
        sa.Column(
            "sender_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "sender_type", sa.Text(), nullable=False, comment="character, corporation, ..., other"
        ),
        sa.Column("sent_at", UtcTime(), nullable=False),
        sa.Column("is_read", sa.Boolean(), nullable=True, comment="NULL: not read"),
        sa.Column("text", sa.Text(), nullable=True, comment="YAML, raw"),
        sa.PrimaryKeyConstraint(
            "character_id", "notification_id", name=op.f("pk_character_notification")
        ),
        comment="Every notification seen. GET /characters/{character_id}/notifications",
    )
    with op.batch_alter_table("character_notification", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_character_notification_character_id_sent_at"),
            ["character_id", "sent_at"],
            unique=False,
        )

    op.create_table(
        "character_online",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("online", sa.Boolean(), nullable=False),
        sa.Column("last_login", UtcTime(), nullable=True),
        sa.Column("last_logout", UtcTime(), nullable=True),
        sa.Column("logins", sa.Integer(), nullable=True, comment="how often it ever logged in"),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_online")),
        comment="Whether a character plays. GET /characters/{character_id}/online",
    )
    op.create_table(
        "character_planet",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("planet_type", sa.Text(), nullable=False, comment="temperate, barren, ..."),
        sa.Column("upgrade_level", sa.Integer(), nullable=False),
        sa.Column("num_pins", sa.Integer(), nullable=False),
        sa.Column("last_update_at", UtcTime(), nullable=False, comment="by the player"),
        sa.PrimaryKeyConstraint("character_id", "planet_id", name=op.f("pk_character_planet")),
        comment="Colonies. GET /characters/{character_id}/planets",
    )
    op.create_table(
        "character_planet_content",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "pin_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("amount", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id",
            "planet_id",
            "pin_id",
            "type_id",
            name=op.f("pk_character_planet_content"),
        ),
        comment="What lies in installations. GET /characters/{character_id}/planets/{planet_id}",
    )
    op.create_table(
        "character_planet_head",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "pin_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("head_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("latitude", sa.Double(), nullable=False, comment="radians"),
        sa.Column("longitude", sa.Double(), nullable=False, comment="radians"),
        sa.PrimaryKeyConstraint(
            "character_id", "planet_id", "pin_id", "head_id", name=op.f("pk_character_planet_head")
        ),
        comment="Heads of extractors. GET /characters/{character_id}/planets/{planet_id}",
    )
    op.create_table(
        "character_planet_link",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "source_pin_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "destination_pin_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("link_level", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id",
            "planet_id",
            "source_pin_id",
            "destination_pin_id",
            name=op.f("pk_character_planet_link"),
        ),
        comment="Links between installations. GET /characters/{character_id}/planets/{planet_id}",
    )
    op.create_table(
        "character_planet_pin",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "pin_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("latitude", sa.Double(), nullable=False, comment="radians"),
        sa.Column("longitude", sa.Double(), nullable=False, comment="radians"),
        sa.Column(
            "schematic_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="what a factory makes",
        ),
        sa.Column("install_at", UtcTime(), nullable=True),
        sa.Column("expires_at", UtcTime(), nullable=True, comment="of an extractor"),
        sa.Column("last_cycle_start_at", UtcTime(), nullable=True),
        sa.Column(
            "product_type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of an extractor",
        ),
        sa.Column("cycle_time", sa.Integer(), nullable=True, comment="seconds, of an extractor"),
        sa.Column(
            "qty_per_cycle",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of an extractor",
        ),
        sa.Column("head_radius", sa.Double(), nullable=True, comment="of an extractor"),
        sa.PrimaryKeyConstraint(
            "character_id", "planet_id", "pin_id", name=op.f("pk_character_planet_pin")
        ),
        comment="Installations on planets. GET /characters/{character_id}/planets/{planet_id}",
    )
    op.create_table(
        "character_planet_route",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "route_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "source_pin_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "destination_pin_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "content_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("quantity", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id", "planet_id", "route_id", name=op.f("pk_character_planet_route")
        ),
        comment="What is carried between installations. GET /characters/{character_id}/planets/{planet_id}",
    )
    op.create_table(
        "character_planet_waypoint",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "route_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="on the way"
        ),
        sa.Column("pin_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id",
            "planet_id",
            "route_id",
            "position",
            name=op.f("pk_character_planet_waypoint"),
        ),
        comment="Installations that routes pass. GET /characters/{character_id}/planets/{planet_id}",
    )
    op.create_table(
        "character_portrait",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("px64", sa.Text(), nullable=True, comment="URL, 64 x 64 pixels"),
        sa.Column("px128", sa.Text(), nullable=True, comment="URL, 128 x 128 pixels"),
        sa.Column("px256", sa.Text(), nullable=True, comment="URL, 256 x 256 pixels"),
        sa.Column("px512", sa.Text(), nullable=True, comment="URL, 512 x 512 pixels"),
        sa.Column(
            "image_checked_at",
            UtcTime(),
            nullable=True,
            comment="when the picture itself was last asked for",
        ),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_portrait")),
        comment="Where portraits are. GET /characters/{character_id}/portrait",
    )
    op.create_table(
        "character_research",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "agent_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "skill_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("points_per_day", sa.Double(), nullable=False),
        sa.Column(
            "remainder_points", sa.Double(), nullable=False, comment="those of before it started"
        ),
        sa.PrimaryKeyConstraint("character_id", "agent_id", name=op.f("pk_character_research")),
        comment="Agents that research. GET /characters/{character_id}/agents_research",
    )
    op.create_table(
        "character_role",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("place", sa.String(length=8), nullable=False, comment="all, base, hq or other"),
        sa.Column("role", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("character_id", "place", "role", name=op.f("pk_character_role")),
        comment="Roles in the corporation and where they hold. GET /characters/{character_id}/roles",
    )
    op.create_table(
        "character_ship",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "ship_item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "ship_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("ship_name", sa.Text(), nullable=False, comment="raw"),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_ship")),
        comment="The ship a character sits in. GET /characters/{character_id}/ship",
    )
    op.create_table(
        "character_skill",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "skill_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("trained_level", sa.Integer(), nullable=False, comment="0 to 5"),
        sa.Column("active_level", sa.Integer(), nullable=False, comment="0 to 5, usable now"),
        sa.Column(
            "skillpoints", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("character_id", "skill_id", name=op.f("pk_character_skill")),
        comment="Skills. GET /characters/{character_id}/skills",
    )
    op.create_table(
        "character_skillpoints",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("total_sp", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "unallocated_sp", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_skillpoints")),
        comment="Sums of skill points. GET /characters/{character_id}/skills",
    )
    op.create_table(
        "character_skillqueue",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("queue_position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("skill_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("finished_level", sa.Integer(), nullable=False, comment="1 to 5, when done"),
        sa.Column("start_at", UtcTime(), nullable=True, comment="NULL: the queue is paused"),
        sa.Column(
            "finish_at",
            UtcTime(),
            nullable=True,
            comment="NULL: the queue is paused; may be past until a login",
        ),
        sa.Column(
            "level_start_sp", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "level_end_sp", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "training_start_sp", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "queue_position", name=op.f("pk_character_skillqueue")
        ),
        comment="What is being learned, in order. GET /characters/{character_id}/skillqueue",
    )
    op.create_table(
        "character_standing",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("from_type", sa.Text(), nullable=False, comment="agent, npc_corp or faction"),
        sa.Column(
            "from_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("standing", sa.Double(), nullable=False, comment="-10 to 10, without skills"),
        sa.PrimaryKeyConstraint(
            "character_id", "from_type", "from_id", name=op.f("pk_character_standing")
        ),
        comment="Standings towards a character. GET /characters/{character_id}/standings",
    )
    op.create_table(
        "character_structure_refusal",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "structure_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("refusals", sa.Integer(), nullable=False, comment="times in a row"),
        sa.Column("refused_until", UtcTime(), nullable=False, comment="not asked about before"),
        sa.PrimaryKeyConstraint(
            "character_id", "structure_id", name=op.f("pk_character_structure_refusal")
        ),
        comment="Structures that a character may not see, and when it asks again. GET /universe/structures/{structure_id}",
    )
    op.create_table(
        "character_title",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "title_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=True, comment="raw, can hold markup"),
        sa.PrimaryKeyConstraint("character_id", "title_id", name=op.f("pk_character_title")),
        comment="Titles in the corporation. GET /characters/{character_id}/titles",
    )
    op.create_table(
        "character_wallet",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("balance", Isk(), nullable=False, comment="0.01 ISK"),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_character_wallet")),
        comment="Balances. GET /characters/{character_id}/wallet",
    )
    op.create_table(
        "character_wallet_gap",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "entry_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
            comment="the one after it",
        ),
        sa.Column("posted_at", UtcTime(), nullable=False, comment="of that entry"),
        sa.Column(
            "expected", Isk(), nullable=False, comment="0.01 ISK: balance before and the amount"
        ),
        sa.Column("balance", Isk(), nullable=False, comment="0.01 ISK, as the entry has it"),
        sa.Column("found_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("character_id", "entry_id", name=op.f("pk_character_wallet_gap")),
        comment="Where entries are missing: the journal does not add up. From the journal",
    )
    op.create_table(
        "character_wallet_journal",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "entry_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("posted_at", UtcTime(), nullable=False),
        sa.Column("ref_type", sa.Text(), nullable=False),
        sa.Column("amount", Isk(), nullable=True, comment="0.01 ISK; negative: paid"),
        sa.Column("balance", Isk(), nullable=True, comment="0.01 ISK, after this entry"),
        sa.Column(
            "first_party_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "second_party_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "context_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("context_id_type", sa.Text(), nullable=True, comment="what context_id is"),
        sa.Column("tax", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column(
            "tax_receiver_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("description", sa.Text(), nullable=False, comment="raw"),
        sa.Column("reason", sa.Text(), nullable=True, comment="raw"),
        sa.PrimaryKeyConstraint(
            "character_id", "entry_id", name=op.f("pk_character_wallet_journal")
        ),
        comment="Every entry seen; ESI shows 30 days. GET /characters/{character_id}/wallet/journal",
    )
    with op.batch_alter_table("character_wallet_journal", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_character_wallet_journal_character_id_posted_at"),
            ["character_id", "posted_at"],
            unique=False,
        )

    op.create_table(
        "character_wallet_transaction",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "transaction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("traded_at", UtcTime(), nullable=False),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("unit_price", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column("is_buy", sa.Boolean(), nullable=False),
        sa.Column(
            "client_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "journal_ref_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "is_personal", sa.Boolean(), nullable=False, comment="false: for the corporation"
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "transaction_id", name=op.f("pk_character_wallet_transaction")
        ),
        comment="Every trade seen. GET /characters/{character_id}/wallet/transactions",
    )
    op.create_table(
        "contact_list",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "standing", sa.Double(), nullable=False, comment="-10 to 10, of all its contacts"
        ),
        sa.Column("is_watched", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_contact_list")),
        comment="Lists of contacts that are kept here: `esisyncd contact lists`",
    )
    op.create_table(
        "contact_list_character",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("list_name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(
            "character_id", "list_name", name=op.f("pk_contact_list_character")
        ),
        comment="Whose contacts a list is added to, by the kind character.contact_sync",
    )
    op.create_table(
        "contact_list_entry",
        sa.Column("list_name", sa.Text(), nullable=False),
        sa.Column(
            "contact_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("list_name", "contact_id", name=op.f("pk_contact_list_entry")),
        comment="Who is on a list of contacts",
    )
    op.create_table(
        "corporation",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("ticker", sa.Text(), nullable=False),
        sa.Column(
            "alliance_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("ceo_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "creator_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "home_station_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "member_count", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("shares", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("tax_rate", sa.Double(), nullable=False, comment="0 to 1"),
        sa.Column("founded_at", UtcTime(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("war_eligible", sa.Boolean(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True, comment="raw, can hold markup"),
        sa.PrimaryKeyConstraint("corporation_id", name=op.f("pk_corporation")),
        comment="Corporations met, mirrored or not. GET /corporations/{corporation_id}",
    )
    op.create_table(
        "corporation_alliance_history",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "record_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="NULL: none",
        ),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("is_deleted", sa.Boolean(), nullable=True, comment="the alliance was closed"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "record_id", name=op.f("pk_corporation_alliance_history")
        ),
        comment="Alliances a corporation was in. GET /corporations/{corporation_id}/alliancehistory",
    )
    op.create_table(
        "corporation_asset",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_type", sa.Text(), nullable=False, comment="station, solar_system, item, other"
        ),
        sa.Column("location_flag", sa.Text(), nullable=False, comment="hangar, slot or bay"),
        sa.Column("is_singleton", sa.Boolean(), nullable=False, comment="unpacked"),
        sa.Column("is_blueprint_copy", sa.Boolean(), nullable=True, comment="NULL: no blueprint"),
        sa.PrimaryKeyConstraint("corporation_id", "item_id", name=op.f("pk_corporation_asset")),
        comment="What a corporation owns now. GET /corporations/{corporation_id}/assets",
    )
    with op.batch_alter_table("corporation_asset", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_corporation_asset_corporation_id_location_id"),
            ["corporation_id", "location_id"],
            unique=False,
        )

    op.create_table(
        "corporation_asset_name",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=True, comment="NULL: asked for, it has none"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "item_id", name=op.f("pk_corporation_asset_name")
        ),
        comment="Names given to unpacked items. POST /corporations/{corporation_id}/assets/names",
    )
    op.create_table(
        "corporation_asset_position",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("x", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("y", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("z", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "item_id", name=op.f("pk_corporation_asset_position")
        ),
        comment="Where unpacked items are. POST /corporations/{corporation_id}/assets/locations",
    )
    op.create_table(
        "corporation_blueprint",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "item_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("location_flag", sa.Text(), nullable=False, comment="hangar, slot or bay"),
        sa.Column(
            "quantity",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="-1: an original, -2: a copy; else a stack",
        ),
        sa.Column("runs", sa.Integer(), nullable=False, comment="-1: without end"),
        sa.Column("material_efficiency", sa.Integer(), nullable=False, comment="percent"),
        sa.Column("time_efficiency", sa.Integer(), nullable=False, comment="percent"),
        sa.PrimaryKeyConstraint("corporation_id", "item_id", name=op.f("pk_corporation_blueprint")),
        comment="Blueprints a corporation owns. GET /corporations/{corporation_id}/blueprints",
    )
    op.create_table(
        "corporation_contact",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contact_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("contact_type", sa.Text(), nullable=False, comment="character, corporation, ..."),
        sa.Column("standing", sa.Double(), nullable=False, comment="-10 to 10"),
        sa.Column("is_watched", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint(
            "corporation_id", "contact_id", name=op.f("pk_corporation_contact")
        ),
        comment="Contacts. GET /corporations/{corporation_id}/contacts",
    )
    op.create_table(
        "corporation_contact_label",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("label_name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "label_id", name=op.f("pk_corporation_contact_label")
        ),
        comment="Labels for contacts. GET /corporations/{corporation_id}/contacts/labels",
    )
    op.create_table(
        "corporation_contact_label_link",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contact_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "contact_id",
            "label_id",
            name=op.f("pk_corporation_contact_label_link"),
        ),
        comment="Labels on contacts. GET /corporations/{corporation_id}/contacts",
    )
    op.create_table(
        "corporation_container_log",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("logged_at", UtcTime(), nullable=False),
        sa.Column(
            "container_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "digest", sa.String(length=32), nullable=False, comment="of all fields: ESI gives no id"
        ),
        sa.Column(
            "occurrence",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="among entries that are alike",
        ),
        sa.Column(
            "container_type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "character_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("location_flag", sa.Text(), nullable=False, comment="hangar, slot or bay"),
        sa.Column(
            "action", sa.Text(), nullable=False, comment="add, move, lock, set_password, ..."
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of what was moved or locked",
        ),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("password_type", sa.Text(), nullable=True, comment="config or general"),
        sa.Column(
            "old_config_bitmask",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "new_config_bitmask",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "logged_at",
            "container_id",
            "digest",
            "occurrence",
            name=op.f("pk_corporation_container_log"),
        ),
        comment="What was done to containers that keep a log, for ever. GET /corporations/{corporation_id}/containers/logs",
    )
    op.create_table(
        "corporation_contract",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type", sa.Text(), nullable=False, comment="item_exchange, auction, courier, ..."
        ),
        sa.Column("status", sa.Text(), nullable=False, comment="the last one that was listed"),
        sa.Column("availability", sa.Text(), nullable=False, comment="public, personal, ..."),
        sa.Column(
            "issuer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "issuer_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("for_corporation", sa.Boolean(), nullable=False),
        sa.Column(
            "assignee_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="0: nobody",
        ),
        sa.Column(
            "acceptor_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="0: nobody",
        ),
        sa.Column("title", sa.Text(), nullable=True, comment="raw"),
        sa.Column(
            "start_location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "end_location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("price", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("reward", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("collateral", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("buyout", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("volume", sa.Double(), nullable=True, comment="cubic metres"),
        sa.Column("days_to_complete", sa.Integer(), nullable=True),
        sa.Column("issued_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column("accepted_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True),
        sa.Column("closed_at", UtcTime(), nullable=True, comment="when ESI no longer listed it"),
        sa.Column(
            "items_at", UtcTime(), nullable=True, comment="when its items were read; NULL: not yet"
        ),
        sa.Column(
            "items_due_at",
            UtcTime(),
            nullable=True,
            comment="ESI refused them: not asked again before",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "contract_id", name=op.f("pk_corporation_contract")
        ),
        comment="Contracts, for ever. GET /corporations/{corporation_id}/contracts",
    )
    with op.batch_alter_table("corporation_contract", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_corporation_contract_corporation_id_closed_at"),
            ["corporation_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "corporation_contract_bid",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "bid_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "bidder_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("amount", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column("bid_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "contract_id", "bid_id", name=op.f("pk_corporation_contract_bid")
        ),
        comment="Bids in auctions. GET /corporations/{corporation_id}/contracts/{contract_id}/bids",
    )
    op.create_table(
        "corporation_contract_item",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "record_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "raw_quantity",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="-1: a blueprint's original, -2: a copy",
        ),
        sa.Column(
            "is_included", sa.Boolean(), nullable=False, comment="false: asked for in return"
        ),
        sa.Column("is_singleton", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "contract_id", "record_id", name=op.f("pk_corporation_contract_item")
        ),
        comment="What contracts are about. GET /corporations/{corporation_id}/contracts/{contract_id}/items",
    )
    op.create_table(
        "corporation_cursor",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "section",
            sa.String(length=80),
            nullable=False,
            comment="which list; whose people, by id",
        ),
        sa.Column(
            "after_token",
            sa.Text(),
            nullable=True,
            comment="news come after it; NULL: nothing was there yet",
        ),
        sa.Column(
            "before_token",
            sa.Text(),
            nullable=True,
            comment="older rows come before it; NULL: all were read",
        ),
        sa.Column(
            "form", sa.Integer(), nullable=False, comment="of the rows; another form is read anew"
        ),
        sa.PrimaryKeyConstraint("corporation_id", "section", name=op.f("pk_corporation_cursor")),
        comment="How far the lists that ESI pages by cursor were read",
    )
    op.create_table(
        "corporation_customs_office",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "office_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("reinforce_exit_start", sa.Integer(), nullable=False, comment="hour, UTC"),
        sa.Column("reinforce_exit_end", sa.Integer(), nullable=False, comment="hour, UTC"),
        sa.Column("allow_alliance_access", sa.Boolean(), nullable=False),
        sa.Column("allow_access_with_standings", sa.Boolean(), nullable=False),
        sa.Column("standing_level", sa.Text(), nullable=True, comment="needed for access"),
        sa.Column("corporation_tax_rate", sa.Double(), nullable=True, comment="0 to 1"),
        sa.Column("alliance_tax_rate", sa.Double(), nullable=True, comment="0 to 1"),
        sa.Column("excellent_standing_tax_rate", sa.Double(), nullable=True, comment="0 to 1"),
        sa.Column("good_standing_tax_rate", sa.Double(), nullable=True, comment="0 to 1"),
        sa.Column("neutral_standing_tax_rate", sa.Double(), nullable=True, comment="0 to 1"),
        sa.Column("bad_standing_tax_rate", sa.Double(), nullable=True, comment="0 to 1"),
        sa.Column("terrible_standing_tax_rate", sa.Double(), nullable=True, comment="0 to 1"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "office_id", name=op.f("pk_corporation_customs_office")
        ),
        comment="Customs offices. GET /corporations/{corporation_id}/customs_offices",
    )
    op.create_table(
        "corporation_division",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("kind", sa.String(length=8), nullable=False, comment="hangar or wallet"),
        sa.Column("division", sa.Integer(), autoincrement=False, nullable=False, comment="1 to 7"),
        sa.Column("name", sa.Text(), nullable=True, comment="NULL: never renamed"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "kind", "division", name=op.f("pk_corporation_division")
        ),
        comment="Names of divisions. GET /corporations/{corporation_id}/divisions",
    )
    op.create_table(
        "corporation_facility",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "facility_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "facility_id", name=op.f("pk_corporation_facility")
        ),
        comment="Industry facilities. GET /corporations/{corporation_id}/facilities",
    )
    op.create_table(
        "corporation_factional_warfare",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "faction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="NULL: not enlisted",
        ),
        sa.Column("enlisted_on", UtcTime(), nullable=True),
        sa.Column("pilots", sa.Integer(), nullable=True, comment="members that are enlisted"),
        sa.Column("kills_yesterday", sa.Integer(), nullable=False),
        sa.Column("kills_last_week", sa.Integer(), nullable=False),
        sa.Column("kills_total", sa.Integer(), nullable=False),
        sa.Column(
            "points_yesterday",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.Column(
            "points_last_week",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.Column(
            "points_total",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.PrimaryKeyConstraint("corporation_id", name=op.f("pk_corporation_factional_warfare")),
        comment="Its part in factional warfare. GET /corporations/{corporation_id}/fw/stats",
    )
    op.create_table(
        "corporation_freelance_job",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="raw"),
        sa.Column(
            "state", sa.Text(), nullable=False, comment="Active, Closed, Completed, Expired, ..."
        ),
        sa.Column("last_modified_at", UtcTime(), nullable=False),
        sa.Column(
            "progress_current", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "progress_desired", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "reward_initial", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "reward_remaining", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "details_of",
            UtcTime(),
            nullable=True,
            comment="last_modified_at of the row when its details were last read; 1970-01-01: were not there when last asked for",
        ),
        sa.Column(
            "participants_of",
            UtcTime(),
            nullable=True,
            comment="last_modified_at of the row when its participants were last read; 1970-01-01: were not there when last asked for",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "job_id", name=op.f("pk_corporation_freelance_job")
        ),
        comment="Freelance jobs that a corporation offers or offered. GET /corporations/{corporation_id}/freelance-jobs",
    )
    op.create_table(
        "corporation_freelance_participant",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column(
            "participant_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, comment="Committed, Kicked or Resigned"),
        sa.Column(
            "contributed", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "job_id",
            "participant_id",
            name=op.f("pk_corporation_freelance_participant"),
        ),
        comment="Who takes part in freelance jobs. GET /corporations/{corporation_id}/freelance-jobs/{job_id}/participants",
    )
    op.create_table(
        "corporation_icon",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("px64", sa.Text(), nullable=True, comment="URL, 64 x 64 pixels"),
        sa.Column("px128", sa.Text(), nullable=True, comment="URL, 128 x 128 pixels"),
        sa.Column("px256", sa.Text(), nullable=True, comment="URL, 256 x 256 pixels"),
        sa.Column(
            "image_checked_at",
            UtcTime(),
            nullable=True,
            comment="when the picture itself was last asked for",
        ),
        sa.PrimaryKeyConstraint("corporation_id", name=op.f("pk_corporation_icon")),
        comment="Where logos are. GET /corporations/{corporation_id}/icons",
    )
    op.create_table(
        "corporation_industry_job",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "job_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "activity_id", sa.Integer(), nullable=False, comment="1: manufacturing, 5: copying, ..."
        ),
        sa.Column(
            "blueprint_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "blueprint_type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "blueprint_location_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "output_location_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "facility_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "installer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "product_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("status", sa.Text(), nullable=False, comment="active, delivered, cancelled, ..."),
        sa.Column("runs", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "licensed_runs",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of the copy that is made",
        ),
        sa.Column(
            "successful_runs",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of an invention",
        ),
        sa.Column("probability", sa.Double(), nullable=True, comment="of an invention, 0 to 1"),
        sa.Column("cost", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column(
            "duration",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="seconds",
        ),
        sa.Column("start_at", UtcTime(), nullable=False),
        sa.Column("end_at", UtcTime(), nullable=False),
        sa.Column("pause_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True, comment="when it was delivered"),
        sa.Column(
            "completed_character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column("closed_at", UtcTime(), nullable=True, comment="when ESI no longer listed it"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "job_id", name=op.f("pk_corporation_industry_job")
        ),
        comment="Industry jobs, for ever. GET /corporations/{corporation_id}/industry/jobs",
    )
    with op.batch_alter_table("corporation_industry_job", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_corporation_industry_job_corporation_id_closed_at"),
            ["corporation_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "corporation_killmail",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "killmail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("killmail_hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "killmail_id", name=op.f("pk_corporation_killmail")
        ),
        comment="Kills and losses of members. GET /corporations/{corporation_id}/killmails/recent",
    )
    op.create_table(
        "corporation_market_order",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "order_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "region_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("is_buy_order", sa.Boolean(), nullable=True, comment="NULL: a sell order"),
        sa.Column("wallet_division", sa.Integer(), nullable=False, comment="1 to 7"),
        sa.Column("issued_by", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("price", Isk(), nullable=False, comment="0.01 ISK for one"),
        sa.Column("escrow", Isk(), nullable=True, comment="0.01 ISK set aside by a buy order"),
        sa.Column(
            "volume_total", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "volume_remain", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "min_volume", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "range", sa.Text(), nullable=False, comment="station, solarsystem, region or jumps"
        ),
        sa.Column("duration", sa.Integer(), nullable=False, comment="days"),
        sa.Column("issued", UtcTime(), nullable=False),
        sa.Column(
            "state",
            sa.Text(),
            nullable=True,
            comment="cancelled or expired, once the history says so",
        ),
        sa.Column(
            "closed_at", UtcTime(), nullable=True, comment="when it was no longer listed as open"
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "order_id", name=op.f("pk_corporation_market_order")
        ),
        comment="Market orders, open and past. GET /corporations/{corporation_id}/orders and its history",
    )
    with op.batch_alter_table("corporation_market_order", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_corporation_market_order_corporation_id_closed_at"),
            ["corporation_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "corporation_medal",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "medal_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "creator_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False, comment="raw"),
        sa.Column("description", sa.Text(), nullable=False, comment="raw"),
        sa.PrimaryKeyConstraint("corporation_id", "medal_id", name=op.f("pk_corporation_medal")),
        comment="Medals a corporation has made. GET /corporations/{corporation_id}/medals",
    )
    op.create_table(
        "corporation_medal_issued",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "medal_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("issued_at", UtcTime(), nullable=False),
        sa.Column(
            "issuer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("reason", sa.Text(), nullable=False, comment="raw"),
        sa.Column("status", sa.Text(), nullable=False, comment="public or private"),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "medal_id",
            "character_id",
            "issued_at",
            name=op.f("pk_corporation_medal_issued"),
        ),
        comment="To whom medals were given. GET /corporations/{corporation_id}/medals/issued",
    )
    op.create_table(
        "corporation_member",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "closed_at",
            UtcTime(),
            nullable=True,
            comment="when it was no longer listed: it has left",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "character_id", name=op.f("pk_corporation_member")
        ),
        comment="Members, and those who have left. GET /corporations/{corporation_id}/members",
    )
    op.create_table(
        "corporation_member_limit",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("member_limit", sa.Integer(), nullable=False, comment="-1: an NPC corporation"),
        sa.PrimaryKeyConstraint("corporation_id", name=op.f("pk_corporation_member_limit")),
        comment="How many members there can be. GET /corporations/{corporation_id}/members/limit",
    )
    op.create_table(
        "corporation_member_role",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("place", sa.String(length=8), nullable=False, comment="all, base, hq or other"),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("grantable", sa.Boolean(), nullable=False, comment="may be given to others"),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "character_id",
            "place",
            "role",
            "grantable",
            name=op.f("pk_corporation_member_role"),
        ),
        comment="Roles of members. GET /corporations/{corporation_id}/roles",
    )
    op.create_table(
        "corporation_member_title",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "title_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "character_id", "title_id", name=op.f("pk_corporation_member_title")
        ),
        comment="Titles of members. GET /corporations/{corporation_id}/members/titles",
    )
    op.create_table(
        "corporation_member_tracking",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("base_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "ship_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("start_at", UtcTime(), nullable=True, comment="when it joined"),
        sa.Column("logon_at", UtcTime(), nullable=True),
        sa.Column("logoff_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint(
            "corporation_id", "character_id", name=op.f("pk_corporation_member_tracking")
        ),
        comment="Whereabouts of members, the last known of those who left. GET /corporations/{corporation_id}/membertracking",
    )
    op.create_table(
        "corporation_mining_extraction",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "structure_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("moon_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "arrives_at", UtcTime(), nullable=False, comment="from then on it can be broken up"
        ),
        sa.Column("decays_at", UtcTime(), nullable=False, comment="when it breaks up by itself"),
        sa.Column(
            "closed_at",
            UtcTime(),
            nullable=True,
            comment="when it was no longer listed: over, or given up",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "structure_id",
            "started_at",
            name=op.f("pk_corporation_mining_extraction"),
        ),
        comment="Chunks that are cut from moons, and past ones. GET /corporation/{corporation_id}/mining/extractions",
    )
    op.create_table(
        "corporation_mining_ledger",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "observer_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "recorded_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
            comment="in which the character was then",
        ),
        sa.Column(
            "quantity",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="of that day so far",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "observer_id",
            "day",
            "character_id",
            "type_id",
            "recorded_corporation_id",
            name=op.f("pk_corporation_mining_ledger"),
        ),
        comment="Who mined what beside an observer, for ever. GET /corporation/{corporation_id}/mining/observers/{observer_id}",
    )
    op.create_table(
        "corporation_mining_observer",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "observer_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("observer_type", sa.String(length=32), nullable=False, comment="structure"),
        sa.Column(
            "last_updated", sa.Date(), nullable=False, comment="the last day with mining beside it"
        ),
        sa.Column("closed_at", UtcTime(), nullable=True, comment="when it was no longer listed"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "observer_id", name=op.f("pk_corporation_mining_observer")
        ),
        comment="Structures that watch who mines beside them. GET /corporation/{corporation_id}/mining/observers",
    )
    op.create_table(
        "corporation_project",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("project_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="raw"),
        sa.Column(
            "state", sa.Text(), nullable=False, comment="Active, Closed, Completed, Expired, ..."
        ),
        sa.Column("last_modified_at", UtcTime(), nullable=False),
        sa.Column(
            "progress_current", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "progress_desired", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "reward_initial", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "reward_remaining", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "details_of",
            UtcTime(),
            nullable=True,
            comment="last_modified_at of the row when its details were last read; 1970-01-01: were not there when last asked for",
        ),
        sa.Column(
            "contributors_of",
            UtcTime(),
            nullable=True,
            comment="last_modified_at of the row when its contributors were last read; 1970-01-01: were not there when last asked for",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "project_id", name=op.f("pk_corporation_project")
        ),
        comment="Projects, ended ones too. GET /corporations/{corporation_id}/projects",
    )
    op.create_table(
        "corporation_project_contributor",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("project_id", sa.String(length=36), nullable=False),
        sa.Column(
            "contributor_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "contributed", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "project_id",
            "contributor_id",
            name=op.f("pk_corporation_project_contributor"),
        ),
        comment="Who did how much. GET /corporations/{corporation_id}/projects/{project_id}/contributors",
    )
    op.create_table(
        "corporation_project_detail",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("project_id", sa.String(length=36), nullable=False),
        sa.Column("last_modified_at", UtcTime(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False, comment="raw"),
        sa.Column(
            "career", sa.Text(), nullable=False, comment="Explorer, Industrialist, Enforcer, ..."
        ),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column("finished_at", UtcTime(), nullable=True),
        sa.Column(
            "creator_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "configuration", sa.Text(), nullable=False, comment="what is to be done, as JSON"
        ),
        sa.Column(
            "participation_limit",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column("reward_per_contribution", Isk(), nullable=True, comment="ISK times 100"),
        sa.Column(
            "submission_limit", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("submission_multiplier", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint(
            "corporation_id", "project_id", name=op.f("pk_corporation_project_detail")
        ),
        comment="What projects ask for. GET /corporations/{corporation_id}/projects/{project_id}",
    )
    op.create_table(
        "corporation_role_history",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("changed_at", UtcTime(), nullable=False),
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "role_type", sa.String(length=32), nullable=False, comment="roles, roles_at_hq, ..."
        ),
        sa.Column(
            "digest", sa.String(length=32), nullable=False, comment="of all fields: ESI gives no id"
        ),
        sa.Column(
            "occurrence",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="among entries that are alike",
        ),
        sa.Column(
            "issuer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("old_roles", sa.Text(), nullable=False, comment="sorted, apart by blanks"),
        sa.Column("new_roles", sa.Text(), nullable=False, comment="sorted, apart by blanks"),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "changed_at",
            "character_id",
            "role_type",
            "digest",
            "occurrence",
            name=op.f("pk_corporation_role_history"),
        ),
        comment="Every change of roles seen. GET /corporations/{corporation_id}/roles/history",
    )
    op.create_table(
        "corporation_shareholder",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "shareholder_type",
            sa.String(length=16),
            nullable=False,
            comment="character or corporation",
        ),
        sa.Column(
            "shareholder_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "share_count", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "shareholder_type",
            "shareholder_id",
            name=op.f("pk_corporation_shareholder"),
        ),
        comment="Who holds its shares. GET /corporations/{corporation_id}/shareholders",
    )
    op.create_table(
        "corporation_skyhook",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "skyhook_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "planet_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "skyhook_id", name=op.f("pk_corporation_skyhook")
        ),
        comment="Skyhooks. GET /corporations/{corporation_id}/structures/skyhooks",
    )
    op.create_table(
        "corporation_skyhook_detail",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "skyhook_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column(
            "state", sa.Text(), nullable=False, comment="ShieldVulnerable, ArmorReinforced, ..."
        ),
        sa.Column(
            "effective_workforce",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column("reinforced_until", UtcTime(), nullable=True, comment="NULL: not reinforced"),
        sa.Column("vulnerable_from", UtcTime(), nullable=True, comment="NULL: no window is set"),
        sa.Column("vulnerable_until", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint(
            "corporation_id", "skyhook_id", name=op.f("pk_corporation_skyhook_detail")
        ),
        comment="State of skyhooks; the window is that of thieves. GET /corporations/{corporation_id}/structures/skyhooks/{skyhook_id}",
    )
    op.create_table(
        "corporation_skyhook_reagent",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "skyhook_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "secured_stock", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "unsecured_stock",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="what thieves can take",
        ),
        sa.Column("last_cycle_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "skyhook_id", "type_id", name=op.f("pk_corporation_skyhook_reagent")
        ),
        comment="Reagents in skyhooks. GET /corporations/{corporation_id}/structures/skyhooks/{skyhook_id}",
    )
    op.create_table(
        "corporation_sovereignty_hub",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "sovereignty_hub_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "sovereignty_hub_id", name=op.f("pk_corporation_sovereignty_hub")
        ),
        comment="Sovereignty hubs. GET /corporations/{corporation_id}/structures/sovereignty-hubs",
    )
    op.create_table(
        "corporation_sovereignty_hub_detail",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "sovereignty_hub_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "fuel_access_list_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column("reagents_updated_at", UtcTime(), nullable=False),
        sa.Column(
            "power_allocated", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "power_available", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "workforce_allocated",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "workforce_available",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("vulnerable_from", UtcTime(), nullable=True, comment="NULL: no window is set"),
        sa.Column("vulnerable_until", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "sovereignty_hub_id",
            name=op.f("pk_corporation_sovereignty_hub_detail"),
        ),
        comment="Resources of sovereignty hubs. GET /corporations/{corporation_id}/structures/sovereignty-hubs/{sovereignty_hub_id}",
    )
    op.create_table(
        "corporation_sovereignty_hub_reagent",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "sovereignty_hub_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "amount",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="at reagents_updated_at",
        ),
        sa.Column(
            "burning_per_hour", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "sovereignty_hub_id",
            "type_id",
            name=op.f("pk_corporation_sovereignty_hub_reagent"),
        ),
        comment="Reagents in sovereignty hubs. GET /corporations/{corporation_id}/structures/sovereignty-hubs/{sovereignty_hub_id}",
    )
    op.create_table(
        "corporation_sovereignty_hub_upgrade",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "sovereignty_hub_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "power_state", sa.Text(), nullable=False, comment="Online, Offline, Low, Pending"
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "sovereignty_hub_id",
            "type_id",
            name=op.f("pk_corporation_sovereignty_hub_upgrade"),
        ),
        comment="Upgrades of sovereignty hubs. GET /corporations/{corporation_id}/structures/sovereignty-hubs/{sovereignty_hub_id}",
    )
    op.create_table(
        "corporation_sovereignty_transport",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "sovereignty_hub_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "is_state", sa.Boolean(), nullable=False, comment="false: as configured; true: as it is"
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="in ESI's list"
        ),
        sa.Column(
            "direction", sa.String(length=16), nullable=False, comment="import, export or transit"
        ),
        sa.Column(
            "solar_system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="from or to where",
        ),
        sa.Column(
            "amount",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="workforce",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "sovereignty_hub_id",
            "is_state",
            "position",
            name=op.f("pk_corporation_sovereignty_transport"),
        ),
        comment="Workforce that sovereignty hubs pass on. GET /corporations/{corporation_id}/structures/sovereignty-hubs/{sovereignty_hub_id}",
    )
    op.create_table(
        "corporation_standing",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("from_type", sa.Text(), nullable=False, comment="agent, npc_corp or faction"),
        sa.Column(
            "from_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("standing", sa.Double(), nullable=False, comment="-10 to 10, without skills"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "from_type", "from_id", name=op.f("pk_corporation_standing")
        ),
        comment="Standings towards a corporation. GET /corporations/{corporation_id}/standings",
    )
    op.create_table(
        "corporation_starbase",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "starbase_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "moon_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="NULL: not anchored",
        ),
        sa.Column(
            "state",
            sa.Text(),
            nullable=True,
            comment="offline, online, onlining, reinforced or unanchoring",
        ),
        sa.Column(
            "unanchor_at", UtcTime(), nullable=True, comment="when it will be free to be taken"
        ),
        sa.Column("reinforced_until", UtcTime(), nullable=True),
        sa.Column("onlined_since", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint(
            "corporation_id", "starbase_id", name=op.f("pk_corporation_starbase")
        ),
        comment="Starbases (POS). GET /corporations/{corporation_id}/starbases",
    )
    op.create_table(
        "corporation_starbase_detail",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "starbase_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "anchor", sa.Text(), nullable=False, comment="who may: a role, a member, an ally"
        ),
        sa.Column(
            "unanchor", sa.Text(), nullable=False, comment="who may: a role, a member, an ally"
        ),
        sa.Column(
            "online", sa.Text(), nullable=False, comment="who may: a role, a member, an ally"
        ),
        sa.Column(
            "offline", sa.Text(), nullable=False, comment="who may: a role, a member, an ally"
        ),
        sa.Column(
            "fuel_bay_view", sa.Text(), nullable=False, comment="who may: a role, a member, an ally"
        ),
        sa.Column(
            "fuel_bay_take", sa.Text(), nullable=False, comment="who may: a role, a member, an ally"
        ),
        sa.Column(
            "allow_corporation_members", sa.Boolean(), nullable=False, comment="through its shield"
        ),
        sa.Column(
            "allow_alliance_members", sa.Boolean(), nullable=False, comment="through its shield"
        ),
        sa.Column("use_alliance_standings", sa.Boolean(), nullable=False),
        sa.Column("attack_if_at_war", sa.Boolean(), nullable=False),
        sa.Column("attack_if_other_security_status_dropping", sa.Boolean(), nullable=False),
        sa.Column(
            "attack_security_status_threshold",
            sa.Double(),
            nullable=True,
            comment="-10 to 10; NULL: does not count",
        ),
        sa.Column(
            "attack_standing_threshold",
            sa.Double(),
            nullable=True,
            comment="-10 to 10; NULL: does not count",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "starbase_id", name=op.f("pk_corporation_starbase_detail")
        ),
        comment="How starbases are set up. GET /corporations/{corporation_id}/starbases/{starbase_id}",
    )
    op.create_table(
        "corporation_starbase_fuel",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "starbase_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "starbase_id", "type_id", name=op.f("pk_corporation_starbase_fuel")
        ),
        comment="What lies in the fuel bays of starbases. GET /corporations/{corporation_id}/starbases/{starbase_id}",
    )
    op.create_table(
        "corporation_structure",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "structure_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("name", sa.Text(), nullable=True, comment="raw; the last known one"),
        sa.Column(
            "profile_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "state", sa.Text(), nullable=False, comment="shield_vulnerable, armor_reinforce, ..."
        ),
        sa.Column("state_timer_start", UtcTime(), nullable=True),
        sa.Column("state_timer_end", UtcTime(), nullable=True),
        sa.Column("fuel_expires", UtcTime(), nullable=True, comment="NULL: without fuel"),
        sa.Column("unanchors_at", UtcTime(), nullable=True),
        sa.Column("reinforce_hour", sa.Integer(), nullable=True, comment="UTC"),
        sa.Column("next_reinforce_hour", sa.Integer(), nullable=True, comment="UTC"),
        sa.Column("next_reinforce_apply", UtcTime(), nullable=True),
        sa.Column(
            "closed_at",
            UtcTime(),
            nullable=True,
            comment="when it was no longer listed: gone, or given away",
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id", "structure_id", name=op.f("pk_corporation_structure")
        ),
        comment="Structures, and those that are gone. GET /corporations/{corporation_id}/structures",
    )
    op.create_table(
        "corporation_structure_service",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "structure_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, comment="online, offline or cleanup"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "structure_id", "name", name=op.f("pk_corporation_structure_service")
        ),
        comment="Services of structures. GET /corporations/{corporation_id}/structures",
    )
    op.create_table(
        "corporation_title",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "title_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=True, comment="raw"),
        sa.PrimaryKeyConstraint("corporation_id", "title_id", name=op.f("pk_corporation_title")),
        comment="Titles that can be given. GET /corporations/{corporation_id}/titles",
    )
    op.create_table(
        "corporation_title_role",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "title_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("place", sa.String(length=8), nullable=False, comment="all, base, hq or other"),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("grantable", sa.Boolean(), nullable=False, comment="may be given to others"),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "title_id",
            "place",
            "role",
            "grantable",
            name=op.f("pk_corporation_title_role"),
        ),
        comment="Roles that come with titles. GET /corporations/{corporation_id}/titles",
    )
    op.create_table(
        "corporation_wallet",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("division", sa.Integer(), autoincrement=False, nullable=False, comment="1 to 7"),
        sa.Column("balance", Isk(), nullable=False, comment="0.01 ISK"),
        sa.PrimaryKeyConstraint("corporation_id", "division", name=op.f("pk_corporation_wallet")),
        comment="Balances. GET /corporations/{corporation_id}/wallets",
    )
    op.create_table(
        "corporation_wallet_gap",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("division", sa.Integer(), autoincrement=False, nullable=False, comment="1 to 7"),
        sa.Column(
            "entry_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
            comment="the one after it",
        ),
        sa.Column("posted_at", UtcTime(), nullable=False, comment="of that entry"),
        sa.Column(
            "expected", Isk(), nullable=False, comment="0.01 ISK: balance before and the amount"
        ),
        sa.Column("balance", Isk(), nullable=False, comment="0.01 ISK, as the entry has it"),
        sa.Column("found_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "division", "entry_id", name=op.f("pk_corporation_wallet_gap")
        ),
        comment="Where entries are missing: the journal does not add up. From the journal",
    )
    op.create_table(
        "corporation_wallet_journal",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("division", sa.Integer(), autoincrement=False, nullable=False, comment="1 to 7"),
        sa.Column(
            "entry_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("posted_at", UtcTime(), nullable=False),
        sa.Column("ref_type", sa.Text(), nullable=False),
        sa.Column("amount", Isk(), nullable=True, comment="0.01 ISK; negative: paid"),
        sa.Column("balance", Isk(), nullable=True, comment="0.01 ISK, after this entry"),
        sa.Column(
            "first_party_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "second_party_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "context_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("context_id_type", sa.Text(), nullable=True, comment="what context_id is"),
        sa.Column("tax", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column(
            "tax_receiver_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("description", sa.Text(), nullable=False, comment="raw"),
        sa.Column("reason", sa.Text(), nullable=True, comment="raw"),
        sa.PrimaryKeyConstraint(
            "corporation_id", "division", "entry_id", name=op.f("pk_corporation_wallet_journal")
        ),
        comment="Every entry seen. GET /corporations/{corporation_id}/wallets/{division}/journal",
    )
    with op.batch_alter_table("corporation_wallet_journal", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_corporation_wallet_journal_corporation_id_division_posted_at"),
            ["corporation_id", "division", "posted_at"],
            unique=False,
        )

    op.create_table(
        "corporation_wallet_transaction",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("division", sa.Integer(), autoincrement=False, nullable=False, comment="1 to 7"),
        sa.Column(
            "transaction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("traded_at", UtcTime(), nullable=False),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("unit_price", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column("is_buy", sa.Boolean(), nullable=False),
        sa.Column(
            "client_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "journal_ref_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint(
            "corporation_id",
            "division",
            "transaction_id",
            name=op.f("pk_corporation_wallet_transaction"),
        ),
        comment="Every trade seen. GET /corporations/{corporation_id}/wallets/{division}/transactions",
    )
    op.create_table(
        "credential",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column(
            "character_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "client_id", sa.Text(), nullable=False, comment="the application it was granted to"
        ),
        sa.Column("scopes", sa.Text(), nullable=False, comment="sorted, apart by blanks"),
        sa.Column("access_token", sa.Text(), nullable=True),
        sa.Column("refresh_token", sa.Text(), nullable=False),
        sa.Column(
            "key_id", sa.Text(), nullable=True, comment="NULL: the tokens are stored as they are"
        ),
        sa.Column("expires_at", UtcTime(), nullable=True, comment="of the access token"),
        sa.Column(
            "generation",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="raised by each new token, grant or flag",
        ),
        sa.Column(
            "needs_reauth",
            sa.Boolean(),
            server_default=sa.text("(false)"),
            nullable=False,
            comment="only a new login helps",
        ),
        sa.Column(
            "refused_at",
            UtcTime(),
            nullable=True,
            comment="when SSO first refused the refresh token; NULL: well",
        ),
        sa.Column("refreshed_at", UtcTime(), nullable=True),
        sa.Column(
            "logged_in_at",
            UtcTime(),
            nullable=True,
            comment="when a person last granted it, or imported it",
        ),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credential")),
        comment="What SSO granted, always to a character",
    )
    with op.batch_alter_table("credential", schema=None) as batch_op:
        batch_op.create_index(
            "uq_credential_character_id_client_id", ["character_id", "client_id"], unique=True
        )

    op.create_table(
        "freelance_job",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("last_modified_at", UtcTime(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False, comment="raw"),
        sa.Column(
            "career", sa.Text(), nullable=False, comment="Explorer, Industrialist, Enforcer, ..."
        ),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column("finished_at", UtcTime(), nullable=True),
        sa.Column(
            "creator_character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "creator_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("method", sa.Text(), nullable=False, comment="what is to be done"),
        sa.Column("version", sa.Integer(), nullable=False, comment="of the method"),
        sa.Column("parameters", sa.Text(), nullable=False, comment="of the method, as JSON"),
        sa.Column(
            "acl_protected", sa.Boolean(), nullable=False, comment="open to an access list only"
        ),
        sa.Column(
            "minimum_age",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of who takes part",
        ),
        sa.Column(
            "maximum_age",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of who takes part",
        ),
        sa.Column(
            "max_committed_participants",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "contribution_per_participant_limit",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column("reward_per_contribution", Isk(), nullable=True, comment="ISK times 100"),
        sa.Column(
            "submission_limit", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("submission_multiplier", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_freelance_job")),
        comment="What freelance jobs ask for, told once for all. GET /freelance-jobs/{job_id}",
    )
    op.create_table(
        "freelance_job_location",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column(
            "location_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "location_id", name=op.f("pk_freelance_job_location")),
        comment="Where freelance jobs are told of. GET /freelance-jobs/{job_id}",
    )
    op.create_table(
        "fw_leading_character",
        sa.Column(
            "measure", sa.String(length=16), nullable=False, comment="kills or victory_points"
        ),
        sa.Column(
            "period",
            sa.String(length=16),
            nullable=False,
            comment="yesterday, last_week, active_total",
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="0: the first"
        ),
        sa.Column(
            "character_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("amount", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.PrimaryKeyConstraint(
            "measure", "period", "position", name=op.f("pk_fw_leading_character")
        ),
        comment="Leaders of factional warfare. GET /fw/leaderboards/characters",
    )
    op.create_table(
        "fw_leading_corporation",
        sa.Column(
            "measure", sa.String(length=16), nullable=False, comment="kills or victory_points"
        ),
        sa.Column(
            "period",
            sa.String(length=16),
            nullable=False,
            comment="yesterday, last_week, active_total",
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="0: the first"
        ),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("amount", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.PrimaryKeyConstraint(
            "measure", "period", "position", name=op.f("pk_fw_leading_corporation")
        ),
        comment="Leaders of factional warfare. GET /fw/leaderboards/corporations",
    )
    op.create_table(
        "fw_leading_faction",
        sa.Column(
            "measure", sa.String(length=16), nullable=False, comment="kills or victory_points"
        ),
        sa.Column(
            "period",
            sa.String(length=16),
            nullable=False,
            comment="yesterday, last_week, active_total",
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="0: the first"
        ),
        sa.Column(
            "faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("amount", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.PrimaryKeyConstraint(
            "measure", "period", "position", name=op.f("pk_fw_leading_faction")
        ),
        comment="Leaders of factional warfare. GET /fw/leaderboards",
    )
    op.create_table(
        "fw_statistics",
        sa.Column(
            "faction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("pilots", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("systems_controlled", sa.Integer(), nullable=False),
        sa.Column(
            "kills_yesterday", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "kills_last_week", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "kills_total", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "points_yesterday",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.Column(
            "points_last_week",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.Column(
            "points_total",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="victory points",
        ),
        sa.PrimaryKeyConstraint("faction_id", name=op.f("pk_fw_statistics")),
        comment="Factional warfare by faction. GET /fw/stats",
    )
    op.create_table(
        "fw_system",
        sa.Column(
            "solar_system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "owner_faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "occupier_faction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "contested",
            sa.Text(),
            nullable=False,
            comment="captured, contested, uncontested, vulnerable",
        ),
        sa.Column(
            "victory_points", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "victory_points_threshold",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("solar_system_id", name=op.f("pk_fw_system")),
        comment="Systems of factional warfare. GET /fw/systems",
    )
    op.create_table(
        "fw_war",
        sa.Column(
            "faction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "against_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("faction_id", "against_id", name=op.f("pk_fw_war")),
        comment="Which factions are at war. GET /fw/wars",
    )
    op.create_table(
        "incursion",
        sa.Column(
            "constellation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "staging_solar_system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column(
            "state", sa.Text(), nullable=False, comment="established, mobilizing or withdrawing"
        ),
        sa.Column("influence", sa.Double(), nullable=False, comment="0 to 1"),
        sa.Column("has_boss", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("constellation_id", name=op.f("pk_incursion")),
        comment="Incursions under way. GET /incursions",
    )
    op.create_table(
        "incursion_system",
        sa.Column(
            "constellation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "solar_system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint(
            "constellation_id", "solar_system_id", name=op.f("pk_incursion_system")
        ),
        comment="Systems that they have infested. GET /incursions",
    )
    op.create_table(
        "industry_facility",
        sa.Column(
            "facility_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "region_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tax", sa.Double(), nullable=True, comment="0 to 1; NULL: none is set"),
        sa.PrimaryKeyConstraint("facility_id", name=op.f("pk_industry_facility")),
        comment="Facilities for industry that are open to all. GET /industry/facilities",
    )
    op.create_table(
        "industry_index",
        sa.Column(
            "solar_system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "activity", sa.String(length=48), nullable=False, comment="manufacturing, copying, ..."
        ),
        sa.Column(
            "cost_index", sa.Double(), nullable=False, comment="share of the product's value"
        ),
        sa.PrimaryKeyConstraint("solar_system_id", "activity", name=op.f("pk_industry_index")),
        comment="What industry costs in each system. GET /industry/systems",
    )
    op.create_table(
        "insurance_price",
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("level", sa.String(length=64), nullable=False, comment="Basic, Gold, ..."),
        sa.Column("cost", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column("payout", Isk(), nullable=False, comment="0.01 ISK"),
        sa.PrimaryKeyConstraint("type_id", "level", name=op.f("pk_insurance_price")),
        comment="What insurance costs and pays. GET /insurance/prices",
    )
    op.create_table(
        "killmail",
        sa.Column(
            "killmail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("killed_at", UtcTime(), nullable=False),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("moon_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("war_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column(
            "victim_character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "victim_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "victim_alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "victim_faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "victim_ship_type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column(
            "damage_taken", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("x", sa.Double(), nullable=True, comment="metres from the sun"),
        sa.Column("y", sa.Double(), nullable=True, comment="metres from the sun"),
        sa.Column("z", sa.Double(), nullable=True, comment="metres from the sun"),
        sa.PrimaryKeyConstraint("killmail_id", name=op.f("pk_killmail")),
        comment="What was destroyed. GET /killmails/{killmail_id}/{killmail_hash}",
    )
    with op.batch_alter_table("killmail", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_killmail_killed_at"), ["killed_at"], unique=False)

    op.create_table(
        "killmail_attacker",
        sa.Column(
            "killmail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="in ESI's list"
        ),
        sa.Column(
            "character_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "alliance_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "faction_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "ship_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "weapon_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "damage_done", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("final_blow", sa.Boolean(), nullable=False),
        sa.Column("security_status", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("killmail_id", "position", name=op.f("pk_killmail_attacker")),
        comment="By whom. GET /killmails/{killmail_id}/{killmail_hash}",
    )
    op.create_table(
        "killmail_item",
        sa.Column(
            "killmail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="in ESI's order"
        ),
        sa.Column(
            "inside",
            sa.Integer(),
            nullable=True,
            comment="position of the container that it lay in",
        ),
        sa.Column(
            "item_type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("flag", sa.Integer(), nullable=False, comment="number of the slot or bay"),
        sa.Column("singleton", sa.Integer(), nullable=False, comment="2: a blueprint's copy"),
        sa.Column(
            "quantity_destroyed",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "quantity_dropped", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.PrimaryKeyConstraint("killmail_id", "position", name=op.f("pk_killmail_item")),
        comment="What was aboard. GET /killmails/{killmail_id}/{killmail_hash}",
    )
    op.create_table(
        "killmail_value",
        sa.Column(
            "killmail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "local_value",
            Isk(),
            nullable=True,
            comment="0.01 ISK at average prices; NULL: none were known",
        ),
        sa.Column(
            "value",
            Isk(),
            nullable=True,
            comment="0.01 ISK as zKillboard says; NULL: it has not said",
        ),
        sa.Column("destroyed_value", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("dropped_value", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("fitted_value", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("points", sa.Integer(), nullable=True),
        sa.Column(
            "valued_at", UtcTime(), nullable=False, comment="when the local value was worked out"
        ),
        sa.Column("asked_at", UtcTime(), nullable=True, comment="when zKillboard was last asked"),
        sa.Column(
            "tries",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="how often it was asked",
        ),
        sa.PrimaryKeyConstraint("killmail_id", name=op.f("pk_killmail_value")),
        comment="What killmails are worth. zKillboard: GET /api/killID/{killmail_id}/",
    )
    op.create_table(
        "ledger",
        sa.Column("subject_type", sa.String(length=16), nullable=False),
        sa.Column(
            "subject_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
            comment="0: global",
        ),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column(
            "outcome",
            sa.String(length=16),
            nullable=False,
            comment="synced, empty, not_ready, blocked, skipped or failed",
        ),
        sa.Column("rows_touched", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "rows_skipped",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="rows that could not be read or stored; the others were kept",
        ),
        sa.Column(
            "to_fetch",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="things that a long job has not fetched yet; it goes on soon",
        ),
        sa.Column(
            "words_unknown",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="words that ESI's contract does not list; they were stored as they came",
        ),
        sa.Column(
            "last_reason",
            sa.Text(),
            nullable=True,
            comment="in words, where there is something to say",
        ),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("last_attempt_at", UtcTime(), nullable=False),
        sa.Column(
            "last_success_at",
            UtcTime(),
            nullable=True,
            comment="when it was last looked at and all was well",
        ),
        sa.Column("last_changed_at", UtcTime(), nullable=True, comment="when rows last changed"),
        sa.Column("next_eligible_at", UtcTime(), nullable=True),
        sa.Column(
            "fresh_until", UtcTime(), nullable=True, comment="before then the answers cannot change"
        ),
        sa.Column(
            "consecutive_failures", sa.Integer(), server_default=sa.text("0"), nullable=False
        ),
        sa.Column(
            "strikes",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="times that it killed its worker while it ran alone",
        ),
        sa.Column("parked_reason", sa.Text(), nullable=True, comment="NULL: not parked"),
        sa.Column(
            "parked_generation",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="of the credential; a newer one ends the park. NULL: only a person does",
        ),
        sa.PrimaryKeyConstraint("subject_type", "subject_id", "kind", name=op.f("pk_ledger")),
        comment="How each job last ended and when it is due",
    )
    op.create_table(
        "loyalty_offer",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "offer_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "lp_cost",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="loyalty points",
        ),
        sa.Column("isk_cost", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column(
            "ak_cost",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="analysis kredits",
        ),
        sa.PrimaryKeyConstraint("corporation_id", "offer_id", name=op.f("pk_loyalty_offer")),
        comment="What loyalty stores sell. GET /loyalty/stores/{corporation_id}/offers",
    )
    op.create_table(
        "loyalty_offer_item",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "offer_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint(
            "corporation_id", "offer_id", "type_id", name=op.f("pk_loyalty_offer_item")
        ),
        comment="What has to be given besides. GET /loyalty/stores/{corporation_id}/offers",
    )
    op.create_table(
        "mail",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "mail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "from_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="a character or a mailing list",
        ),
        sa.Column("subject", sa.Text(), nullable=True, comment="raw"),
        sa.Column("sent_at", UtcTime(), nullable=True),
        sa.Column("is_read", sa.Boolean(), nullable=True),
        sa.Column(
            "deleted_at",
            UtcTime(),
            nullable=True,
            comment="when it was seen to be gone; NULL: still there",
        ),
        sa.Column(
            "body_refusals",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="how often its body was refused, or could not be read",
        ),
        sa.Column(
            "body_due_at",
            UtcTime(),
            nullable=True,
            comment="until then its body is not asked for again",
        ),
        sa.PrimaryKeyConstraint("character_id", "mail_id", name=op.f("pk_mail")),
        comment="Mail headers. GET /characters/{character_id}/mail",
    )
    with op.batch_alter_table("mail", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_mail_character_id_sent_at"), ["character_id", "sent_at"], unique=False
        )

    op.create_table(
        "mail_body",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "mail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("body", sa.Text(), nullable=True, comment="raw markup; NULL: ESI has none"),
        sa.PrimaryKeyConstraint("character_id", "mail_id", name=op.f("pk_mail_body")),
        comment="Mail texts, each fetched once. GET /characters/{character_id}/mail/{mail_id}",
    )
    op.create_table(
        "mail_label",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("color", sa.Text(), nullable=True, comment="#rrggbb"),
        sa.Column("unread_count", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("character_id", "label_id", name=op.f("pk_mail_label")),
        comment="Labels. GET /characters/{character_id}/mail/labels",
    )
    op.create_table(
        "mail_label_link",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "mail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "label_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
            comment="1 inbox, 2 sent, 4 corporation, 8 alliance; these need not be in mail_label",
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "mail_id", "label_id", name=op.f("pk_mail_label_link")
        ),
        comment="Labels on a mail. GET /characters/{character_id}/mail",
    )
    op.create_table(
        "mail_recipient",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "mail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "recipient_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "recipient_type",
            sa.Text(),
            nullable=False,
            comment="character, corporation, alliance, mailing_list",
        ),
        sa.PrimaryKeyConstraint(
            "character_id", "mail_id", "recipient_id", name=op.f("pk_mail_recipient")
        ),
        comment="To whom a mail went. GET /characters/{character_id}/mail",
    )
    op.create_table(
        "mail_unread",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("total_unread_count", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_mail_unread")),
        comment="Sum of unread mail. GET /characters/{character_id}/mail/labels",
    )
    op.create_table(
        "mail_walk",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column(
            "next_last_mail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="where an unfinished walk goes on; NULL: finished",
        ),
        sa.Column(
            "finished_at",
            UtcTime(),
            nullable=True,
            comment="when all headers were last read to the end",
        ),
        sa.Column(
            "doubted_at",
            UtcTime(),
            nullable=True,
            comment="when too much was gone at once to be believed",
        ),
        sa.PrimaryKeyConstraint("character_id", name=op.f("pk_mail_walk")),
        comment="How far the daily reading of all mail headers got",
    )
    op.create_table(
        "mailing_list",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "mailing_list_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False, comment="raw"),
        sa.PrimaryKeyConstraint("character_id", "mailing_list_id", name=op.f("pk_mailing_list")),
        comment="Mailing lists subscribed to. GET /characters/{character_id}/mail/lists",
    )
    op.create_table(
        "market_history",
        sa.Column(
            "region_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("day", sa.Date(), nullable=False, comment="UTC"),
        sa.Column("average", sa.Double(), nullable=False, comment="ISK"),
        sa.Column("highest", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column("lowest", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column(
            "order_count",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="orders filled",
        ),
        sa.Column(
            "volume",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="pieces traded",
        ),
        sa.PrimaryKeyConstraint("region_id", "type_id", "day", name=op.f("pk_market_history")),
        comment="Trade by day of watched types, for ever. GET /markets/{region_id}/history",
    )
    op.create_table(
        "market_price",
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("average_price", sa.Double(), nullable=True, comment="ISK, a mean of trades"),
        sa.Column(
            "adjusted_price", sa.Double(), nullable=True, comment="ISK, what industry is charged by"
        ),
        sa.PrimaryKeyConstraint("type_id", name=op.f("pk_market_price")),
        comment="Prices over all regions. GET /markets/prices",
    )
    op.create_table(
        "name",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "category",
            sa.Text(),
            nullable=False,
            comment="character, corporation, alliance, faction, type, system, station, ...",
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("checked_at", UtcTime(), nullable=False, comment="when ESI last said so"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_name")),
        comment="Name of every id in the mirror; the last known one stays. POST /universe/names",
    )
    with op.batch_alter_table("name", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_name_checked_at"), ["checked_at"], unique=False)

    op.create_table(
        "name_search",
        sa.Column("table_name", sa.String(length=64), nullable=False),
        sa.Column("marks", sa.Text(), nullable=False, comment="what is looked for in it"),
        sa.Column(
            "position",
            sa.Text(),
            nullable=True,
            comment="key of the row looked at last, as JSON; NULL: at the end",
        ),
        sa.Column("finished_at", UtcTime(), nullable=True, comment="when its end was last reached"),
        sa.PrimaryKeyConstraint("table_name", name=op.f("pk_name_search")),
        comment="How far tables were looked through for ids without a name",
    )
    op.create_table(
        "net_worth",
        sa.Column(
            "character_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("day", sa.Date(), nullable=False, comment="of UTC"),
        sa.Column(
            "liquid", Isk(), nullable=True, comment="0.01 ISK in the wallet; NULL: not known"
        ),
        sa.Column(
            "asset_value",
            Isk(),
            nullable=True,
            comment="0.01 ISK, quantity x average price; NULL: not known",
        ),
        sa.Column(
            "escrow",
            Isk(),
            nullable=True,
            comment="0.01 ISK set aside by open buy orders; NULL: not known",
        ),
        sa.Column(
            "net_worth",
            Isk(),
            nullable=True,
            comment="0.01 ISK, sum of what is known; NULL: nothing is",
        ),
        sa.PrimaryKeyConstraint("character_id", "day", name=op.f("pk_net_worth")),
        comment="Worth of a character at the end of a day, today's so far; past days: wallet only",
    )
    op.create_table(
        "npc_corporation",
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "offers_at",
            UtcTime(),
            nullable=True,
            comment="when its loyalty store was read; NULL: not yet",
        ),
        sa.PrimaryKeyConstraint("corporation_id", name=op.f("pk_npc_corporation")),
        comment="Corporations of the game. GET /corporations/npccorps",
    )
    op.create_table(
        "outbox",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("subject_type", sa.String(length=16), nullable=False),
        sa.Column(
            "subject_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False, comment="JSON"),
        sa.Column(
            "dedupe_key", sa.Text(), nullable=False, comment="open rows of one kind differ in it"
        ),
        sa.Column(
            "target",
            sa.Text(),
            server_default=sa.text("('')"),
            nullable=False,
            comment="what is written to: writes to one target keep their order; empty: no order",
        ),
        sa.Column(
            "revision",
            sa.Integer(),
            server_default=sa.text("1"),
            nullable=False,
            comment="raised with each new payload: only the one that was sent can be done",
        ),
        sa.Column(
            "status",
            sa.String(length=16),
            server_default=sa.text("'pending'"),
            nullable=False,
            comment="pending, inflight, done, failed, uncertain or cancelled",
        ),
        sa.Column(
            "attempts",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="those that ESI itself answered with a failure",
        ),
        sa.Column("next_attempt_at", UtcTime(), nullable=False),
        sa.Column(
            "claimed_by_epoch", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("claim_expires_at", UtcTime(), nullable=True),
        sa.Column("expires_at", UtcTime(), nullable=True, comment="given up then"),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column(
            "result",
            sa.Text(),
            nullable=True,
            comment="JSON: what ESI answered, or from when to when it is in doubt",
        ),
        sa.Column(
            "held_until",
            UtcTime(),
            nullable=True,
            comment="done, and what ESI shows before then may be older",
        ),
        sa.Column("created_at", UtcTime(), nullable=False, comment="when it was last asked for"),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        comment="Writes that are wanted at ESI",
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(
            "ix_outbox_status_created_at", ["status", "created_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_outbox_status_next_attempt_at", ["status", "next_attempt_at"], unique=False
        )
        batch_op.create_index(
            "ix_outbox_subject_target", ["subject_type", "subject_id", "target"], unique=False
        )
        batch_op.create_index(
            "uq_outbox_open",
            ["subject_type", "subject_id", "kind", "dedupe_key"],
            unique=True,
            sqlite_where=sa.text("status IN ('pending', 'inflight', 'uncertain')"),
            postgresql_where=sa.text("status IN ('pending', 'inflight', 'uncertain')"),
        )

    op.create_table(
        "owner",
        sa.Column(
            "id", sa.Integer(), autoincrement=False, nullable=False, comment="1: there is one row"
        ),
        sa.Column(
            "epoch",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="raised by each start of the engine",
        ),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owner")),
        comment="Which daemon may write",
    )
    op.create_table(
        "pause",
        sa.Column("scope", sa.String(length=64), nullable=False, comment="all"),
        sa.Column("until", UtcTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_pause")),
        comment="Waits that ESI asked for, kept over a restart",
    )
    op.create_table(
        "pruning",
        sa.Column("table_name", sa.String(length=64), nullable=False),
        sa.Column(
            "position",
            sa.Text(),
            nullable=True,
            comment="key of the row looked at last, as JSON; NULL: at the end",
        ),
        sa.PrimaryKeyConstraint("table_name", name=op.f("pk_pruning")),
        comment="How far tables were looked through for rows that are too old",
    )
    op.create_table(
        "public_contract",
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "region_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("type", sa.Text(), nullable=False, comment="item_exchange, auction or courier"),
        sa.Column(
            "issuer_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "issuer_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("for_corporation", sa.Boolean(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True, comment="raw"),
        sa.Column(
            "start_location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "end_location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("price", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("reward", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("collateral", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("buyout", Isk(), nullable=True, comment="0.01 ISK"),
        sa.Column("volume", sa.Double(), nullable=True, comment="cubic metres"),
        sa.Column("days_to_complete", sa.Integer(), nullable=True),
        sa.Column("issued_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column(
            "closed_at",
            UtcTime(),
            nullable=True,
            comment="when it was no longer listed, or watched",
        ),
        sa.Column(
            "items_at", UtcTime(), nullable=True, comment="when its items were read; NULL: not yet"
        ),
        sa.Column(
            "items_due_at",
            UtcTime(),
            nullable=True,
            comment="ESI refused them: not asked again before",
        ),
        sa.Column("bids_at", UtcTime(), nullable=True, comment="when its bids were last read"),
        sa.PrimaryKeyConstraint("contract_id", name=op.f("pk_public_contract")),
        comment="Public contracts of watched regions, and those that are over. GET /contracts/public/{region_id}",
    )
    with op.batch_alter_table("public_contract", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_public_contract_region_id_closed_at"),
            ["region_id", "closed_at"],
            unique=False,
        )

    op.create_table(
        "public_contract_bid",
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "bid_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("amount", Isk(), nullable=False, comment="0.01 ISK"),
        sa.Column("bid_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("contract_id", "bid_id", name=op.f("pk_public_contract_bid")),
        comment="Bids in public auctions. GET /contracts/public/bids/{contract_id}",
    )
    op.create_table(
        "public_contract_item",
        sa.Column(
            "contract_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "record_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("quantity", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "is_included", sa.Boolean(), nullable=False, comment="false: asked for in return"
        ),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("is_blueprint_copy", sa.Boolean(), nullable=True),
        sa.Column("runs", sa.Integer(), nullable=True, comment="of a blueprint's copy"),
        sa.Column("material_efficiency", sa.Integer(), nullable=True, comment="percent"),
        sa.Column("time_efficiency", sa.Integer(), nullable=True, comment="percent"),
        sa.PrimaryKeyConstraint("contract_id", "record_id", name=op.f("pk_public_contract_item")),
        comment="What they are about. GET /contracts/public/items/{contract_id}",
    )
    op.create_table(
        "public_cursor",
        sa.Column(
            "section",
            sa.String(length=80),
            nullable=False,
            comment="which list; whose people, by id",
        ),
        sa.Column(
            "after_token",
            sa.Text(),
            nullable=True,
            comment="news come after it; NULL: nothing was there yet",
        ),
        sa.Column(
            "before_token",
            sa.Text(),
            nullable=True,
            comment="older rows come before it; NULL: all were read",
        ),
        sa.Column(
            "form", sa.Integer(), nullable=False, comment="of the rows; another form is read anew"
        ),
        sa.PrimaryKeyConstraint("section", name=op.f("pk_public_cursor")),
        comment="How far the public lists that ESI pages by cursor were read",
    )
    op.create_table(
        "public_freelance_job",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="raw"),
        sa.Column(
            "state", sa.Text(), nullable=False, comment="Active, Closed, Completed, Expired, ..."
        ),
        sa.Column("last_modified_at", UtcTime(), nullable=False),
        sa.Column(
            "progress_current", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "progress_desired", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "reward_initial", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "reward_remaining", Isk(), nullable=True, comment="ISK times 100; NULL: without reward"
        ),
        sa.Column(
            "details_of",
            UtcTime(),
            nullable=True,
            comment="last_modified_at of the row when its details were last read; 1970-01-01: were not there when last asked for",
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_public_freelance_job")),
        comment="Freelance jobs that are open to the public, past ones too. GET /freelance-jobs",
    )
    op.create_table(
        "race",
        sa.Column(
            "race_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            comment="id of the race's faction",
        ),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("race_id", name=op.f("pk_race")),
        comment="Playable races. GET /universe/races",
    )
    op.create_table(
        "raidable_skyhook",
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("vulnerable_from", UtcTime(), nullable=False),
        sa.Column("vulnerable_until", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("planet_id", name=op.f("pk_raidable_skyhook")),
        comment="Skyhooks that can be robbed, now or soon. GET /skyhooks/raidable",
    )
    op.create_table(
        "rate_bucket",
        sa.Column(
            "name", sa.Text(), nullable=False, comment="rate group, and the character or public"
        ),
        sa.Column("tokens_limit", sa.Integer(), nullable=False, comment="tokens in a window"),
        sa.Column("window_s", sa.Integer(), nullable=False),
        sa.Column(
            "spent", sa.Integer(), nullable=False, comment="tokens, those lent to jobs included"
        ),
        sa.Column(
            "back_at", UtcTime(), nullable=False, comment="by then the last of them has come back"
        ),
        sa.Column(
            "blocked_until", UtcTime(), nullable=True, comment="ESI refused requests until then"
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rate_bucket")),
        comment="What was spent of ESI's rate limits, kept over a restart",
    )
    op.create_table(
        "region_market_order",
        sa.Column(
            "region_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "order_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("is_buy_order", sa.Boolean(), nullable=False),
        sa.Column("price", Isk(), nullable=False, comment="0.01 ISK for one"),
        sa.Column(
            "volume_total", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "volume_remain", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "min_volume", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "range", sa.Text(), nullable=False, comment="station, solarsystem, region or jumps"
        ),
        sa.Column("duration", sa.Integer(), nullable=False, comment="days"),
        sa.Column("issued", UtcTime(), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.PrimaryKeyConstraint("region_id", "order_id", name=op.f("pk_region_market_order")),
        comment="Open orders in watched regions, whoever placed them. GET /markets/{region_id}/orders",
    )
    with op.batch_alter_table("region_market_order", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_region_market_order_region_id_type_id"),
            ["region_id", "type_id"],
            unique=False,
        )

    op.create_table(
        "route_state",
        sa.Column("route", sa.Text(), nullable=False, comment="GET and the path, ids in braces"),
        sa.Column("params", sa.Text(), nullable=False, comment="of path and query, as sorted JSON"),
        sa.Column(
            "owner_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
            comment="the character whose token was used; 0: none",
        ),
        sa.Column("page", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "revision",
            sa.Text(),
            nullable=False,
            comment="form of the rows, and compatibility date",
        ),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column(
            "last_modified", sa.Text(), nullable=True, comment="word for word as ESI wrote it"
        ),
        sa.Column("expires_at", UtcTime(), nullable=True, comment="by our own clock"),
        sa.Column("pages", sa.Integer(), nullable=True),
        sa.Column(
            "complete_walk",
            sa.Boolean(),
            server_default=sa.text("(false)"),
            nullable=False,
            comment="the walk back through history once reached its end",
        ),
        sa.Column(
            "cursor",
            sa.Text(),
            nullable=True,
            comment="newest id of the history, or a doubt about a set",
        ),
        sa.Column("checked_at", UtcTime(), nullable=False),
        sa.Column(
            "rows_skipped",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="rows of the set that could not be read or stored; on page 1",
        ),
        sa.Column(
            "words_unknown",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="words of the set that ESI's contract does not list; on page 1",
        ),
        sa.PrimaryKeyConstraint("route", "params", "owner_id", "page", name=op.f("pk_route_state")),
        comment="What is known of each request",
    )
    op.create_table(
        "route_status",
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False, comment="OK, Degraded, Down, Recovering"),
        sa.PrimaryKeyConstraint("method", "path", name=op.f("pk_route_status")),
        comment="How each route of ESI does now. GET /meta/status",
    )
    op.create_table(
        "server_status",
        sa.Column("observed_at", UtcTime(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False, comment="characters online"),
        sa.Column("server_version", sa.Text(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=False, comment="start of the game server"),
        sa.Column("vip", sa.Boolean(), nullable=True, comment="true: only staff can log in"),
        sa.PrimaryKeyConstraint("observed_at", name=op.f("pk_server_status")),
        comment="The game server, one row whenever something changed. GET /status",
    )
    op.create_table(
        "sovereignty_campaign",
        sa.Column(
            "campaign_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "structure_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "constellation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "event_type", sa.Text(), nullable=False, comment="ihub_defense, station_freeport, ..."
        ),
        sa.Column("start_at", UtcTime(), nullable=False),
        sa.Column(
            "defender_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("defender_score", sa.Double(), nullable=True, comment="0 to 1"),
        sa.Column("attackers_score", sa.Double(), nullable=True, comment="0 to 1"),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_sovereignty_campaign")),
        comment="Fights over structures, under way or to come. GET /sovereignty/campaigns",
    )
    op.create_table(
        "sovereignty_campaign_participant",
        sa.Column(
            "campaign_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("score", sa.Double(), nullable=False, comment="0 to 1"),
        sa.PrimaryKeyConstraint(
            "campaign_id", "alliance_id", name=op.f("pk_sovereignty_campaign_participant")
        ),
        comment="Alliances in such a fight. GET /sovereignty/campaigns",
    )
    op.create_table(
        "sovereignty_system",
        sa.Column(
            "solar_system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "faction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="held by it",
        ),
        sa.Column(
            "alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="claimed by it",
        ),
        sa.Column(
            "corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="owner of the hub",
        ),
        sa.Column("claimed_at", UtcTime(), nullable=True),
        sa.Column("is_capital_system", sa.Boolean(), nullable=True),
        sa.Column("military_level", sa.Integer(), nullable=True),
        sa.Column("industrial_level", sa.Integer(), nullable=True),
        sa.Column("strategic_level", sa.Integer(), nullable=True),
        sa.Column("activity_defense_multiplier", sa.Double(), nullable=True),
        sa.Column("hub_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("vulnerable_from", UtcTime(), nullable=True, comment="NULL: no window is set"),
        sa.Column("vulnerable_until", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("solar_system_id", name=op.f("pk_sovereignty_system")),
        comment="Systems, and who claims them; all NULL: nobody. GET /sovereignty/systems",
    )
    op.create_table(
        "structure",
        sa.Column(
            "structure_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=True, comment="raw; the last known one"),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("x", sa.Double(), nullable=True, comment="metres from the sun; NULL: not told"),
        sa.Column("y", sa.Double(), nullable=True, comment="metres from the sun; NULL: not told"),
        sa.Column("z", sa.Double(), nullable=True, comment="metres from the sun; NULL: not told"),
        sa.Column("checked_at", UtcTime(), nullable=False, comment="when ESI last said so"),
        sa.Column(
            "gone_at",
            UtcTime(),
            nullable=True,
            comment="when ESI first said that it is no longer there",
        ),
        sa.PrimaryKeyConstraint("structure_id", name=op.f("pk_structure")),
        comment="Structures that rows name; what is known of those that are gone stays. GET /universe/structures/{structure_id}",
    )
    op.create_table(
        "structure_market_order",
        sa.Column(
            "structure_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "order_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "location_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("is_buy_order", sa.Boolean(), nullable=False),
        sa.Column("price", Isk(), nullable=False, comment="0.01 ISK for one"),
        sa.Column(
            "volume_total", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "volume_remain", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "min_volume", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "range", sa.Text(), nullable=False, comment="station, solarsystem, region or jumps"
        ),
        sa.Column("duration", sa.Integer(), nullable=False, comment="days"),
        sa.Column("issued", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("structure_id", "order_id", name=op.f("pk_structure_market_order")),
        comment="Open orders in watched structures. GET /markets/structures/{structure_id}",
    )
    with op.batch_alter_table("structure_market_order", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_structure_market_order_structure_id_type_id"),
            ["structure_id", "type_id"],
            unique=False,
        )

    op.create_table(
        "subject",
        sa.Column(
            "type",
            sa.String(length=16),
            nullable=False,
            comment="character, corporation or alliance",
        ),
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "state",
            sa.String(length=16),
            nullable=False,
            comment="active, withdrawn (its rows are kept) or deleted (they are not)",
        ),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("type", "id", name=op.f("pk_subject")),
        comment="Whose data is mirrored",
    )
    op.create_table(
        "system_jumps",
        sa.Column(
            "system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("ship_jumps", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("system_id", name=op.f("pk_system_jumps")),
        comment="Jumps in the last hour, where there were any. GET /universe/system_jumps",
    )
    op.create_table(
        "system_kills",
        sa.Column(
            "system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("ship_kills", sa.Integer(), nullable=False),
        sa.Column("pod_kills", sa.Integer(), nullable=False),
        sa.Column("npc_kills", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("system_id", name=op.f("pk_system_kills")),
        comment="Kills in the last hour, where there were any. GET /universe/system_kills",
    )
    op.create_table(
        "universe_category",
        sa.Column(
            "category_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("category_id", name=op.f("pk_universe_category")),
        comment="Categories of groups. GET /universe/categories/{category_id}",
    )
    op.create_table(
        "universe_constellation",
        sa.Column(
            "constellation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "region_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("x", sa.Double(), nullable=False, comment="metres from the middle of New Eden"),
        sa.Column("y", sa.Double(), nullable=False, comment="metres from the middle of New Eden"),
        sa.Column("z", sa.Double(), nullable=False, comment="metres from the middle of New Eden"),
        sa.PrimaryKeyConstraint("constellation_id", name=op.f("pk_universe_constellation")),
        comment="Constellations. GET /universe/constellations/{constellation_id}",
    )
    op.create_table(
        "universe_faction",
        sa.Column(
            "faction_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "militia_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "solar_system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("is_unique", sa.Boolean(), nullable=False),
        sa.Column("size_factor", sa.Double(), nullable=False),
        sa.Column("station_count", sa.Integer(), nullable=False),
        sa.Column("station_system_count", sa.Integer(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("faction_id", name=op.f("pk_universe_faction")),
        comment="Factions. GET /universe/factions",
    )
    op.create_table(
        "universe_group",
        sa.Column(
            "group_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "category_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("group_id", name=op.f("pk_universe_group")),
        comment="Groups of types. GET /universe/groups/{group_id}",
    )
    op.create_table(
        "universe_moon",
        sa.Column(
            "moon_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("x", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("y", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("z", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.PrimaryKeyConstraint("moon_id", name=op.f("pk_universe_moon")),
        comment="Moons. GET /universe/moons/{moon_id}",
    )
    op.create_table(
        "universe_planet",
        sa.Column(
            "planet_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("x", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("y", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("z", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.PrimaryKeyConstraint("planet_id", name=op.f("pk_universe_planet")),
        comment="Planets. GET /universe/planets/{planet_id}",
    )
    op.create_table(
        "universe_region",
        sa.Column(
            "region_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("region_id", name=op.f("pk_universe_region")),
        comment="Regions. GET /universe/regions/{region_id}",
    )
    op.create_table(
        "universe_station",
        sa.Column(
            "station_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "system_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("type_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "owner_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="corporation",
        ),
        sa.Column("race_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("max_dockable_ship_volume", sa.Double(), nullable=False, comment="cubic metres"),
        sa.Column("office_rental_cost", sa.Double(), nullable=False, comment="ISK"),
        sa.Column("reprocessing_efficiency", sa.Double(), nullable=False, comment="0 to 1"),
        sa.Column("reprocessing_stations_take", sa.Double(), nullable=False, comment="0 to 1"),
        sa.Column("x", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("y", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.Column("z", sa.Double(), nullable=False, comment="metres from the sun"),
        sa.PrimaryKeyConstraint("station_id", name=op.f("pk_universe_station")),
        comment="Stations. GET /universe/stations/{station_id}",
    )
    op.create_table(
        "universe_system",
        sa.Column(
            "system_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "constellation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("security_status", sa.Double(), nullable=False, comment="-1 to 1"),
        sa.Column("security_class", sa.Text(), nullable=True),
        sa.Column("star_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("x", sa.Double(), nullable=False, comment="metres from the middle of New Eden"),
        sa.Column("y", sa.Double(), nullable=False, comment="metres from the middle of New Eden"),
        sa.Column("z", sa.Double(), nullable=False, comment="metres from the middle of New Eden"),
        sa.PrimaryKeyConstraint("system_id", name=op.f("pk_universe_system")),
        comment="Solar systems. GET /universe/systems/{system_id}",
    )
    op.create_table(
        "universe_type",
        sa.Column(
            "type_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("group_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "market_group_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.Column("volume", sa.Double(), nullable=True, comment="cubic metres, assembled"),
        sa.Column("packaged_volume", sa.Double(), nullable=True, comment="cubic metres"),
        sa.Column("capacity", sa.Double(), nullable=True, comment="cubic metres"),
        sa.Column("mass", sa.Double(), nullable=True, comment="kilograms"),
        sa.Column("radius", sa.Double(), nullable=True, comment="metres"),
        sa.Column(
            "portion_size", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "graphic_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("icon_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("description", sa.Text(), nullable=False, comment="raw, can hold markup"),
        sa.PrimaryKeyConstraint("type_id", name=op.f("pk_universe_type")),
        comment="Types of things. GET /universe/types/{type_id}",
    )
    op.create_table(
        "unknown_id",
        sa.Column(
            "category",
            sa.String(length=16),
            nullable=False,
            comment="name, or what its details are of",
        ),
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "refusals", sa.Integer(), nullable=False, comment="times in a row that ESI knew nothing"
        ),
        sa.Column("unknown_until", UtcTime(), nullable=False, comment="not asked about before"),
        sa.PrimaryKeyConstraint("category", "id", name=op.f("pk_unknown_id")),
        comment="Ids that ESI could not explain, and when it is asked again",
    )
    op.create_table(
        "view_made",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False, comment="of its SQL"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_view_made")),
        comment="Views that this program made",
    )
    op.create_table(
        "wanted_id",
        sa.Column(
            "category",
            sa.String(length=16),
            nullable=False,
            comment="name, or what its details are of",
        ),
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("category", "id", name=op.f("pk_wanted_id")),
        comment="Ids met in rows of which nothing is known yet",
    )
    op.create_table(
        "war",
        sa.Column(
            "war_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "read_at",
            UtcTime(),
            nullable=True,
            comment="when it was last read; NULL: only known by its number",
        ),
        sa.Column(
            "due_at", UtcTime(), nullable=True, comment="before it cannot have changed since"
        ),
        sa.Column(
            "killmails_at", UtcTime(), nullable=True, comment="when its killmails were last read"
        ),
        sa.Column(
            "killmails_due_at", UtcTime(), nullable=True, comment="before there can be no new ones"
        ),
        sa.Column("declared_at", UtcTime(), nullable=True),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("retracted_at", UtcTime(), nullable=True),
        sa.Column("finished_at", UtcTime(), nullable=True, comment="NULL: it goes on"),
        sa.Column("mutual", sa.Boolean(), nullable=True),
        sa.Column("open_for_allies", sa.Boolean(), nullable=True),
        sa.Column(
            "aggressor_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "aggressor_alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "aggressor_ships_killed",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="by it",
        ),
        sa.Column("aggressor_isk_destroyed", Isk(), nullable=True, comment="0.01 ISK, by it"),
        sa.Column(
            "defender_corporation_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "defender_alliance_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "defender_ships_killed",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
            comment="by it",
        ),
        sa.Column("defender_isk_destroyed", Isk(), nullable=True, comment="0.01 ISK, by it"),
        sa.PrimaryKeyConstraint("war_id", name=op.f("pk_war")),
        comment="Wars, since this mirror began to look at them. GET /wars, GET /wars/{war_id}",
    )
    with op.batch_alter_table("war", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_war_finished_at"), ["finished_at"], unique=False)

    op.create_table(
        "war_ally",
        sa.Column(
            "war_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "position", sa.Integer(), autoincrement=False, nullable=False, comment="in ESI's list"
        ),
        sa.Column(
            "corporation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column(
            "alliance_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.PrimaryKeyConstraint("war_id", "position", name=op.f("pk_war_ally")),
        comment="Allies of defenders. GET /wars/{war_id}",
    )
    op.create_table(
        "war_killmail",
        sa.Column(
            "war_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column(
            "killmail_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("killmail_hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("war_id", "killmail_id", name=op.f("pk_war_killmail")),
        comment="Killmails of wars, by number and hash. GET /wars/{war_id}/killmails",
    )
