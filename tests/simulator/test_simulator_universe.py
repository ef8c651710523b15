"""The universe is consistent, repeatable, and moves with its clock."""

from __future__ import annotations

import itertools
import time
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from simulator.clock import SimulatedClock
from simulator.config import SimulatorConfig
from simulator.errors import Refusal
from simulator.universe.company import STRUCTURE_IDS
from simulator.universe.draw import Beat
from simulator.universe.wallet import DIVISIONS, Owner
from simulator.universe.world import World
from simulator.uuids import number_of
from tests.simulator._bench import CORPORATION, FIRST, START_S, Bench, Hand, make_bench

DAY_S = 86_400.0
Rows = list[dict[str, object]]


def world(characters: int = 6, seed: int = 1) -> World:
    config = SimulatorConfig(characters=characters, seed=seed, page_size=20)
    return World(config, START_S)


OWNERS = [
    *(Owner(FIRST + index) for index in range(6)),
    *(Owner(CORPORATION + index, division) for index in range(2) for division in DIVISIONS),
]


def cents(value: object) -> int:
    assert isinstance(value, float | int)
    exact = round(value * 100)
    assert exact / 100 == value
    return exact


@pytest.mark.parametrize("owner", OWNERS, ids=str)
@pytest.mark.parametrize("later_s", [0.0, 3 * DAY_S])
def test_journal_adds_up_to_the_balance(owner: Owner, later_s: float) -> None:
    wallets = world().wallets
    at_s = START_S + later_s
    rows = wallets.journal(owner, at_s)
    assert len(rows) > 20
    moved = [row for row in reversed(rows) if "amount" in row]
    for before, after in pairwise(moved):
        assert cents(after["balance"]) == cents(before["balance"]) + cents(after["amount"])
    assert cents(moved[-1]["balance"]) == wallets.balance_cents(owner, at_s)
    assert all(cents(row["balance"]) > 0 for row in moved)
    ids = [msgspec.convert(row["id"], int) for row in rows]
    assert ids == sorted(set(ids), reverse=True)


@pytest.mark.parametrize("owner", [Owner(FIRST), Owner(CORPORATION, 1)], ids=str)
def test_transactions_are_in_the_journal(owner: Owner) -> None:
    wallets = world().wallets
    journal = {row["id"]: row for row in wallets.journal(owner, START_S)}
    deals = wallets.transactions(owner, START_S)
    assert deals
    for deal in deals:
        entry = journal[deal["journal_ref_id"]]
        assert entry["context_id"] == deal["transaction_id"]
        total = cents(deal["unit_price"]) * msgspec.convert(deal["quantity"], int)
        assert cents(entry["amount"]) == (-total if deal["is_buy"] else total)


def test_both_sides_of_a_transfer_have_one_id() -> None:
    wallets = world().wallets
    one = {row["id"]: row for row in wallets.journal(Owner(CORPORATION, 1), START_S)}
    two = {row["id"]: row for row in wallets.journal(Owner(CORPORATION, 2), START_S)}
    shared = one.keys() & two.keys()
    assert shared
    assert all(cents(one[key]["amount"]) == -cents(two[key]["amount"]) for key in shared)
    giver = {row["id"] for row in wallets.journal(Owner(FIRST), START_S)}
    taker = {row["id"] for row in wallets.journal(Owner(FIRST + 1), START_S)}
    assert giver & taker


def test_some_journal_rows_move_no_money() -> None:
    wallets = world().wallets
    rows = [row for owner in OWNERS for row in wallets.journal(owner, START_S)]
    assert any("amount" not in row and "balance" not in row for row in rows)


def test_seen_twice_or_in_steps_the_past_is_the_same() -> None:
    steps, jump = world().wallets, world().wallets
    for hour in range(48):
        steps.journal(Owner(FIRST), START_S + hour * 3600)
    assert steps.journal(Owner(FIRST), START_S + 2 * DAY_S) == jump.journal(
        Owner(FIRST), START_S + 2 * DAY_S
    )
    assert world(seed=2).wallets.journal(Owner(FIRST), START_S) != jump.journal(
        Owner(FIRST), START_S
    )


