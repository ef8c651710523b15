"""Routes of corporations and alliances: profile, assets, wallets."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import bad_request, not_found
from simulator.routes.character import asset_locations, asset_names
from simulator.routes.table import Ids, Read, Write
from simulator.universe.draw import Row
from simulator.universe.people import FIRST_AGENT, FIRST_CORPORATION, Population
from simulator.universe.static import NPC_CORPORATIONS
from simulator.universe.wallet import DIVISIONS, Owner
from simulator.universe.world import World

PREFIX = "/corporations/{corporation_id}"
WALLET = f"{PREFIX}/wallets/{{division}}"


def _profile(world: World, ids: Ids, _at_s: float) -> Row:
    if ids[0] in NPC_CORPORATIONS:
        return _npc(ids[0])
    corporation = world.people.corporation(_known(world, ids[0]))
    row: Row = {
        "name": corporation.name,
        "ticker": corporation.ticker,
        "ceo_id": corporation.ceo_id,
        "creator_id": corporation.ceo_id,
        "date_founded": iso(corporation.founded_s),
        "home_station_id": corporation.home_station_id,
        "member_count": len(world.people.members_of(ids[0])),
        "shares": 1000,
        "tax_rate": corporation.tax_rate,
        "description": "Flies safe.",
        "war_eligible": corporation.index % 2 == 0,
    }
    if corporation.alliance_id:
        row["alliance_id"] = corporation.alliance_id
    return row


def _npc(corporation_id: int) -> Row:
    return {
        "name": NPC_CORPORATIONS[corporation_id],
        "ticker": f"N{corporation_id % 1000}",
        "ceo_id": FIRST_AGENT + corporation_id % 1000,
        "creator_id": FIRST_AGENT + corporation_id % 1000,
        "member_count": 5000,
        "tax_rate": 0.11,
    }


def _known(world: World, corporation_id: int) -> int:
    if corporation_id not in world.people.corporation_ids:
        raise not_found("Corporation not found")
    return corporation_id


def _alliance_history(world: World, ids: Ids, _at_s: float) -> list[Row]:
    if ids[0] in NPC_CORPORATIONS:
        return []
    corporation = world.people.corporation(_known(world, ids[0]))
    rows: list[Row] = [
        {"record_id": corporation.index + 1, "start_date": iso(corporation.founded_s)}
    ]
    if corporation.alliance_id:
        rows.append(
            {
                "record_id": corporation.index + 100_001,
                "start_date": iso(corporation.founded_s + 5_000_000),
                "alliance_id": corporation.alliance_id,
            }
        )
    return rows[::-1]


def _icons(world: World, ids: Ids, _at_s: float) -> Row:
    if ids[0] not in NPC_CORPORATIONS:
        _known(world, ids[0])
    return {
        f"px{size}x{size}": f"{world.images_url}/corporations/{ids[0]}/logo?size={size}"
        for size in (64, 128, 256)
    }


def _divisions(_world: World, ids: Ids, _at_s: float) -> Row:
    hangars: list[Row] = [{"division": d, "name": f"Hangar {d} of {ids[0]}"} for d in DIVISIONS]
    wallets: list[Row] = [{"division": 1}]  # the master wallet cannot be named
    wallets += [{"division": d, "name": f"Wallet {d}"} for d in DIVISIONS if d > 1]
    return {"hangar": hangars, "wallet": wallets}


def _wallets(world: World, ids: Ids, at_s: float) -> list[Row]:
    return [
        {"division": d, "balance": world.wallets.balance_cents(Owner(ids[0], d), at_s) / 100}
        for d in DIVISIONS
    ]


def _wallet(ids: Ids) -> Owner:
    if ids[1] not in DIVISIONS:
        raise bad_request("division must be 1 to 7")
    return Owner(ids[0], ids[1])


def _alliance(world: World, ids: Ids, _at_s: float) -> Row:
    members = _allied(world.people, ids[0])
    founder = world.people.corporation(members[0])
    return {
        "name": world.people.alliance_name(ids[0]),
        "ticker": f"A{ids[0] % 1000}",
        "creator_id": founder.ceo_id,
        "creator_corporation_id": founder.corporation_id,
        "executor_corporation_id": founder.corporation_id,
        "date_founded": iso(founder.founded_s + 1000),
    }


def _allied(people: Population, alliance_id: int) -> list[int]:
    if alliance_id not in people.alliance_ids:
        raise not_found("Alliance not found")
    first = FIRST_CORPORATION + (alliance_id - people.alliance_ids[0]) * 3
    near = range(first, first + 3)
    return [c for c in near if c in people.corporation_ids and people.alliance_of(c) == alliance_id]


def _alliance_icons(world: World, ids: Ids, _at_s: float) -> Row:
    _allied(world.people, ids[0])
    return {
        f"px{size}x{size}": f"{world.images_url}/alliances/{ids[0]}/logo?size={size}"
        for size in (64, 128)
    }


ROWS: tuple[Read | Write, ...] = (
    Read(PREFIX, _profile, "corporation.profile"),
    Read(f"{PREFIX}/alliancehistory", _alliance_history, "corporation.alliance_history"),
    Read(f"{PREFIX}/icons", _icons, "corporation.icons"),
    Read(
        f"{PREFIX}/assets",
        lambda world, ids, at_s: world.assets.of_corporation(_known(world, ids[0]), at_s),
        "corporation.assets",
    ),
    Write("POST", f"{PREFIX}/assets/names", asset_names),
    Write("POST", f"{PREFIX}/assets/locations", asset_locations),
    Read(f"{PREFIX}/divisions", _divisions, "corporation.divisions"),
    Read(f"{PREFIX}/wallets", _wallets, "corporation.wallets"),
    Read(
        f"{WALLET}/journal",
        lambda world, ids, at_s: world.wallets.journal(_wallet(ids), at_s),
        "corporation.wallet_journal",
    ),
    Read(
        f"{WALLET}/transactions",
        lambda world, ids, at_s: world.wallets.transactions(_wallet(ids), at_s),
        "corporation.wallet_transactions",
    ),
    Read("/alliances/{alliance_id}", _alliance, "alliance.profile"),
    Read(
        "/alliances/{alliance_id}/corporations",
        lambda world, ids, _: _allied(world.people, ids[0]),
        "alliance.corporations",
    ),
    Read("/alliances/{alliance_id}/icons", _alliance_icons, "alliance.icons"),
)
