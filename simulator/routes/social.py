"""Routes of people: standings, notifications, calendars, members of corporations."""

from __future__ import annotations

from simulator.errors import bad_request
from simulator.routes.bodies import object_in
from simulator.routes.table import Call, Done, Ids, Read, Write
from simulator.universe.draw import Row
from simulator.universe.world import World

ME = "/characters/{character_id}"
COMPANY = "/corporations/{corporation_id}"


def _standings(world: World, ids: Ids, _at_s: float) -> list[Row]:
    return world.social.standings(ids[0])


RESPONSES = ("accepted", "declined", "tentative")


def _respond(world: World, call: Call) -> Done:
    response = object_in(call.body).get("response")
    if not isinstance(response, str) or response not in RESPONSES:
        raise bad_request(f"response must be one of {', '.join(RESPONSES)}")
    world.social.respond(call.ids[0], call.ids[1], response, call.at_s)
    return Done(None, call.ids[:1], effect=True)


ROWS: tuple[Read | Write, ...] = (
    Read(f"{ME}/standings", _standings, "character.standings"),
    Read(f"{COMPANY}/standings", _standings, "corporation.standings"),
    Read(
        f"{ME}/notifications",
        lambda world, ids, at_s: world.social.notifications(ids[0], at_s),
        "character.notifications",
    ),
    Read(
        f"{ME}/notifications/contacts",
        lambda world, ids, _: world.social.contact_notifications(ids[0]),
        "character.contact_notifications",
    ),
    Read(
        f"{ME}/calendar",
        lambda world, ids, at_s: world.social.events(ids[0], at_s),
        "character.calendar",
    ),
    Read(
        f"{ME}/calendar/{{event_id}}",
        lambda world, ids, _: world.social.event(ids[0], ids[1]),
        "character.calendar_event",
        of="character.calendar",
    ),
    Read(
        f"{ME}/calendar/{{event_id}}/attendees",
        lambda world, ids, _: world.social.attendees(ids[0], ids[1]),
        "character.calendar_attendees",
        of="character.calendar",
    ),
    Write("PUT", f"{ME}/calendar/{{event_id}}", _respond),
    Read(
        f"{COMPANY}/members",
        lambda world, ids, _: world.people.members_of(ids[0]),
        "corporation.members",
    ),
    Read(f"{COMPANY}/members/limit", lambda _world, _ids, _: 6_300, "corporation.member_limit"),
    Read(
        f"{COMPANY}/members/titles",
        lambda world, ids, _: world.company.member_titles(ids[0]),
        "corporation.member_titles",
    ),
    Read(
        f"{COMPANY}/membertracking",
        lambda world, ids, at_s: world.company.tracking(ids[0], at_s),
        "corporation.member_tracking",
    ),
    Read(
        f"{COMPANY}/roles",
        lambda world, ids, _: world.company.roles(ids[0]),
        "corporation.member_roles",
    ),
    Read(f"{COMPANY}/titles", lambda world, _, __: world.company.titles(), "corporation.titles"),
    Read(
        f"{COMPANY}/roles/history",
        lambda world, ids, at_s: world.company.role_history(ids[0], at_s),
        "corporation.role_history",
    ),
)
