"""Routes of public trade: orders and history of markets, public contracts."""

from __future__ import annotations

from simulator.routes.table import Read, Write

CONTRACTS = "/contracts/public"

ROWS: tuple[Read | Write, ...] = (
    Read(
        "/markets/{region_id}/orders",
        lambda world, ids, at_s: world.bazaar.region_orders(ids[0], at_s),
        "global.region_orders",
    ),
    Read(
        "/markets/{region_id}/history",
        lambda world, ids, at_s: world.bazaar.history(ids[0], ids[1], at_s),
        "global.market_history",
        query=("type_id",),
    ),
    Read(
        "/markets/structures/{structure_id}",
        lambda world, ids, at_s: world.bazaar.structure_orders(ids[0], at_s),
        "global.structure_orders",
    ),
    Read(
        f"{CONTRACTS}/{{region_id}}",
        lambda world, ids, at_s: world.public_contracts.contracts(ids[0], at_s),
        "global.public_contracts",
    ),
    Read(
        f"{CONTRACTS}/items/{{contract_id}}",
        lambda world, ids, _: world.public_contracts.items(ids[0]),
        "global.public_contract_items",
    ),
    Read(
        f"{CONTRACTS}/bids/{{contract_id}}",
        lambda world, ids, at_s: world.public_contracts.bids(ids[0], at_s),
        "global.public_contract_bids",
    ),
)
