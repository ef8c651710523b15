"""Routes about New Eden at large: sovereignty, incursions, warfare, what is on offer."""

from __future__ import annotations

from simulator.routes.table import Read, Write

COMPANY = "/corporations/{corporation_id}/structures"

ROWS: tuple[Read | Write, ...] = (
    Read(
        "/sovereignty/systems",
        lambda world, _, at_s: world.sovereignty.systems(at_s),
        "global.sovereignty_systems",
    ),
    Read(
        "/sovereignty/campaigns",
        lambda world, _, at_s: world.sovereignty.campaigns(at_s),
        "global.sovereignty_campaigns",
    ),
    Read(
        f"{COMPANY}/sovereignty-hubs",
        lambda world, ids, _: world.sovereignty.hubs(ids[0]),
        "corporation.sovereignty_hubs",
    ),
    Read(
        f"{COMPANY}/sovereignty-hubs/{{sovereignty_hub_id}}",
        lambda world, ids, at_s: world.sovereignty.hub(ids[0], ids[1], at_s),
        "corporation.sovereignty_hub",
        of="corporation.sovereignty_hubs",
    ),
    Read(
        f"{COMPANY}/skyhooks",
        lambda world, ids, _: world.sovereignty.skyhooks(ids[0]),
        "corporation.skyhooks",
    ),
    Read(
        f"{COMPANY}/skyhooks/{{skyhook_id}}",
        lambda world, ids, at_s: world.sovereignty.skyhook(ids[0], ids[1], at_s),
        "corporation.skyhook",
        of="corporation.skyhooks",
    ),
    Read(
        "/skyhooks/raidable",
        lambda world, _, at_s: world.sovereignty.raidable(at_s),
        "global.raidable_skyhooks",
    ),
    Read("/wars", lambda world, _, at_s: world.wars.numbers(at_s), "global.wars"),
    Read(
        "/wars/{war_id}",
        lambda world, ids, at_s: world.wars.war(ids[0], at_s),
        "global.war",
    ),
    Read(
        "/wars/{war_id}/killmails",
        lambda world, ids, at_s: world.wars.killmails(ids[0], at_s),
        "global.war_killmails",
    ),
    Read(
        "/incursions",
        lambda world, _, at_s: world.affairs.incursions(at_s),
        "global.incursions",
    ),
    Read("/insurance/prices", lambda world, *_: world.affairs.insurance(), "global.insurance"),
    Read(
        "/universe/system_kills",
        lambda world, _, at_s: world.affairs.kills(at_s),
        "global.system_kills",
    ),
    Read(
        "/universe/system_jumps",
        lambda world, _, at_s: world.affairs.jumps(at_s),
        "global.system_jumps",
    ),
    Read(
        "/industry/facilities",
        lambda world, *_: world.affairs.facilities(),
        "global.industry_facilities",
    ),
    Read(
        "/fw/stats",
        lambda world, _, at_s: world.affairs.warfare_statistics(at_s),
        "global.fw_stats",
    ),
    Read(
        "/fw/systems",
        lambda world, _, at_s: world.affairs.warfare_systems(at_s),
        "global.fw_systems",
    ),
    Read("/fw/wars", lambda world, *_: world.affairs.warfare_wars(), "global.fw_wars"),
    Read(
        "/fw/leaderboards",
        lambda world, _, at_s: world.affairs.leaders("faction", at_s),
        "global.fw_factions",
    ),
    Read(
        "/fw/leaderboards/corporations",
        lambda world, _, at_s: world.affairs.leaders("corporation", at_s),
        "global.fw_corporations",
    ),
    Read(
        "/fw/leaderboards/characters",
        lambda world, _, at_s: world.affairs.leaders("character", at_s),
        "global.fw_characters",
    ),
    Read(
        "/corporations/npccorps",
        lambda world, *_: world.affairs.npc_corporations(),
        "global.npc_corporations",
    ),
    Read(
        "/loyalty/stores/{corporation_id}/offers",
        lambda world, ids, _: world.affairs.loyalty_offers(ids[0]),
        "global.loyalty_offers",
    ),
)
