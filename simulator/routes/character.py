"""Routes of characters: profile, assets, wallet, skills, whereabouts, roles, orders."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import Refusal, not_found
from simulator.routes.bodies import ids_in
from simulator.routes.table import Call, Done, Ids, Read, Write
from simulator.universe.draw import Row
from simulator.universe.static import BLOODLINES
from simulator.universe.wallet import Owner
from simulator.universe.world import World

PREFIX = "/characters/{character_id}"


def _known(world: World, character_id: int) -> int:
    if not world.people.exists(character_id):
        raise not_found("Character not found")
    return character_id


def _profile(world: World, ids: Ids, _at_s: float) -> Row:
    pilot = world.people.pilot(_known(world, ids[0]))
    corporation_id = world.people.corporation_of(pilot.character_id)
    row: Row = {
        "name": pilot.name,
        "birthday": iso(pilot.birthday_s),
        "bloodline_id": pilot.bloodline_id,
        "race_id": BLOODLINES[pilot.bloodline_id][0],
        "corporation_id": corporation_id,
        "gender": pilot.gender,
        "achievement_score": pilot.index % 400 * 5,
        "security_status": pilot.security_status,
        "description": pilot.description,
    }
    alliance_id = world.people.alliance_of(corporation_id)
    if alliance_id:
        row["alliance_id"] = alliance_id
    if pilot.index % 4 == 0:
        row["corporation_title"] = "<color=0xff00ff00>Директор</color>"
    return row


def _portrait(world: World, ids: Ids, _at_s: float) -> Row:
    who = _known(world, ids[0])
    return {
        f"px{size}x{size}": f"{world.images_url}/characters/{who}/portrait?size={size}"
        for size in (64, 128, 256, 512)
    }


def _titles(world: World, ids: Ids, _at_s: float) -> list[Row]:
    if not world.people.is_director(ids[0]):
        return []
    return [{"title_id": 1, "name": "Keeper of the keys"}]


def _roles(world: World, ids: Ids, _at_s: float) -> Row:
    held = world.people.roles_of(ids[0])
    return {"roles": held, "roles_at_base": [], "roles_at_hq": [], "roles_at_other": []}


def asset_names(world: World, call: Call) -> Done:
    """Answer with the names of things of the owner in the path."""
    names = world.assets.names(call.ids[0], call.at_s)
    return Done([{"item_id": one, "name": names[one]} for one in _owned(call, set(names))])


def asset_locations(world: World, call: Call) -> Done:
    """Answer with the positions of things of the owner in the path."""
    places = world.assets.positions(call.ids[0], call.at_s)
    return Done([{"item_id": one, "position": places[one]} for one in _owned(call, set(places))])


def _owned(call: Call, known: set[int]) -> list[int]:
    ids = ids_in(call.body)
    if not known.issuperset(ids):
        raise Refusal(404, "Invalid IDs in the request")
    return ids


def _affiliation(world: World, call: Call) -> Done:
    rows: list[Row] = []
    for character_id in ids_in(call.body):
        corporation_id = world.people.agent_corporation(character_id)
        if corporation_id is None:
            if not world.people.exists(character_id):
                raise not_found("Invalid character ID in the request")
            corporation_id = world.people.corporation_of(character_id)
        row: Row = {"character_id": character_id, "corporation_id": corporation_id}
        alliance_id = world.people.alliance_of(corporation_id)
        if alliance_id:
            row["alliance_id"] = alliance_id
        rows.append(row)
    return Done(rows)


ROWS: tuple[Read | Write, ...] = (
    Read(PREFIX, _profile, "character.profile"),
    Read(
        f"{PREFIX}/corporationhistory",
        lambda world, ids, _: world.people.history_of(_known(world, ids[0])),
        "character.corporation_history",
    ),
    Read(f"{PREFIX}/portrait", _portrait, "character.portrait"),
    Read(f"{PREFIX}/roles", _roles, "character.roles"),
    Read(f"{PREFIX}/titles", _titles, "character.titles"),
    Read(
        f"{PREFIX}/assets",
        lambda world, ids, at_s: world.assets.of_character(ids[0], at_s),
        "character.assets",
    ),
    Write("POST", f"{PREFIX}/assets/names", asset_names),
    Write("POST", f"{PREFIX}/assets/locations", asset_locations),
    Read(
        f"{PREFIX}/wallet",
        lambda world, ids, at_s: world.wallets.balance_cents(Owner(ids[0]), at_s) / 100,
        "character.wallet_balance",
    ),
    Read(
        f"{PREFIX}/wallet/journal",
        lambda world, ids, at_s: world.wallets.journal(Owner(ids[0]), at_s),
        "character.wallet_journal",
    ),
    Read(
        f"{PREFIX}/wallet/transactions",
        lambda world, ids, at_s: world.wallets.transactions(Owner(ids[0]), at_s),
        "character.wallet_transactions",
    ),
    Read(
        f"{PREFIX}/skills",
        lambda world, ids, at_s: world.skills.skills(ids[0], at_s),
        "character.skills",
    ),
    Read(
        f"{PREFIX}/skillqueue",
        lambda world, ids, at_s: world.skills.queue(ids[0], at_s),
        "character.skillqueue",
    ),
    Read(
        f"{PREFIX}/attributes",
        lambda world, ids, _: world.skills.attributes(ids[0]),
        "character.attributes",
    ),
    Read(
        f"{PREFIX}/location",
        lambda world, ids, at_s: world.telemetry.location(ids[0], at_s),
        "character.location",
    ),
    Read(
        f"{PREFIX}/online",
        lambda world, ids, at_s: world.telemetry.online(ids[0], at_s),
        "character.online",
    ),
    Read(
        f"{PREFIX}/ship",
        lambda world, ids, at_s: world.telemetry.ship(ids[0], at_s),
        "character.ship",
    ),
    Read(
        f"{PREFIX}/orders",
        lambda world, ids, at_s: world.market.orders(ids[0], at_s),
        "character.orders",
    ),
    Read(
        f"{PREFIX}/orders/history",
        lambda world, ids, at_s: world.market.history(ids[0], at_s),
        "character.orders_history",
    ),
    Write("POST", "/characters/affiliation", _affiliation),
)
