"""Routes of what corporations hold: medals, shares, facilities, starbases, containers, moons."""

from __future__ import annotations

from simulator.routes.table import Read, Write

COMPANY = "/corporations/{corporation_id}"
# Spelt like this in the contract.
MINING = "/corporation/{corporation_id}/mining"

ROWS: tuple[Read | Write, ...] = (
    Read(
        f"{COMPANY}/medals", lambda world, ids, _: world.merits.made(ids[0]), "corporation.medals"
    ),
    Read(
        f"{COMPANY}/medals/issued",
        lambda world, ids, _: world.merits.issued(ids[0]),
        "corporation.medals_issued",
    ),
    Read(
        f"{COMPANY}/fw/stats",
        lambda world, ids, at_s: world.merits.corporation_warfare(ids[0], at_s),
        "corporation.factional_warfare",
    ),
    Read(
        f"{COMPANY}/shareholders",
        lambda world, ids, _: world.outposts.shareholders(ids[0]),
        "corporation.shareholders",
    ),
    Read(
        f"{COMPANY}/facilities",
        lambda world, ids, _: world.outposts.facilities(ids[0]),
        "corporation.facilities",
    ),
    Read(
        f"{COMPANY}/starbases",
        lambda world, ids, _: world.outposts.starbases(ids[0]),
        "corporation.starbases",
    ),
    Read(
        f"{COMPANY}/starbases/{{starbase_id}}",
        lambda world, ids, at_s: world.outposts.starbase(ids[0], ids[1], ids[2], at_s),
        "corporation.starbase",
        of="corporation.starbases",
        query=("system_id",),
    ),
    Read(
        f"{COMPANY}/containers/logs",
        lambda world, ids, at_s: world.outposts.container_logs(ids[0], at_s),
        "corporation.container_logs",
    ),
    Read(
        f"{MINING}/extractions",
        lambda world, ids, at_s: world.moons.extractions(ids[0], at_s),
        "corporation.mining_extractions",
    ),
    Read(
        f"{MINING}/observers",
        lambda world, ids, at_s: world.moons.observers(ids[0], at_s),
        "corporation.mining_observers",
    ),
    Read(
        f"{MINING}/observers/{{observer_id}}",
        lambda world, ids, at_s: world.moons.ledger(ids[0], ids[1], at_s),
        "corporation.mining_ledger",
        of="corporation.mining_observers",
    ),
)
