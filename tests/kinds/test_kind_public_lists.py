"""Public lists: claims of three sorts, workforce on its way, loyalty stores that are none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.errors import Gone
from jobs.kinds._one_by_one import MAX_REFUSALS
from jobs.kinds._unknown_ids import FIRST_REFUSAL
from jobs.kinds.corporation import sovereignty as corporation_sovereignty
from jobs.kinds.global_ import factional_warfare, insurance_prices, loyalty_offers, sovereignty
from jobs.spec import Params
from tests.kinds.declared import take
from tests.kinds.fake_context import FakeContext, put, rows

COMPANY = Subject(SubjectType.CORPORATION, 98000001)
T = "2026-11-01T00:00:00Z"
OFFERS = "GET /loyalty/stores/{corporation_id}/offers"


def alliance(**more: Any) -> dict[str, Any]:
    return {
        "alliance": {
            "alliance_id": 99,
            "corporation_id": 98,
            "claimed_since": T,
            "is_capital_system": True,
            "development": {
                "activity_defense_multiplier": 1.0,
                "industrial_level": 1,
                "military_level": 2,
                "strategic_level": 3,
            },
            "sovereignty_hub": {"id": 2**40, **more},
        }
    }


def test_a_claim_is_a_factions_an_alliances_or_nobodys(database: Connection) -> None:
    claims = [
        {"faction": {"faction_id": 500001}},
        alliance(),
        alliance(vulnerability_window={"start": T, "end": T}),
        {"unclaimed": True},
        {"something_new": {"id": 1}},
    ]
    systems = [{"solar_system_id": n, "claim": claim} for n, claim in enumerate(claims, 1)]
    odd = {"solar_system_id": 9, "claim": {"alliance": {}}}
    answer = {"solar_systems": [*systems, odd]}
    assert take(database, sovereignty.KIND, "systems", GLOBAL, answer) == (5, 1)
    columns = ("solar_system_id", "faction_id", "alliance_id", "strategic_level", "hub_id")
    assert rows(database, "sovereignty_system", *columns) == [
        (1, 500001, None, None, None),
        (2, None, 99, 3, 2**40),
        (3, None, 99, 3, 2**40),
        (4, None, None, None, None),
        (5, None, None, None, None),
    ]
    windows = rows(database, "sovereignty_system", "vulnerable_from")
    assert [window is None for (window,) in windows] == [True, True, False, True, True]


def hub(configuration: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    share = {"allocated": 1, "available": 2}
    return {
        "id": 7,
        "solar_system_id": 30004759,
        "reagent_bay": {"last_updated": T, "reagents": []},
        "resources": {"power": share, "workforce": share},
        "upgrades": [],
        "workforce_transport": {"configuration": configuration, "state": state},
    }


def test_workforce_comes_goes_or_passes(database: Connection) -> None:
    kind = corporation_sovereignty.KIND

    def ways(configuration: dict[str, Any], state: dict[str, Any]) -> list[tuple[Any, ...]]:
        answer = hub(configuration, state)
        take(database, kind, "hub_details", COMPANY, answer, {"sovereignty_hub_id": 7})
        columns = ("is_state", "direction", "solar_system_id", "amount")
        return rows(database, "corporation_sovereignty_transport", *columns)

    sources = {"sources": [{"solar_system_id": 1}, {"solar_system_id": 2}]}
    arriving = {"sources": [{"solar_system_id": 2, "amount": 5}]}
    assert ways({"import": sources}, {"import": arriving}) == [
        (False, "import", 1, None),
        (False, "import", 2, None),
        (True, "import", 2, 5),
    ]
    assert ways({"export": {"amount": 9}}, {"export": {}}) == [
        (False, "export", None, 9),
        (True, "export", None, None),
    ]
    assert ways({"transit": True}, {"transit": None}) == [(False, "transit", None, None)]
    assert ways({}, {}) == []


def test_leaders_that_are_alike_keep_their_places(database: Connection) -> None:
    places = [{"amount": 5, "faction_id": 1}, {"amount": 5, "faction_id": 1}, {}]
    lists = {"active_total": places, "last_week": [], "yesterday": []}
    answer = {"kills": lists, "victory_points": {**lists, "active_total": []}}
    take(database, factional_warfare.KIND, "leading_factions", GLOBAL, answer)
    assert rows(database, "fw_leading_faction", "position", "faction_id", "amount") == [
        (0, 1, 5),
        (1, 1, 5),
        (2, None, None),
    ]


def test_insurance_is_exact_to_the_cent(database: Connection) -> None:
    levels = [{"name": "Basic", "cost": 0.07, "payout": 118234567890.29}]
    take(database, insurance_prices.KIND, "prices", GLOBAL, [{"type_id": 1, "levels": levels}])
    assert [
        tuple(map(str, row)) for row in rows(database, "insurance_price", "cost", "payout")
    ] == [("0.07", "118234567890.29")]


# --- loyalty stores -----------------------------------------------------------------------------


def offer(number: int, **more: Any) -> dict[str, Any]:
    return {
        "offer_id": number,
        "type_id": 34,
        "quantity": 1,
        "lp_cost": 10,
        "isk_cost": 5,
        "required_items": [{"type_id": 35, "quantity": 2}],
        **more,
    }


def stores(connection: Connection, answer: Any, *ids: int) -> FakeContext:
    put(connection, "npc_corporation", *({"corporation_id": one} for one in ids))
    return FakeContext(connection, loyalty_offers.KIND, GLOBAL, {OFFERS: answer})


async def test_each_store_is_read_once_a_day_and_what_it_dropped_goes(
    database: Connection,
) -> None:
    answers = {1: [offer(1), offer(2)], 2: [offer(1, isk_cost=10**12)]}
    context = stores(database, lambda params, _: answers[params["corporation_id"]], 1, 2)
    assert (await context.run("offers")).rows == 6
    assert (await context.run("offers")).empty
    assert [one.params["corporation_id"] for one in context.asked] == [1, 2]
    answers[1] = [offer(2, required_items=[])]
    context.clock.advance(timedelta(days=1).total_seconds())
    await context.run("offers")
    found = rows(database, "loyalty_offer", "corporation_id", "offer_id", "isk_cost")
    assert [(one, number, int(isk)) for one, number, isk in found] == [(1, 2, 5), (2, 1, 10**12)]
    assert rows(database, "loyalty_offer_item", "corporation_id", "offer_id") == [(2, 1)]


async def test_an_offer_that_cannot_be_read_is_spared_alone(database: Connection) -> None:
    answers: dict[Any, Any] = {one: [offer(1), offer(2), offer(3)] for one in (1, 2, 3)}
    context = stores(database, lambda params, _: answers[params["corporation_id"]], 1, 2, 3)
    await context.run("offers")
    answers[1] = [offer(1), offer(2, required_items="none")]
    # Which it is stays unknown: that store keeps all that it had, and no other does.
    answers[2] = [offer(1), {**offer(2), "offer_id": "two"}]
    answers[3] = [offer(1)]
    context.clock.advance(timedelta(days=1).total_seconds())
    await context.run("offers")
    left = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1)]
    for table in ("loyalty_offer", "loyalty_offer_item"):
        assert rows(database, table, "corporation_id", "offer_id") == left


async def test_a_corporation_without_a_store_is_left_alone_for_longer_each_time(
    database: Connection,
) -> None:
    def answer(params: Params, _body: Any) -> Any:
        if params["corporation_id"] != 3:
            raise Gone("404")
        return [offer(1)]

    context = stores(database, answer, 1, 2, 3)
    assert (await context.run("offers")).note == "2 of 3 were not there"
    assert rows(database, "loyalty_offer", "corporation_id") == [(3,)]
    assert (await context.run("offers")).empty
    context.clock.advance(FIRST_REFUSAL.total_seconds())
    await context.run("offers")
    assert [one.params["corporation_id"] for one in context.asked] == [1, 2, 3, 1, 2]
    context.clock.advance(FIRST_REFUSAL.total_seconds())
    assert (await context.run("offers")).empty


async def test_refusals_do_not_spend_the_error_limit(database: Connection) -> None:
    def gone(_params: Params, _body: Any) -> Any:
        raise Gone("404")

    context = stores(database, gone, *range(1, 40))
    assert (await context.run("offers")).left == 39 - MAX_REFUSALS
    assert len(context.asked) == MAX_REFUSALS
