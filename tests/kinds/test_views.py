"""Views for people, on both databases: names, places, states by the clock, and no row lost."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection, text

from cli.answers import plain, write_json
from ipc.clock import SystemClock
from jobs.store.schema import metadata
from jobs.store.views.catalog import all_views
from jobs.store.views.view import DEEPEST, Shape, View
from tests.kinds.fake_context import put

ME = 90000001
CORPORATION = 98000001
JITA = 60003760
NOW = SystemClock().now().replace(microsecond=0)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture
def world(connection: Connection) -> Connection:
    """Return a database that knows a few names."""
    put(connection, "character", {"character_id": ME, "name": "Ada Vex"})
    put(connection, "corporation", {"corporation_id": CORPORATION, "name": "Vex & Co"})
    put(
        connection,
        "name",
        {"id": 34, "category": "type", "name": "Tritanium"},
        {"id": 28606, "category": "type", "name": "Orca"},
        {"id": 3465, "category": "type", "name": "Large Container"},
        {"id": 90000002, "category": "character", "name": "Bo Rask"},
        {"id": 30000142, "category": "system", "name": "Jita"},
    )
    put(
        connection,
        "universe_station",
        {"station_id": JITA, "name": "Jita IV - Moon 4", "system_id": 30000142, "type_id": 52678},
    )
    put(
        connection,
        "universe_system",
        {"system_id": 30000142, "name": "Jita", "constellation_id": 20000020},
    )
    put(
        connection,
        "universe_constellation",
        {"constellation_id": 20000020, "name": "Kimotoro", "region_id": 10000002},
    )
    put(connection, "universe_region", {"region_id": 10000002, "name": "The Forge"})
    return connection


def look(connection: Connection, view: str, *columns: str, order: str = "1") -> list[Any]:
    names = ", ".join(columns)
    rows = connection.execute(text(f"SELECT {names} FROM {view} ORDER BY {order}"))
    return [row[0] if len(columns) == 1 else tuple(row) for row in rows]


def asset(connection: Connection, item: int, location: int, **more: Any) -> None:
    row = {"character_id": ME, "item_id": item, "location_id": location, "type_id": 34, **more}
    put(connection, "character_asset", row)


# --- assets: where things are ---------------------------------------------------------------------


def test_an_item_is_where_its_container_is(world: Connection) -> None:
    asset(world, 1, JITA, type_id=28606, is_singleton=True)
    asset(world, 2, 1, type_id=3465, is_singleton=True)
    asset(world, 3, 2, quantity=500)
    put(world, "character_asset_name", {"character_id": ME, "item_id": 2, "name": "Loot"})
    put(world, "character_asset_name", {"character_id": ME, "item_id": 1, "name": None})
    put(world, "market_price", {"type_id": 34, "average_price": 4.5})
    columns = ("item_id", "owner", "type", "name", "place", "system", "region", "inside", "worth")
    jita = ("Jita IV - Moon 4", "Jita", "The Forge")
    assert look(world, "v_assets", *columns) == [
        (1, "Ada Vex", "Orca", None, *jita, None, None),
        (2, "Ada Vex", "Large Container", "Loot", *jita, "Orca", None),
        (3, "Ada Vex", "Tritanium", None, *jita, "Orca > Loot", 2250.0),
    ]


def test_items_that_lie_in_each_other_end_somewhere(world: Connection) -> None:
    asset(world, 1, 2)
    asset(world, 2, 1)
    asset(world, 3, 3)
    found = look(world, "v_assets", "item_id", "place", "system")
    assert [row[0] for row in found] == [1, 2, 3]
    assert all(row[1].startswith("place #") and row[2] is None for row in found)


def test_a_chain_that_is_too_deep_ends_on_its_way(world: Connection) -> None:
    asset(world, 1, JITA)
    for item in range(2, DEEPEST + 5):
        asset(world, item, item - 1)
    places = dict(look(world, "v_assets", "item_id", "place"))
    assert places[DEEPEST] == "Jita IV - Moon 4"
    assert places[DEEPEST + 4].startswith("place #")


def test_containers_of_others_are_not_mixed_up(world: Connection) -> None:
    asset(world, 2, 1)
    put(
        world,
        "corporation_asset",
        {"corporation_id": CORPORATION, "item_id": 1, "location_id": JITA, "type_id": 34},
    )
    assert look(world, "v_assets", "owner", "item_id", "place") == [
        ("Ada Vex", 2, "place #1"),
        ("Vex & Co", 1, "Jita IV - Moon 4"),
    ]


def test_places_that_are_not_known_are_shown_by_their_ids(world: Connection) -> None:
    structure = 1034000000001
    asset(world, 1, 60000004, type_id=99)
    asset(world, 2, structure)
    asset(world, 3, 30000142)
    asset(world, 4, 30009999)
    asset(world, 5, 2004)
    asset(world, 6, structure + 1)
    put(
        world,
        "structure",
        {"structure_id": structure + 1, "name": "Jita - Fort", "system_id": 30000142},
        {"structure_id": structure, "name": None, "system_id": None},
    )
    for corporation in (CORPORATION, CORPORATION + 1):
        put(
            world,
            "corporation_structure",
            {
                "corporation_id": corporation,
                "structure_id": structure,
                "name": "Perimeter - Keep",
                "system_id": 30000142,
                "type_id": 35834,
            },
        )
    assert look(world, "v_assets", "item_id", "type", "place", "system") == [
        (1, "type #99", "place #60000004", None),
        (2, "Tritanium", "Perimeter - Keep", "Jita"),
        (3, "Tritanium", "Jita", "Jita"),
        (4, "Tritanium", "place #30009999", "system #30009999"),
        (5, "Tritanium", "asset safety", None),
        (6, "Tritanium", "Jita - Fort", "Jita"),
    ]


def test_a_blueprint_in_a_container_is_in_its_station(world: Connection) -> None:
    asset(world, 1, JITA)
    for item, quantity, runs in ((2, -1, -1), (3, -2, 10), (4, 5, -1)):
        put(
            world,
            "character_blueprint",
            {
                "character_id": ME,
                "item_id": item,
                "type_id": 34,
                "location_id": 1,
                "quantity": quantity,
                "runs": runs,
            },
        )
    assert look(world, "v_blueprints", "item_id", "kind", "quantity", "runs", "place") == [
        (2, "original", 1, None, "Jita IV - Moon 4"),
        (3, "copy", 1, 10, "Jita IV - Moon 4"),
        (4, "original", 5, None, "Jita IV - Moon 4"),
    ]


# --- states by the clock --------------------------------------------------------------------------


def test_the_queue_goes_by_time_and_not_by_position(world: Connection) -> None:
    entries = [
        # position, start, finish
        (0, NOW - 2 * DAY, NOW - DAY),
        (1, NOW - DAY, NOW + DAY),
        (2, NOW + DAY, NOW + 2 * DAY),
        (3, None, None),
        (4, NOW - HOUR, None),
    ]
    for position, start, finish in entries:
        put(
            world,
            "character_skillqueue",
            {
                "character_id": ME,
                "queue_position": position,
                "skill_id": 34,
                "start_at": start,
                "finish_at": finish,
            },
        )
    assert look(world, "v_skill_queue", "queue_position", "state", "skill") == [
        (0, "finished", "Tritanium"),
        (1, "active", "Tritanium"),
        (2, "waiting", "Tritanium"),
        (3, "paused", "Tritanium"),
        (4, "paused", "Tritanium"),
    ]


CONTRACTS: list[tuple[dict[str, Any], str]] = [
    ({"status": "outstanding", "expires_at": NOW + DAY}, "outstanding"),
    ({"status": "outstanding", "expires_at": NOW - DAY}, "expired"),
    ({"status": "outstanding", "expires_at": NOW + DAY, "closed_at": NOW}, "closed"),
    ({"status": "in_progress", "accepted_at": NOW - DAY, "days_to_complete": 3}, "in_progress"),
    ({"status": "in_progress", "accepted_at": NOW - 4 * DAY, "days_to_complete": 3}, "overdue"),
    ({"status": "in_progress"}, "in_progress"),
    ({"status": "finished", "expires_at": NOW - DAY, "closed_at": NOW}, "finished"),
    ({"status": "a word of tomorrow"}, "a word of tomorrow"),
]


def test_contracts_expire_by_the_clock(world: Connection) -> None:
    for number, (row, _) in enumerate(CONTRACTS):
        put(
            world,
            "character_contract",
            {
                "character_id": ME,
                "contract_id": number,
                "issuer_id": ME,
                "issuer_corporation_id": CORPORATION,
                "assignee_id": 0,
                "acceptor_id": 90000003,
                "start_location_id": JITA,
                **row,
            },
        )
    states = look(world, "v_contracts", "contract_id", "state")
    assert [state for _, state in states] == [state for _, state in CONTRACTS]
    who = ("issuer", "issuer_corporation", "assignee", "acceptor", "start_place", "end_place")
    assert set(look(world, "v_contracts", *who)) == {
        ("Ada Vex", "Vex & Co", None, "#90000003", "Jita IV - Moon 4", None)
    }


ORDERS: list[tuple[dict[str, Any], str]] = [
    ({"issued": NOW - DAY}, "open"),
    ({"issued": NOW - 91 * DAY}, "expired"),
    ({"issued": NOW - DAY, "closed_at": NOW}, "closed"),
    ({"issued": NOW - DAY, "closed_at": NOW, "volume_remain": 0}, "filled"),
    ({"issued": NOW - DAY, "state": "cancelled"}, "cancelled"),
]


def test_orders_expire_by_the_clock(world: Connection) -> None:
    for number, (row, _) in enumerate(ORDERS):
        put(
            world,
            "corporation_market_order",
            {
                "corporation_id": CORPORATION,
                "order_id": number,
                "duration": 90,
                "volume_remain": 7,
                "price": Decimal("1.05"),
                "location_id": JITA,
                **row,
            },
        )
    states = look(world, "v_orders", "order_id", "state")
    assert [state for _, state in states] == [state for _, state in ORDERS]
    (first,) = look(
        world, "v_orders WHERE order_id = 0", "remaining", "side", "place", "expires_at"
    )
    assert (float(first[0]), *first[1:3]) == (7.35, "sell", "Jita IV - Moon 4")
    assert moment(first[3]) == NOW + 89 * DAY


def moment(value: Any) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value.astimezone(UTC)


def test_industry_jobs_are_ready_by_the_clock(world: Connection) -> None:
    jobs: list[tuple[dict[str, Any], str]] = [
        ({"status": "active", "end_at": NOW + DAY}, "active"),
        ({"status": "active", "end_at": NOW - DAY}, "ready"),
        ({"status": "active", "end_at": NOW - DAY, "closed_at": NOW}, "closed"),
        ({"status": "paused", "end_at": NOW - DAY}, "paused"),
        ({"status": "delivered", "end_at": NOW - DAY}, "delivered"),
    ]
    for number, (row, _) in enumerate(jobs):
        activity = 8 if number else 99
        put(
            world,
            "character_industry_job",
            {"character_id": ME, "job_id": number, "activity_id": activity, **row},
        )
    found = look(world, "v_industry_jobs", "job_id", "state", "activity")
    assert [row[1] for row in found] == [state for _, state in jobs]
    assert [row[2] for row in found[:2]] == ["activity #99", "invention"]


PINS: list[tuple[list[dict[str, Any]], str]] = [
    ([], "no extractor"),
    ([{"product_type_id": None, "expires_at": NOW - DAY}], "no extractor"),
    ([{"product_type_id": 34, "expires_at": None}], "idle"),
    ([{"product_type_id": 34, "expires_at": NOW + DAY}], "extracting"),
    (
        [
            {"product_type_id": 34, "expires_at": NOW + DAY},
            {"product_type_id": 99, "expires_at": NOW - DAY},
        ],
        "ready",
    ),
]


def test_an_extraction_is_ready_by_the_clock(world: Connection) -> None:
    for planet, (pins, _) in enumerate(PINS):
        key = {"character_id": ME, "planet_id": planet}
        put(world, "character_planet", {**key, "solar_system_id": 30000142})
        for number, pin in enumerate(pins):
            put(world, "character_planet_pin", {**key, "pin_id": number, **pin})
    found = look(world, "v_planets", "planet_id", "state", "products", "system")
    assert [row[1] for row in found] == [state for _, state in PINS]
    assert found[-1][2:] == ("Tritanium, type #99", "Jita")


def test_a_chunk_of_a_moon_is_ready_by_the_clock(world: Connection) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"arrives_at": NOW + DAY, "decays_at": NOW + 2 * DAY}, "extracting"),
        ({"arrives_at": NOW - HOUR, "decays_at": NOW + DAY}, "ready"),
        ({"arrives_at": NOW - DAY, "decays_at": NOW - HOUR}, "over"),
        ({"arrives_at": NOW - HOUR, "decays_at": NOW + DAY, "closed_at": NOW}, "over"),
        ({"arrives_at": NOW + DAY, "decays_at": NOW + 2 * DAY, "closed_at": NOW}, "given up"),
    ]
    for number, (row, _) in enumerate(rows):
        put(
            world,
            "corporation_mining_extraction",
            {"corporation_id": CORPORATION, "structure_id": number, "moon_id": 40009077, **row},
        )
    found = look(world, "v_extractions", "structure_id", "state", "moon")
    assert [row[1] for row in found] == [state for _, state in rows]
    assert found[0][2] == "moon #40009077"


def test_structures_without_fuel_and_those_that_are_gone(world: Connection) -> None:
    rows: list[Mapping[str, Any]] = [
        {"fuel_expires": None},
        {"fuel_expires": NOW - DAY},
        {"fuel_expires": NOW + DAY, "name": None},
        {"fuel_expires": NOW + DAY, "closed_at": NOW},
    ]
    for number, row in enumerate(rows):
        put(
            world,
            "corporation_structure",
            {
                "corporation_id": CORPORATION,
                "structure_id": number,
                "state": "shield_vulnerable",
                "name": "Keep",
                **row,
            },
        )
    assert look(world, "v_structures", "structure_id", "fuel", "state", "structure") == [
        (0, "none", "shield_vulnerable", "Keep"),
        (1, "none", "shield_vulnerable", "Keep"),
        (2, "fuelled", "shield_vulnerable", "structure #2"),
        (3, None, "gone", "Keep"),
    ]


# --- money ----------------------------------------------------------------------------------------


def test_money_is_in_isk(world: Connection) -> None:
    put(world, "character_wallet", {"character_id": ME, "balance": Decimal("7314427344.31")})
    put(
        world,
        "corporation_wallet",
        {"corporation_id": CORPORATION, "division": 2, "balance": Decimal("-0.05")},
    )
    put(
        world,
        "corporation_division",
        {"corporation_id": CORPORATION, "kind": "wallet", "division": 2, "name": "Ships"},
    )
    found = look(world, "v_wallets", "owner", "division", "division_name", "balance")
    assert [row[:3] for row in found] == [("Ada Vex", None, None), ("Vex & Co", 2, "Ships")]
    assert [str(row[3]) for row in found] == ["7314427344.31", "-0.05"]


@pytest.mark.parametrize("amount", ["70368744177663.99", "-70368744177663.99", "0.07", "12.34"])
def test_an_amount_of_money_is_told_to_the_cent(world: Connection, amount: str) -> None:
    put(world, "character_wallet", {"character_id": ME, "balance": Decimal(amount)})
    (told,) = look(world, "v_wallets", "balance")
    assert plain(told) == amount
    out = io.StringIO()
    write_json(out, ["balance"], [[(told,)]])
    assert amount in out.getvalue()


def test_a_product_beyond_64_bits_fails_nobody(world: Connection) -> None:
    put(
        world,
        "character_wallet_transaction",
        {
            "character_id": ME,
            "transaction_id": 1,
            "quantity": 2**40,
            "unit_price": Decimal(10**15),
            "client_id": 5,
            "is_buy": True,
        },
    )
    ((total, client, side),) = look(world, "v_wallet_transactions", "total", "client", "side")
    assert float(total) == pytest.approx(2**40 * 1e15)
    assert (client, side) == ("#5", "buy")


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_views_can_be_asked_for_the_hundredths(dialect: Any) -> None:
    view = all_views()["v_wallets"]
    assert "/ 100" in view.select(dialect)
    assert "/ 100" not in view.select(dialect, exact=True)


# --- people and what they say ---------------------------------------------------------------------


def test_mail_of_lists_and_with_labels_of_the_game(world: Connection) -> None:
    put(world, "mailing_list", {"character_id": ME, "mailing_list_id": 145000001, "name": "Fleet"})
    senders = (145000001, 90000002, 145000002, None)
    for number, sender in enumerate(senders):
        put(world, "mail", {"character_id": ME, "mail_id": number, "from_id": sender})
    key = {"character_id": ME, "mail_id": 0}
    put(
        world,
        "mail_recipient",
        {**key, "recipient_id": 145000001, "recipient_type": "mailing_list"},
        {**key, "recipient_id": 90000002, "recipient_type": "character"},
        {**key, "recipient_id": 5, "recipient_type": "alliance"},
    )
    put(world, "mail_label_link", *({**key, "label_id": one} for one in (1, 16, 32)))
    put(world, "mail_label", {"character_id": ME, "label_id": 16, "name": "Deals"})
    put(world, "mail_body", {**key, "body": "<br>Hello"})
    found = look(world, "v_mail", "mail_id", "sender", "recipients", "labels", "body")
    assert found == [
        (0, "Fleet", "Bo Rask, Fleet, alliance #5", "Deals, Inbox, label #32", "<br>Hello"),
        (1, "Bo Rask", None, None, None),
        (2, "#145000002", None, None, None),
        (3, None, None, None, None),
    ]


def test_clones_with_their_implants(world: Connection) -> None:
    put(
        world,
        "character_location",
        {"character_id": ME, "solar_system_id": 30000142, "station_id": None, "structure_id": None},
    )
    put(world, "character_clone", {"character_id": ME, "home_location_id": None})
    key = {"character_id": ME, "jump_clone_id": 5}
    put(world, "character_jump_clone", {**key, "location_id": JITA, "name": None})
    put(world, "character_jump_clone_implant", {**key, "type_id": 34}, {**key, "type_id": 99})
    put(world, "character_implant", {"character_id": ME, "type_id": 28606})
    assert look(world, "v_clones", "clone", "place", "implants") == [
        ("home", None, None),
        ("in use", "Jita", "Orca"),
        ("jump clone", "Jita IV - Moon 4", "Tritanium, type #99"),
    ]


def test_members_that_left_and_those_nobody_tracks(world: Connection) -> None:
    for character, closed in ((ME, None), (90000002, NOW), (90000009, None)):
        put(
            world,
            "corporation_member",
            {"corporation_id": CORPORATION, "character_id": character, "closed_at": closed},
        )
    put(
        world,
        "corporation_member_tracking",
        {"corporation_id": CORPORATION, "character_id": ME, "location_id": JITA},
    )
    assert look(world, "v_members", "member", "state", "place") == [
        ("Ada Vex", "member", "Jita IV - Moon 4"),
        ("Bo Rask", "left", None),
        ("character #90000009", "member", None),
    ]


def test_killmails_of_nobody_by_nobody(world: Connection) -> None:
    common = {"solar_system_id": 30000142, "victim_ship_type_id": 28606}
    put(
        world,
        "killmail",
        {**common, "killmail_id": 1, "victim_character_id": 90000002},
        {**common, "killmail_id": 2, "victim_corporation_id": CORPORATION},
        {**common, "killmail_id": 3},
    )
    attacker = {"killmail_id": 1, "final_blow": False}
    put(
        world,
        "killmail_attacker",
        {**attacker, "position": 0, "character_id": 90000002},
        {**attacker, "position": 1, "faction_id": 500001, "final_blow": True},
    )
    columns = ("killmail_id", "victim", "ship", "attackers", "final_blow", "region")
    assert look(world, "v_killmails", *columns) == [
        (1, "Bo Rask", "Orca", 2, "faction #500001", "The Forge"),
        (2, "Vex & Co", "Orca", 0, None, "The Forge"),
        (3, None, "Orca", 0, None, "The Forge"),
    ]


def test_credentials_are_shown_without_tokens(world: Connection) -> None:
    put(world, "credential", {"id": 1, "character_id": ME, "refresh_token": "very-secret"})
    ((row),) = world.execute(text("SELECT * FROM v_credentials")).all()
    assert "Ada Vex" in row
    assert "very-secret" not in map(str, row)


# --- all of them ----------------------------------------------------------------------------------

SOURCES = [
    (view, source.split(" AS o")[0].rpartition("FROM ")[2])
    for view in all_views().values()
    for source, _ in view.branches
]


@pytest.mark.parametrize(
    ("view", "table"), SOURCES, ids=lambda value: getattr(value, "name", value)
)
def test_no_row_is_lost_and_none_is_doubled(connection: Connection, view: View, table: str) -> None:
    """Every column that can be NULL is, and nothing has a name."""
    before = len(look(connection, view.name, "1"))
    put(connection, table, {})
    rows = connection.execute(text(f"SELECT * FROM {view.name}")).all()
    assert len(rows) == before + 1
    assert tuple(rows[0]._fields) == tuple(field.name for field in view.fields)


SHAPES = {
    Shape.INTEGER: {"bigint", "integer"},
    Shape.DOUBLE: {"double precision"},
    Shape.TEXT: {"text", "character varying"},
    Shape.BOOLEAN: {"boolean"},
    Shape.TIME: {"timestamp with time zone"},
    Shape.DAY: {"date"},
    Shape.ISK: {"numeric"},
}


# SQLite does not know what an expression is.
@pytest.mark.postgres
@pytest.mark.parametrize("connection", ["postgresql"], indirect=True)
def test_columns_are_what_is_said_of_them(connection: Connection) -> None:
    query = text("SELECT table_name, column_name, data_type FROM information_schema.columns")
    types = {(row[0], row[1]): row[2] for row in connection.execute(query)}
    wrong = [
        f"{view.name}.{field.name} is {types[view.name, field.name]}"
        for view in all_views().values()
        for field in view.fields
        if types[view.name, field.name] not in SHAPES[field.shape]
    ]
    assert wrong == []


def test_views_are_named_like_no_table() -> None:
    assert not set(all_views()) & set(metadata.tables)
    assert all(name.startswith("v_") for name in all_views())