def test_skills_sum_up_and_queues_run() -> None:
    skills = world().skills
    for who in range(FIRST, FIRST + 6):
        at_s = START_S
        for _ in range(30):
            sheet = skills.skills(who, at_s)
            rows = msgspec.convert(sheet["skills"], Rows)
            points = [msgspec.convert(row["skillpoints_in_skill"], int) for row in rows]
            assert sheet["total_sp"] == sum(points)
            at_s += DAY_S / 10
        queue = skills.queue(who, START_S)
        dated = [row for row in queue if "finish_date" in row]
        assert [row["queue_position"] for row in queue] == list(range(len(queue)))
        for before, after in pairwise(dated):
            assert before["finish_date"] == after["start_date"]


def test_training_ends_in_the_sheet() -> None:
    skills = world().skills
    queue = skills.queue(FIRST, START_S)
    first = queue[0]
    level = {
        row["skill_id"]: row["trained_skill_level"]
        for row in msgspec.convert(skills.skills(FIRST, START_S + 200)["skills"], Rows)
    }
    assert level[first["skill_id"]] == first["finished_level"]
    before = skills.skills(FIRST, START_S)["total_sp"]
    after = skills.skills(FIRST, START_S + 200)["total_sp"]
    assert msgspec.convert(after, int) > msgspec.convert(before, int)


def test_somebody_has_paused() -> None:
    skills = world(characters=8).skills
    queues = [skills.queue(who, START_S) for who in range(FIRST, FIRST + 8)]
    assert any(queue and "finish_date" not in queue[0] for queue in queues)


def test_assets_lie_in_places_that_exist() -> None:
    made = world()
    for owner in (*made.people.character_ids, *made.people.corporation_ids):
        rows = made.assets.rows(owner, START_S + DAY_S)
        ids = [row["item_id"] for row in rows]
        assert len(set(ids)) == len(ids)
        assert min(msgspec.convert(ids, list[int])) >= 10**12
        for row in rows:
            if row["location_type"] == "item":
                place = msgspec.convert(row["location_id"], int)
                assert place in ids or place >= STRUCTURE_IDS
    ship = made.telemetry.ship(FIRST, START_S)
    assert ship["ship_item_id"] in {row["item_id"] for row in made.assets.rows(FIRST, START_S)}


def test_time_changes_assets() -> None:
    assets = world().assets
    then, now = assets.rows(FIRST, START_S), assets.rows(FIRST, START_S + 2 * DAY_S)
    old, new = {row["item_id"] for row in then}, {row["item_id"] for row in now}
    assert new - old
    later = {row["item_id"] for row in assets.rows(FIRST, START_S + 4 * DAY_S)}
    assert new - later


def test_every_corporation_has_a_director_and_some_an_alliance() -> None:
    people = world(characters=23).people
    assert people.corporation_count == 5
    for corporation_id in people.corporation_ids:
        members = people.members_of(corporation_id)
        assert [who for who in members if people.is_director(who)]
    alliances = {people.alliance_of(corporation_id) for corporation_id in people.corporation_ids}
    assert None in alliances
    assert len(alliances) > 1


@pytest.mark.parametrize("characters", [1, 2, 5, 1000])
def test_any_number_of_characters(characters: int) -> None:
    people = world(characters).people
    assert len(people.character_ids) == characters
    last = people.character_ids[-1]
    assert people.corporation_of(last) in people.corporation_ids


def test_orders_close_into_history() -> None:
    market = world().market
    later_s = START_S + 40 * DAY_S
    open_then = {row["order_id"] for row in market.orders(FIRST, START_S)}
    open_later = {row["order_id"] for row in market.orders(FIRST, later_s)}
    ended = {row["order_id"] for row in market.history(FIRST, later_s)}
    assert open_then - open_later
    assert open_then - open_later <= ended
    for row in market.orders(FIRST, START_S):
        if row.get("is_buy_order"):
            left = msgspec.convert(row["volume_remain"], int)
            assert cents(row["escrow"]) == cents(row["price"]) * left


def test_a_thousand_characters_start_at_once() -> None:
    begun = time.perf_counter()
    make_bench(characters=1000)
    assert time.perf_counter() - begun < 2.0


