"""Routes of making and building: blueprints, jobs, mining, colonies, structures."""

from __future__ import annotations

from simulator.routes.table import Ids, Read, Write
from simulator.universe.draw import Row
from simulator.universe.world import World

ME = "/characters/{character_id}"
COMPANY = "/corporations/{corporation_id}"


def _blueprints(world: World, ids: Ids, at_s: float) -> list[Row]:
    return world.industry.blueprints(ids[0], at_s)


def _jobs(world: World, ids: Ids, at_s: float) -> list[Row]:
    return world.industry.jobs(ids[0], at_s)


ROWS: tuple[Read | Write, ...] = (
    Read(f"{ME}/blueprints", _blueprints, "character.blueprints"),
    Read(f"{COMPANY}/blueprints", _blueprints, "corporation.blueprints"),
    Read(f"{ME}/industry/jobs", _jobs, "character.industry_jobs"),
    Read(f"{COMPANY}/industry/jobs", _jobs, "corporation.industry_jobs"),
    Read(
        f"{ME}/mining",
        lambda world, ids, at_s: world.industry.mining(ids[0], at_s),
        "character.mining",
    ),
    Read(
        f"{ME}/agents_research",
        lambda world, ids, _: world.industry.research(ids[0]),
        "character.research",
    ),
    Read(
        f"{ME}/planets",
        lambda world, ids, at_s: world.industry.colonies(ids[0], at_s),
        "character.planets",
    ),
    Read(
        f"{ME}/planets/{{planet_id}}",
        lambda world, ids, at_s: world.industry.colony(ids[0], ids[1], at_s),
        "character.planet",
        of="character.planets",
    ),
    Read(
        f"{COMPANY}/structures",
        lambda world, ids, at_s: world.company.structures(ids[0], at_s),
        "corporation.structures",
    ),
    Read(
        f"{COMPANY}/customs_offices",
        lambda world, ids, _: world.company.customs_offices(ids[0]),
        "corporation.customs_offices",
    ),
    Read(
        "/industry/systems",
        lambda world, _, at_s: world.industry.indices(at_s),
        "global.industry_indices",
    ),
)
