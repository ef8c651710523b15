"""Views of whom characters and corporations know, and who serves them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from jobs.store.views.fields import (
    BOTH,
    CHARACTER,
    OWNER,
    WHERE,
    double,
    flag,
    integer,
    me,
    owner,
    text,
    time,
)
from jobs.store.views.view import Branch, View


def _contacts(kind: str, b: Branch) -> Mapping[str, str]:
    labels = b.listed(
        "l.label_name",
        f"{kind}_contact_label_link AS k JOIN {kind}_contact_label AS l"
        f" ON l.{kind}_id = k.{kind}_id AND l.label_id = k.label_id"
        f" WHERE k.{kind}_id = o.{kind}_id AND k.contact_id = o.contact_id",
    )
    return {
        **owner(kind, b),
        "contact_id": "o.contact_id",
        "contact": b.name("o.contact_id", ""),
        "contact_type": "o.contact_type",
        "standing": "o.standing",
        "labels": labels,
        "is_watched": "o.is_watched",
        "is_blocked": "o.is_blocked" if kind == "character" else "CAST(NULL AS BOOLEAN)",
    }


CONTACTS = View(
    "v_contacts",
    "Contacts with their labels",
    (
        *OWNER,
        integer("contact_id"),
        text("contact"),
        text("contact_type", "character, corporation, ..."),
        double("standing", "-10 to 10"),
        text("labels", "apart by commas"),
        flag("is_watched"),
        flag("is_blocked"),
    ),
    tuple((f"{kind}_contact AS o", partial(_contacts, kind)) for kind in BOTH),
)


def _standings(kind: str, b: Branch) -> Mapping[str, str]:
    return {
        **owner(kind, b),
        "from_id": "o.from_id",
        "from_name": b.name("o.from_id", ""),
        "from_type": "o.from_type",
        "standing": "o.standing",
    }


STANDINGS = View(
    "v_standings",
    "Who thinks well of a character or corporation",
    (
        *OWNER,
        integer("from_id"),
        text("from_name"),
        text("from_type", "agent, npc_corp or faction"),
        double("standing", "-10 to 10, without skills"),
    ),
    tuple((f"{kind}_standing AS o", partial(_standings, kind)) for kind in BOTH),
)


def _members(b: Branch) -> Mapping[str, str]:
    tracking = (
        "corporation_member_tracking",
        "corporation_id = o.corporation_id AND {}.character_id",
        "o.character_id",
    )
    seen = b.join(*tracking)
    place = b.place(f"{seen}.location_id")
    base = b.place(f"{seen}.base_id")
    titles = b.listed(
        "t.name",
        "corporation_member_title AS m JOIN corporation_title AS t"
        " ON t.corporation_id = m.corporation_id AND t.title_id = m.title_id"
        " WHERE m.corporation_id = o.corporation_id AND m.character_id = o.character_id",
    )
    roles = b.listed(
        "r.role",
        "corporation_member_role AS r WHERE r.corporation_id = o.corporation_id"
        " AND r.character_id = o.character_id AND r.place = 'all' AND NOT r.grantable",
    )
    return {
        "corporation_id": "o.corporation_id",
        "corporation": b.corporation("o.corporation_id"),
        "character_id": "o.character_id",
        "member": b.character("o.character_id"),
        "state": "CASE WHEN o.closed_at IS NULL THEN 'member' ELSE 'left' END",
        "joined_at": f"{seen}.start_at",
        "left_at": "o.closed_at",
        "logon_at": f"{seen}.logon_at",
        "logoff_at": f"{seen}.logoff_at",
        "ship": b.type(f"{seen}.ship_type_id"),
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "base": base.name,
        "titles": titles,
        "roles": roles,
    }


MEMBERS = View(
    "v_members",
    "Members of corporations, and those who have left",
    (
        integer("corporation_id"),
        text("corporation"),
        integer("character_id"),
        text("member"),
        text("state", "member or left"),
        time("joined_at"),
        time("left_at", "when it was no longer listed"),
        time("logon_at"),
        time("logoff_at"),
        text("ship"),
        text("place", "where it was last seen"),
        *WHERE,
        text("base"),
        text("titles", "apart by commas"),
        text("roles", "that hold everywhere, apart by commas"),
    ),
    (("corporation_member AS o", _members),),
)


def _loyalty(b: Branch) -> Mapping[str, str]:
    return {
        **me(b),
        "corporation_id": "o.corporation_id",
        "corporation": b.corporation("o.corporation_id"),
        "loyalty_points": "o.loyalty_points",
    }


LOYALTY = View(
    "v_loyalty",
    "Loyalty points",
    (*CHARACTER, integer("corporation_id"), text("corporation"), integer("loyalty_points")),
    (("character_loyalty AS o", _loyalty),),
)

VIEWS = (CONTACTS, STANDINGS, MEMBERS, LOYALTY)