def test_beats_are_in_order_and_found_from_anywhere() -> None:
    beat = Beat(1, "x", int(START_S), 5, 1000, 100)
    whole = list(beat.between(-1.0, START_S + 1000))
    assert [at_s for _, at_s in whole] == sorted(at_s for _, at_s in whole)
    assert whole[0][0] == -5
    for number, (index, at_s) in enumerate(whole):
        assert list(beat.between(at_s, START_S + 1000)) == whole[number + 1 :]
        assert beat.last(at_s) == index
        if index > -5:
            assert beat.last(at_s - 1) == index - 1


def test_clock_freezes_races_and_jumps() -> None:
    hand = Hand()
    clock = SimulatedClock(start_s=1000.0, speed=60.0, wall=hand, monotonic=hand)
    hand.at_s += 2
    assert clock.now_s() == 1120.0
    clock.freeze()
    hand.at_s += 5
    assert clock.now_s() == 1120.0
    before_s = clock.steady_s()
    clock.advance(30)
    assert (clock.now_s(), clock.steady_s()) == (1150.0, before_s + 30)
    clock.thaw()
    clock.set_speed(1.0)
    hand.at_s += 1
    assert clock.now_s() == 1151.0
    with pytest.raises(ValueError, match="forward"):
        clock.advance(-1)
    with pytest.raises(ValueError, match="above 0"):
        clock.set_speed(0)


def test_answers_change_only_at_the_borders_of_caches(bench: Bench) -> None:
    path = f"/characters/{FIRST}/wallet/journal"
    first = bench.esi(path, character_id=FIRST)
    left_s = int(first.headers["Cache-Control"].rpartition("=")[2])
    bench.pass_time(left_s - 2)
    assert bench.esi(path, character_id=FIRST).headers["ETag"] == first.headers["ETag"]
    bench.pass_time(3)
    second = bench.esi(path, character_id=FIRST)
    assert second.headers["ETag"] != first.headers["ETag"]
    assert second.headers["Last-Modified"] != first.headers["Last-Modified"]


def test_what_does_not_change_keeps_its_tag_for_ever(bench: Bench) -> None:
    path = f"/corporations/{CORPORATION}/divisions"
    first = bench.esi(path, character_id=FIRST)
    bench.pass_time(5 * DAY_S)
    later = bench.esi(path, character_id=FIRST)
    for name in ("ETag", "Last-Modified"):
        assert later.headers[name] == first.headers[name]
    assert later.headers["Expires"] != first.headers["Expires"]


def test_speed_is_told_in_the_clients_seconds() -> None:
    fast = make_bench(speed=60.0)
    answer = fast.esi(f"/characters/{FIRST}/wallet/journal", character_id=FIRST)
    assert int(answer.headers["Cache-Control"].rpartition("=")[2]) <= 61


def test_an_answer_is_of_one_moment_however_fast_the_clock_runs_meanwhile() -> None:
    hand = Hand()
    ticks = iter(range(1_000_000))

    def slow() -> float:
        return hand.at_s + next(ticks) * 0.005

    fast = make_bench(monotonic=slow, speed=60.0)
    path = f"/characters/{FIRST}/location"
    answers = [fast.esi(path, character_id=FIRST).headers for _ in range(20)]
    assert all(answer["Date"] != answer["Expires"] for answer in answers)


def test_without_caches_each_answer_is_the_present() -> None:
    live = make_bench(cache_scale=0.0)
    path = f"/characters/{FIRST}/wallet/journal"
    first = live.esi(path, character_id=FIRST)
    live.pass_time(1200)
    second = live.esi(path, character_id=FIRST)
    assert second.headers["ETag"] != first.headers["ETag"]
    assert second.headers["Expires"] == second.headers["Date"]


def test_writes_show_when_the_cache_has_run_out_even_in_a_stopped_universe(bench: Bench) -> None:
    bench.control("/clock", freeze=True)
    path = f"/characters/{FIRST}/mail"
    before = bench.esi(path, character_id=FIRST)
    mail_id = msgspec.json.decode(before.body)[0]["mail_id"]
    one = f"{path}/{mail_id}"
    assert bench.esi(one, method="DELETE", character_id=FIRST).status == 204
    assert bench.esi(path, character_id=FIRST).headers["ETag"] == before.headers["ETag"]
    bench.pass_time(31)
    after = bench.esi(path, character_id=FIRST)
    assert mail_id not in [row["mail_id"] for row in msgspec.json.decode(after.body)]
    assert after.headers["Last-Modified"] != before.headers["Last-Modified"]
    assert bench.esi(one, method="DELETE", character_id=FIRST).status == 404
    effects = bench.control("/writes", method="GET")
    assert [row["route"] for row in msgspec.convert(effects, Rows)] == [
        "DELETE /characters/{character_id}/mail/{mail_id}"
    ]


