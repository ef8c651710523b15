"""Routes of what a character holds or sees: access lists, mercenary dens, structures."""

from __future__ import annotations

from simulator.routes.table import Read, Write

ME = "/characters/{character_id}"
DENS = f"{ME}/structures/mercenary-dens"
OPERATIONS = f"{ME}/mercenary-tactical-operations"

ROWS: tuple[Read | Write, ...] = (
    Read(
        f"{ME}/access-lists",
        lambda world, ids, _: world.holdings.access_lists(ids[0]),
        "character.access_lists",
    ),
    Read(
        f"{ME}/access-lists/{{access_list_id}}",
        lambda world, ids, _: world.holdings.access_list(ids[0], ids[1]),
        "character.access_list",
        of="character.access_lists",
    ),
    Read(DENS, lambda world, ids, _: world.holdings.dens(ids[0]), "character.mercenary_dens"),
    Read(
        f"{DENS}/{{mercenary_den_id}}",
        lambda world, ids, at_s: world.holdings.den(ids[0], ids[1], at_s),
        "character.mercenary_den",
        of="character.mercenary_dens",
    ),
    Read(
        OPERATIONS,
        lambda world, ids, at_s: world.holdings.operations(ids[0], at_s),
        "character.mercenary_operations",
    ),
    Read(
        f"{OPERATIONS}/{{operation_id}}",
        lambda world, ids, at_s: world.holdings.operation(ids[0], ids[1], at_s),
        "character.mercenary_operation",
        of="character.mercenary_operations",
    ),
    Read(
        "/universe/structures/{structure_id}",
        lambda world, ids, _: world.structures.structure(ids[0]),
        "global.structure",
    ),
)
