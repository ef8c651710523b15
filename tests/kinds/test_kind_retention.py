"""What is of the past for too long goes, a slice and a batch at a time; all else stays."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from ipc.settings import MarketWatch, Settings
from ipc.subject import GLOBAL
from jobs import catalog
from jobs.configured import idle_settings, unknown_names
from jobs.kinds.global_ import retention
from jobs.retention import days_by_table, retention_names
from jobs.store.history import histories
from jobs.store.schema import metadata
from tests.kinds.fake_context import START, FakeContext, put, rows, something_for

CATALOG = catalog.load(["jobs.kinds"])
DAY = timedelta(days=1)
OLD, NEW = START - 101 * DAY, START - 99 * DAY


def context_of(connection: Connection, **kept: int) -> FakeContext:
    return FakeContext(connection, retention.KIND, GLOBAL, {}, retention=kept)


def entries(connection: Connection, table: str, **columns: list[Any]) -> None:
    """Put a row for each of the values that the columns list."""
    names = list(columns)
    for number, values in enumerate(zip(*columns.values(), strict=True)):
        key = {"character_wallet_journal": "entry_id", "mail": "mail_id"}.get(table)
        key = key or next(iter(metadata.tables[table].primary_key.columns[1:])).name
        put(
            connection,
            table,
            {"character_id": 1, key: number, **dict(zip(names, values, strict=True))},
        )


async def test_nothing_goes_unless_it_is_said(connection: Connection) -> None:
    entries(connection, "character_wallet_journal", posted_at=[OLD - 5000 * DAY])
    result = await context_of(connection).run("prune")
    assert (result.rows, result.left, result.note) == (0, 0, "")
    assert len(rows(connection, "character_wallet_journal")) == 1


async def test_old_entries_go(connection: Connection) -> None:
    entries(connection, "character_wallet_journal", posted_at=[OLD, NEW, OLD, START])
    result = await context_of(connection, character_wallet_journal=100).run("prune")
    assert (result.rows, result.left, result.note) == (2, 0, "2 old rows removed")
    assert rows(connection, "character_wallet_journal", "entry_id") == [(1,), (3,)]
    assert (await context_of(connection, character_wallet_journal=100).run("prune")).rows == 0


@pytest.mark.parametrize(("uptime", "gone"), [(DAY, 1), (8 * DAY, 0)])
async def test_a_clock_that_the_game_server_gives_the_lie_removes_nothing(
    connection: Connection, uptime: timedelta, gone: int
) -> None:
    entries(connection, "character_wallet_journal", posted_at=[OLD])
    seen = {"players": 1, "server_version": "1"}
    put(
        connection,
        "server_status",
        {**seen, "observed_at": START - DAY / 24, "started_at": START - uptime},
        # Seen while the clock was ahead.
        {**seen, "observed_at": START + 500 * DAY, "started_at": START - 99 * DAY},
    )
    result = await context_of(connection, character_wallet_journal=100).run("prune")
    assert result.rows == gone
    assert ("the clock may be wrong" in result.note) == (not gone)


async def test_what_is_open_stays_and_parts_go_with_their_whole(connection: Connection) -> None:
    issued = [START - 900 * DAY] * 3
    entries(connection, "character_contract", issued_at=issued, closed_at=[OLD, NEW, None])
    for contract in range(3):
        key = {"character_id": 1, "contract_id": contract}
        put(connection, "character_contract_item", {**key, "record_id": 1}, {**key, "record_id": 2})
        put(connection, "character_contract_bid", {**key, "bid_id": 1})
    # Of another owner, with the same number.
    put(
        connection, "character_contract_item", {"character_id": 2, "contract_id": 0, "record_id": 1}
    )
    assert (await context_of(connection, character_contract=100).run("prune")).rows == 1
    assert rows(connection, "character_contract", "contract_id") == [(1,), (2,)]
    items = rows(connection, "character_contract_item", "character_id", "contract_id", "record_id")
    assert items == [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 0, 1)]
    assert rows(connection, "character_contract_bid", "contract_id") == [(1,), (2,)]


async def test_orders_of_which_only_the_history_told(connection: Connection) -> None:
    entries(
        connection,
        "character_market_order",
        issued=[OLD - 30 * DAY, OLD, NEW - 30 * DAY, OLD],
        duration=[30, 30, 30, 30],
        state=["expired", None, "expired", None],
        closed_at=[None, None, None, OLD],
    )
    await context_of(connection, character_market_order=100).run("prune")
    assert rows(connection, "character_market_order", "order_id") == [(1,), (2,)]


async def test_an_order_goes_only_when_it_has_left_the_history(connection: Connection) -> None:
    # Placed long ago: all but the first may have ended yesterday, and would come back.
    entries(
        connection,
        "character_market_order",
        issued=[OLD - 90 * DAY, START - 100 * DAY, START - 400 * DAY],
        duration=[90, 90, 2**31 - 1],
        state=["expired"] * 3,
        closed_at=[None] * 3,
    )
    await context_of(connection, character_market_order=90).run("prune")
    assert rows(connection, "character_market_order", "order_id") == [(1,), (2,)]


async def test_mail_in_the_box_stays(connection: Connection) -> None:
    entries(connection, "mail", sent_at=[OLD, OLD, OLD], deleted_at=[None, OLD, NEW])
    for mail in range(3):
        put(connection, "mail_body", {"character_id": 1, "mail_id": mail})
    await context_of(connection, mail=100).run("prune")
    assert rows(connection, "mail", "mail_id") == [(0,), (2,)]
    assert rows(connection, "mail_body", "mail_id") == [(0,), (2,)]


async def test_the_last_known_place_stays(connection: Connection) -> None:
    for character, moments in ((1, [OLD - DAY, OLD]), (2, [OLD, NEW])):
        for moment in moments:
            put(
                connection,
                "character_location_history",
                {"character_id": character, "observed_at": moment},
            )
    await context_of(connection, character_location_history=100).run("prune")
    left = rows(connection, "character_location_history", "character_id", "observed_at")
    assert left == [(1, OLD), (2, NEW)]


async def test_a_killmail_goes_with_its_last_list(connection: Connection) -> None:
    for number, killed_at in ((1, OLD), (2, OLD), (3, NEW)):
        put(connection, "killmail", {"killmail_id": number, "killed_at": killed_at})
        put(connection, "killmail_attacker", {"killmail_id": number, "position": 0})
        put(connection, "character_killmail", {"character_id": 1, "killmail_id": number})
    put(connection, "corporation_killmail", {"corporation_id": 9, "killmail_id": 2})
    kept = {"character_killmail": 100, "killmail": 100}
    await context_of(connection, **kept).run("prune")
    assert rows(connection, "character_killmail", "killmail_id") == [(3,)]
    assert rows(connection, "killmail", "killmail_id") == [(2,), (3,)]
    await context_of(connection, **kept, corporation_killmail=100).run("prune")
    assert rows(connection, "killmail", "killmail_id") == [(3,)]
    assert rows(connection, "killmail_attacker", "killmail_id") == [(3,)]


async def test_rows_go_in_small_batches(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "SLICE", 10)
    monkeypatch.setattr(retention, "BATCH", 3)
    entries(connection, "character_wallet_journal", posted_at=[OLD, NEW] * 10)
    context = context_of(connection, character_wallet_journal=100)
    assert (await context.run("prune")).rows == 10
    assert rows(connection, "character_wallet_journal", "posted_at") == [(NEW,)] * 10
    # Two slices of ten rows: two batches each, and a position behind each and at the end.
    assert context.writes == 4 + 2 + 1
    assert rows(connection, "pruning") == [("character_wallet_journal", None)]


async def test_a_run_goes_on_where_the_last_one_had_to_stop(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "SLICE", 2)
    entries(connection, "character_wallet_journal", posted_at=[OLD] * 6)
    context = context_of(connection, character_wallet_journal=100)
    looks = iter([1.0, 1.0, 0.0])
    monkeypatch.setattr(FakeContext, "budget_s", property(lambda _self: next(looks, 1.0)))
    result = await context.run("prune")
    assert (result.rows, result.left) == (4, 1)
    assert rows(connection, "pruning") == [("character_wallet_journal", "[1,3]")]
    # Behind it, so not seen by the run that goes on.
    put(
        connection, "character_wallet_journal", {"character_id": 1, "entry_id": 0, "posted_at": OLD}
    )
    result = await context.run("prune")
    assert (result.rows, result.left) == (2, 0)
    assert rows(connection, "character_wallet_journal", "entry_id") == [(0,)]
    assert rows(connection, "pruning") == [("character_wallet_journal", None)]
    assert (await context.run("prune")).rows == 1


@pytest.mark.parametrize("history", histories(), ids=lambda one: one.table.name)
async def test_every_history_can_be_pruned(connection: Connection, history: Any) -> None:
    """Rows of the present stay, and what the database calculates works on both."""
    table = history.table
    put(connection, table.name, {c.name: something_for(c) for c in table.primary_key.columns})
    result = await context_of(connection, **{table.name: 36_000}).run("prune")
    assert (result.rows, len(rows(connection, table.name))) == (0, 1)
    assert all(
        set(table.primary_key.columns.keys()) <= set(part.c.keys()) for part in history.parts
    )


# --- what the configuration says ------------------------------------------------------------------


def test_a_kind_wins_over_its_feature_and_the_longest_counts() -> None:
    found = days_by_table({"wallet": 100, "character.wallet": 400}, CATALOG)
    assert found["character_wallet_journal"] == 400
    assert found["corporation_wallet_journal"] == found["corporation_wallet_gap"] == 100
    both = days_by_table({"character.killmails": 200, "corporation.killmails": 300}, CATALOG)
    assert (both["killmail"], both["character_killmail"]) == (300, 200)
    assert days_by_table({}, CATALOG) == {}


def test_only_what_has_a_past_can_be_named() -> None:
    names = retention_names(CATALOG)
    assert {"character.wallet", "wallet", "corporation.contracts", "mail"} <= set(names)
    assert not {"character.skills", "character.assets"} & set(names)
    settings = Settings(data_dir="/x", retention={"character.walet": 90, "mail": 90})
    (fault,) = unknown_names(settings, CATALOG)
    assert "did you mean character.wallet?" in fault
    assert "[retention]" in fault
    settings = Settings(data_dir="/x", retention={"skills": 90, "character.assets": 90})
    faults = unknown_names(settings, CATALOG, {"retention.skills": "/etc/esisyncd.toml"})
    assert faults[0].startswith("skills in [retention] has no past that could be removed; ")
    assert "character.wallet" in faults[0]
    assert faults[0].endswith(" have (in /etc/esisyncd.toml)")
    assert faults[1].startswith("character.assets in [retention] has no past")
    assert faults[1].endswith(" have")


def test_what_is_watched_by_no_feature_is_told() -> None:
    watch = MarketWatch(regions=(10_000_002,), types=((10_000_002, 34),))
    off = Settings(data_dir="/x", market_watch=watch)
    regions, types = idle_settings(off, CATALOG)
    assert regions.startswith("market_watch.regions does nothing: ")
    assert regions.endswith(": market_watch and public_contracts are off in [features]")
    assert types == "market_watch.types does nothing: market_watch is off in [features]"
    contracts = replace(off, features={"public_contracts": True})
    assert [line.split()[0] for line in idle_settings(contracts, CATALOG)] == ["market_watch.types"]
    assert idle_settings(replace(off, features={"market_watch": True}), CATALOG) == []
    assert idle_settings(Settings(data_dir="/x"), CATALOG) == []