def test_a_sent_mail_arrives() -> None:
    live = make_bench(cache_scale=0.0)
    body = {
        "subject": "Hello",
        "body": "o7",
        "recipients": [{"recipient_id": FIRST + 1, "recipient_type": "character"}],
    }
    sent = live.esi(f"/characters/{FIRST}/mail", method="POST", character_id=FIRST, body=body)
    mail_id = int(sent.body)
    for who, labels in ((FIRST, [2]), (FIRST + 1, [1])):
        headers = msgspec.json.decode(live.esi(f"/characters/{who}/mail", character_id=who).body)
        assert headers[0]["mail_id"] == mail_id
        assert headers[0]["labels"] == labels
    told = live.services.control.model.tell("character.mail_bodies", (FIRST + 1,))
    assert isinstance(told, list)
    assert told[0]["body"] == "o7"


def test_labels_can_be_made_and_deleted() -> None:
    live = make_bench(cache_scale=0.0)
    path = f"/characters/{FIRST}/mail/labels"
    made = live.esi(path, method="POST", character_id=FIRST, body={"name": "New"})
    label_id = int(made.body)
    assert live.esi(path, method="POST", character_id=FIRST, body={"name": "New"}).status == 400
    assert live.esi(f"{path}/{label_id}", method="DELETE", character_id=FIRST).status == 204
    assert live.esi(f"{path}/1", method="DELETE", character_id=FIRST).status == 422


def test_the_model_tells_what_the_routes_show(bench: Bench) -> None:
    path = f"/characters/{FIRST}/assets"
    first = bench.esi(path, character_id=FIRST)
    shown: list[object] = []
    for page in range(1, int(first.headers["X-Pages"]) + 1):
        answer = bench.esi(path, character_id=FIRST, query={"page": str(page)})
        shown += msgspec.json.decode(answer.body)
    bench.pass_time(1)
    model = bench.services.control.model
    assert model.tell("character.assets", (FIRST,)) == shown
    names = model.tell("assets.names", (FIRST,))
    assert isinstance(names, list)
    assert len(names) == len(shown)
    assert set(model.sections()) >= {"character.wallet_journal", "global.names"}


def test_a_deleted_mail_leaves_the_bodies_before_the_list(bench: Bench) -> None:
    path = f"/characters/{FIRST}/mail"
    listed = msgspec.json.decode(bench.esi(path, character_id=FIRST).body)
    mail_id = listed[0]["mail_id"]
    bench.esi(f"{path}/{mail_id}", method="DELETE", character_id=FIRST)
    model = bench.services.control.model
    bodies = model.tell("character.mail_bodies", (FIRST,))
    headers = model.tell("character.mail_headers", (FIRST,))
    assert isinstance(bodies, list)
    assert isinstance(headers, list)
    assert {row["mail_id"] for row in headers} - {row["mail_id"] for row in bodies} == {mail_id}


def test_contracts_end_bids_grow_and_numbers_are_of_one_owner() -> None:
    contracts = world().contracts
    grown = 0
    for owner in (FIRST, FIRST + 1, CORPORATION):
        rows = contracts.contracts(owner, START_S)
        assert {row["status"] for row in rows} == {"outstanding", "finished"}
        auctions = [
            msgspec.convert(row["contract_id"], int)
            for row in rows
            if row["type"] == "auction" and row["status"] == "outstanding"
        ]
        now = [contracts.bids(owner, one, START_S) for one in auctions]
        later = [contracts.bids(owner, one, START_S + 90 * DAY_S) for one in auctions]
        assert [more[: len(few)] for few, more in zip(now, later, strict=True)] == now
        grown += sum(map(len, later)) - sum(map(len, now))
    assert grown > 0
    ids = [
        {row["contract_id"] for row in contracts.contracts(owner, START_S)}
        for owner in (FIRST, FIRST + 1, CORPORATION)
    ]
    assert len(set.union(*ids)) == sum(map(len, ids))
    with pytest.raises(Refusal):
        contracts.items(FIRST, min(msgspec.convert(list(ids[1]), list[int])))


