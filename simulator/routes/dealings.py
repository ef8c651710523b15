"""Routes of dealings: clones, contracts, orders of corporations, killmails, merits."""

from __future__ import annotations

from simulator.routes.table import Ids, Read, Write
from simulator.universe.draw import Row
from simulator.universe.world import World

ME = "/characters/{character_id}"
COMPANY = "/corporations/{corporation_id}"


def _contracts(world: World, ids: Ids, at_s: float) -> list[Row]:
    return world.contracts.contracts(ids[0], at_s)


def _items(world: World, ids: Ids, _at_s: float) -> list[Row]:
    return world.contracts.items(ids[0], ids[1])


def _bids(world: World, ids: Ids, at_s: float) -> list[Row]:
    return world.contracts.bids(ids[0], ids[1], at_s)


def _contract_rows(prefix: str, owner: str) -> tuple[Read, ...]:
    listed = f"{owner}.contracts"
    one = f"{prefix}/contracts/{{contract_id}}"
    return (
        Read(f"{prefix}/contracts", _contracts, listed),
        Read(f"{one}/items", _items, f"{owner}.contract_items", of=listed),
        Read(f"{one}/bids", _bids, f"{owner}.contract_bids", of=listed),
    )


ROWS: tuple[Read | Write, ...] = (
    *_contract_rows(ME, "character"),
    *_contract_rows(COMPANY, "corporation"),
    Read(
        f"{ME}/clones",
        lambda world, ids, at_s: world.clones.clones(ids[0], at_s),
        "character.clones",
    ),
    Read(
        f"{ME}/implants",
        lambda world, ids, _: world.clones.implants(ids[0]),
        "character.implants",
    ),
    Read(
        f"{ME}/fatigue",
        lambda world, ids, at_s: world.clones.fatigue(ids[0], at_s),
        "character.fatigue",
    ),
    Read(
        f"{ME}/loyalty/points",
        lambda world, ids, at_s: world.merits.loyalty(ids[0], at_s),
        "character.loyalty",
    ),
    Read(f"{ME}/medals", lambda world, ids, _: world.merits.medals(ids[0]), "character.medals"),
    Read(
        f"{ME}/fw/stats",
        lambda world, ids, at_s: world.merits.warfare(ids[0], at_s),
        "character.factional_warfare",
    ),
    Read(
        f"{COMPANY}/orders",
        lambda world, ids, at_s: world.market.corporation_orders(ids[0], at_s),
        "corporation.orders",
    ),
    Read(
        f"{COMPANY}/orders/history",
        lambda world, ids, at_s: world.market.corporation_history(ids[0], at_s),
        "corporation.orders_history",
    ),
    Read(
        f"{ME}/killmails/recent",
        lambda world, ids, at_s: world.killmails.recent(ids[0], at_s),
        "character.killmails",
    ),
    Read(
        f"{COMPANY}/killmails/recent",
        lambda world, ids, at_s: world.killmails.of_corporation(ids[0], at_s),
        "corporation.killmails",
    ),
    Read(
        "/killmails/{killmail_id}/{killmail_hash}",
        lambda world, ids, _: world.killmails.detail(ids[0], ids[1]),
        "global.killmail_by_hash",
    ),
)