def test_jobs_begin_run_and_are_delivered() -> None:
    industry = world().industry
    now = {row["job_id"]: row for row in industry.jobs(FIRST, START_S)}
    later = {row["job_id"]: row for row in industry.jobs(FIRST, START_S + 5 * DAY_S)}
    running = [job for job, row in now.items() if row["status"] == "active"]
    assert running
    assert {later[job]["status"] for job in running} <= {"ready", "delivered"}
    assert later.keys() - now.keys()
    assert all(("completed_date" in row) == (row["status"] == "delivered") for row in now.values())


def test_what_is_mined_today_grows_and_past_days_stand_still() -> None:
    industry = world().industry
    before = industry.mining(FIRST, START_S)
    after = industry.mining(FIRST, START_S + 3_600)
    assert before[:-2] == after[:-2]
    assert before[-1] != after[-1]


def test_a_day_of_mining_beside_a_structure_is_shown_until_older_ones_are_not() -> None:
    moons = world().moons
    for observer in moons.observers(CORPORATION, START_S):
        observer_id = msgspec.convert(observer["observer_id"], int)
        days = [
            {str(row["last_updated"]) for row in moons.ledger(CORPORATION, observer_id, at_s)}
            for at_s in (START_S + number * DAY_S for number in range(20))
        ]
        for before, after in itertools.pairwise(days):
            assert {day for day in before if day >= min(after)} <= after


def test_a_killmail_is_told_to_those_who_know_its_hash() -> None:
    killmails = world().killmails
    (newest, *_) = killmails.recent(FIRST, START_S)
    number = msgspec.convert(newest["killmail_id"], int)
    known = msgspec.convert(newest["killmail_hash"], str)
    assert killmails.detail(number, int(known, 16))["killmail_id"] == number
    with pytest.raises(Refusal):
        killmails.detail(number, int(known, 16) ^ 1)
    lost = {row["killmail_id"] for row in killmails.of_corporation(CORPORATION, START_S)}
    assert number in lost


def test_an_event_says_the_same_in_the_list_and_by_itself() -> None:
    social = world().social
    listed = social.events(FIRST, START_S)
    assert [row["event_date"] for row in listed] == sorted(str(r["event_date"]) for r in listed)
    one = msgspec.convert(listed[3]["event_id"], int)
    assert social.event(FIRST, one)["title"] == listed[3]["title"]
    assert FIRST in {row["character_id"] for row in social.attendees(FIRST, one)}
    later = {row["event_id"] for row in social.events(FIRST, START_S + 2 * DAY_S)}
    assert one not in later
    assert later & {row["event_id"] for row in listed}


def test_the_model_tells_all_of_what_a_route_tells_one_by_one(bench: Bench) -> None:
    model = bench.services.control.model
    planets = msgspec.convert(model.tell("character.planets", (FIRST,)), Rows)
    layouts = msgspec.convert(model.tell("character.planet", (FIRST,)), Rows)
    assert [row["planet_id"] for row in layouts] == [row["planet_id"] for row in planets]
    one = model.tell("character.planet", (FIRST, msgspec.convert(planets[0]["planet_id"], int)))
    assert {"planet_id": planets[0]["planet_id"], **msgspec.convert(one, dict)} == layouts[0]


def test_whatever_operation_is_listed_is_told_of_although_both_are_cached_apart() -> None:
    holdings = world().holdings
    listed = 0
    for at_s in range(int(START_S), int(START_S) + 6 * 3600, 600):
        rows = msgspec.convert(holdings.operations(FIRST, at_s)["operations"], list[dict[str, Any]])
        for one in rows:
            listed += 1
            number = number_of(one["id"])
            # One of them is as much older than the other as an answer is cached.
            for told_s in (at_s - 299, at_s, at_s + 299):
                assert holdings.operation(FIRST, number, told_s)["id"] == one["id"]
    assert listed > 0
