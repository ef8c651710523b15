"""Every served route against the contract: 200, 304, last page, and each refusal it can give."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from jobs.catalog import load as catalog
from jobs.writes.registry import WRITES
from simulator.answers import Answer
from simulator.contract import RouteFacts, by_key, load
from simulator.routes.served import table
from simulator.routes.table import Read, Served
from simulator.universe.sovereignty import HUB_IDS, SKYHOOK_IDS
from simulator.universe.wars import WAR_IDS
from simulator.universe.world import World
from simulator.uuids import number_of
from tests.simulator._bench import CORPORATION, FIRST, Bench, make_bench

SERVED = table().served

ASKED = sorted(
    {
        *(
            route.name
            for kind in catalog(["jobs.kinds"]).values()
            for part in kind.parts
            for route in (part.route, *part.uses)
            if route is not None
        ),
        *(route.name for write in WRITES.values() for route in write.routes),
    }
)

IDS = {
    "character_id": FIRST,
    "corporation_id": CORPORATION,
    "alliance_id": 99_000_001,
    "division": 1,
    "label_id": 16,
    "region_id": 10_000_002,
    "constellation_id": 20_000_020,
    "system_id": 30_000_142,
    "station_id": 60_003_760,
    "planet_id": 40_000_000 + 142 * 16 + 4,
    "moon_id": 40_000_000 + 142 * 16 + 5,
    "type_id": 34,
    "group_id": 18,
    "category_id": 4,
    # Open to the first character, and not to the second.
    "structure_id": 1_036_000_000_003,
    "sovereignty_hub_id": HUB_IDS + 600,
    "skyhook_id": SKYHOOK_IDS + 600,
    "war_id": WAR_IDS,
}
UNKNOWN = 1_999_999_999
_CONTACTS = "/characters/{character_id}/contacts"
QUERIES: dict[str, dict[str, str]] = {
    f"POST {_CONTACTS}": {"standing": "5", "watched": "true", "label_ids": "1,2"},
    f"PUT {_CONTACTS}": {"standing": "-2.5"},
    "POST /ui/autopilot/waypoint": {
        "destination_id": "30000142",
        "add_to_beginning": "false",
        "clear_other_waypoints": "true",
    },
    "GET /markets/{region_id}/history": {"type_id": "34"},
    "POST /ui/openwindow/contract": {"contract_id": "5"},
    "POST /ui/openwindow/information": {"target_id": "5"},
    "POST /ui/openwindow/marketdetails": {"type_id": "34"},
}
FITTING = {
    "name": "New",
    "description": "",
    "ship_type_id": 587,
    "items": [{"type_id": 34, "flag": "Cargo", "quantity": 5}],
}
# With more than a page of items and of bids.
LARGE_AUCTION = 210_000_964

formats = FormatChecker(formats=())


def _is_time(value: object) -> bool:
    return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None


formats.checks("date-time", raises=ValueError)(_is_time)


def closed(schema: object) -> object:
    """Let no object hold a field that the contract does not know."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(value) for name, value in schema.items()}
    if made.get("type") == "object" and made.get("properties"):
        made.setdefault("additionalProperties", False)
    return made


SCHEMAS = closed(load().schemas)


def check(schema: object, body: bytes) -> None:
    """Fail unless a body is what a schema of the contract allows."""
    assert isinstance(schema, dict)
    closed_schema = closed(schema)
    assert isinstance(closed_schema, dict)
    whole = {**closed_schema, "schemas": SCHEMAS}
    validator = Draft202012Validator(whole, format_checker=formats)
    problems = [
        f"{list(one.path)}: {one.message[:200]}"
        for one in validator.iter_errors(msgspec.json.decode(body))
    ]
    assert not problems


def check_refusal(answer: Answer, status: int) -> None:
    """Fail unless an answer refuses with a status and an error body of the contract."""
    assert answer.status == status, answer.body
    check(load().error, answer.body)


def convert_id(row: Mapping[str, object], name: str) -> int:
    return msgspec.convert(row[name], int)


def special_ids(path: str) -> dict[str, int]:
    """Return ids that a route needs in place of those that suit the others."""
    if path.startswith("/loyalty"):
        return {"corporation_id": 1_000_035}
    if path.startswith("/contracts/public/"):
        return {"contract_id": LARGE_AUCTION}
    return {}


def corporate_ids(world: World, now_s: float) -> dict[str, int]:
    """Return a starbase with its system, and an observer."""
    starbase = world.outposts.starbases(CORPORATION)[0]
    return {
        "starbase_id": convert_id(starbase, "starbase_id"),
        "system_id": convert_id(starbase, "system_id"),
        "observer_id": convert_id(world.moons.observers(CORPORATION, now_s)[0], "observer_id"),
    }


class Asker:
    """Asks one route rightly, or wrong in one respect."""

    def __init__(self, bench: Bench, served: Served) -> None:
        self.bench = bench
        self.facts = served.facts
        self.names = served.names
        ids = dict(IDS)
        if "mail_id" in self.names:
            headers = bench.services.esi.world.mail.headers(FIRST, bench.services.clock.now_s())
            ids["mail_id"] = msgspec.convert(headers[0]["mail_id"], int)
        world, now_s = bench.services.esi.world, bench.services.clock.now_s()
        owner = FIRST if "character_id" in self.names else CORPORATION
        if "contract_id" in self.names and self.facts.scope:
            rows = world.contracts.contracts(owner, now_s)
            auctions = [convert_id(row, "contract_id") for row in rows if row["type"] == "auction"]
            ids["contract_id"] = max(
                auctions, key=lambda one: len(world.contracts.bids(owner, one, now_s))
            )
        if "event_id" in self.names:
            ids["event_id"] = convert_id(world.social.events(FIRST, now_s)[0], "event_id")
        if "fitting_id" in self.names:
            ids["fitting_id"] = convert_id(world.fittings.of(FIRST)[0], "fitting_id")
        if "planet_id" in self.names and "character_id" in self.names:
            ids["planet_id"] = convert_id(world.industry.colonies(FIRST, now_s)[0], "planet_id")
        ids |= special_ids(self.facts.path)
        held = corporate_ids(world, now_s)
        ids |= held
        self.query = {"system_id": str(held["system_id"])} if "starbase_id" in self.names else {}
        self.ids: dict[str, int | str] = {name: ids[name] for name in self.names if name in ids}
        for name, listed in (
            ("access_list_id", world.holdings.access_lists(FIRST)["access_lists"]),
            ("mercenary_den_id", world.holdings.dens(FIRST)["mercenary_dens"]),
            ("operation_id", world.holdings.operations(FIRST, now_s)["operations"]),
            # One that many have worked on.
            ("project_id", world.projects.projects(CORPORATION, now_s)[7:]),
            ("job_id", world.projects.jobs(CORPORATION, now_s)[:-8]),
        ):
            if name in self.names:
                # The first operations and jobs are over soon.
                at = 0 if name == "project_id" else -1
                self.ids[name] = msgspec.convert(listed, list[dict[str, Any]])[at]["id"]
        if "item_id" in self.names:
            mutated = [row for row in world.assets.rows(FIRST, now_s) if row["type_id"] == 47740]
            self.ids = {"type_id": 47740, "item_id": convert_id(mutated[1], "item_id")}
        if "killmail_hash" in self.names:
            lost = convert_id(world.killmails.recent(FIRST, now_s)[0], "killmail_id")
            self.ids = {"killmail_id": lost, "killmail_hash": world.killmails.hash_of(lost)}

    def body(self) -> object:
        """Return a body that the route takes."""
        tail = self.facts.path.rsplit("/", 1)[-1]
        if self.facts.body is None:
            return None
        if self.facts.path == "/universe/names":
            return [FIRST, CORPORATION, 99_000_001, 34, 60_003_760, 30_000_142, 10_000_002, 500_001]
        if tail in ("names", "locations"):
            owner = FIRST if "character_id" in self.names else CORPORATION
            rows = self.bench.services.esi.world.assets.rows(owner, 0.0)
            return [row["item_id"] for row in rows[:5]]
        return {
            "contacts": [95_000_007] if self.facts.method == "POST" else [self.contact_id()],
            "ids": ["jita", "Tritanium", "nobody at all"],
            "cspa": [FIRST + 1, 95_000_007],
            "{event_id}": {"response": "tentative"},
            "fittings": FITTING,
            "newmail": {"subject": "s", "body": "b", "recipients": [FIRST + 1]},
            "affiliation": [FIRST, FIRST + 1, 95_000_007],
            "labels": {"name": "New", "color": "#0099ff"},
            "{mail_id}": {"read": True, "labels": [1, 16]},
            "mail": {
                "subject": "s",
                "body": "b",
                "recipients": [{"recipient_id": FIRST + 1, "recipient_type": "character"}],
            },
        }[tail]

    def contact_id(self) -> int:
        """Return one of the contacts."""
        return convert_id(self.bench.services.esi.world.contacts.of(FIRST)[0], "contact_id")

    def ask(
        self,
        *,
        who: int | None = FIRST,
        ids: dict[str, int | str] | None = None,
        token: str | None = None,
        headers: Mapping[str, str | None] | None = None,
        query: dict[str, str] | None = None,
    ) -> Answer:
        """Ask the route, by default as somebody who may."""
        path = self.facts.path.format(**{**self.ids, **(ids or {})})
        named = who if self.facts.scope and token is None else None
        query = {**QUERIES.get(self.facts.key, {}), **(query or {})}
        if self.facts.key == f"DELETE {_CONTACTS}":
            query["contact_ids"] = str(self.contact_id())
        return self.bench.esi(
            path,
            method=self.facts.method,
            character_id=named,
            token=token,
            headers=headers,
            query={**self.query, **(query or {})},
            body=self.body(),
        )


def routes(*, method: str | None = None) -> list[str]:
    """Return the served routes, by method if wanted."""
    return [key for key in SERVED if method is None or key.startswith(f"{method} ")]


@pytest.fixture(scope="module")
def shared() -> Bench:
    """One simulated EVE for all reads of this module; limits are switched off."""
    return make_bench(rate_limits=False, error_limit=False)


def asker(bench: Bench, key: str) -> Asker:
    return Asker(bench, SERVED[key])


@pytest.mark.parametrize("key", ASKED)
def test_whatever_the_daemon_asks_is_served(key: str) -> None:
    assert key in SERVED


def test_served_routes_are_routes_of_the_contract() -> None:
    assert set(SERVED) <= set(by_key())


@pytest.mark.parametrize("key", SERVED)
def test_success(shared: Bench, key: str) -> None:
    one = asker(shared, key)
    answer = one.ask()
    assert answer.status == one.facts.status, answer.body
    if one.facts.response is None:
        assert answer.body == b""
    else:
        check(one.facts.response, answer.body)
    if one.facts.method == "GET":
        assert set(one.facts.headers) <= set(answer.headers)
    assert "Date" in answer.headers
    if one.facts.method == "GET" and one.facts.cache_age_s is not None:
        assert "Expires" in answer.headers


@pytest.mark.parametrize("key", routes(method="GET"))
def test_not_modified(shared: Bench, key: str) -> None:
    one = asker(shared, key)
    full = one.ask()
    same = one.ask(headers={"If-None-Match": full.headers["ETag"]})
    assert (same.status, same.body) == (304, b"")
    carried = {"ETag", "Last-Modified", "Expires", "X-Pages", "Cache-Control"} & set(full.headers)
    assert {name: same.headers[name] for name in carried} == {
        name: full.headers[name] for name in carried
    }
    assert one.ask(headers={"If-None-Match": '"other"'}).status == 200
    since = {"If-Modified-Since": full.headers["Last-Modified"]}
    assert one.ask(headers=since).status == 304


@pytest.mark.parametrize("key", [k for k in SERVED if SERVED[k].facts.paging == "x-pages"])
def test_pages(shared: Bench, key: str) -> None:
    one = asker(shared, key)
    first = one.ask()
    pages = int(first.headers["X-Pages"])
    assert pages > 1
    last = one.ask(query={"page": str(pages)})
    assert one.facts.response is not None
    check(one.facts.response, last.body)
    assert last.headers["Last-Modified"] == first.headers["Last-Modified"]
    assert last.headers["X-Pages"] == first.headers["X-Pages"]
    assert 0 < len(msgspec.json.decode(last.body)) <= 20
    check_refusal(one.ask(query={"page": str(pages + 1)}), 404)
    check_refusal(one.ask(query={"page": "0"}), 400)
    check_refusal(one.ask(query={"page": "x"}), 400)


@pytest.mark.parametrize("key", [k for k in SERVED if SERVED[k].facts.paging == "from_id"])
def test_walk_by_from_id_shows_the_id_again_and_ends(key: str) -> None:
    one = asker(make_bench(transaction_page=30, rate_limits=False), key)
    seen: list[int] = []
    query: dict[str, str] = {}
    for _ in range(50):
        page = msgspec.json.decode(one.ask(query=query).body)
        fresh = [row["transaction_id"] for row in page if row["transaction_id"] not in seen]
        if query:
            assert page[0]["transaction_id"] == int(query["from_id"])
        if not fresh:
            break
        seen += fresh
        query = {"from_id": str(seen[-1])}
    assert len(seen) > 30
    assert seen == sorted(seen, reverse=True)
    row = SERVED[key].row
    assert isinstance(row, Read)
    whole = one.bench.services.control.model.tell(row.section, tuple(map(int, one.ids.values())))
    assert isinstance(whole, list)
    assert [row["transaction_id"] for row in whole] == seen


def test_walk_by_from_event_goes_on_after_it(shared: Bench) -> None:
    one = asker(shared, "GET /characters/{character_id}/calendar")
    events = [convert_id(row, "event_id") for row in msgspec.json.decode(one.ask().body)]
    assert len(events) > 20
    rest = msgspec.json.decode(one.ask(query={"from_event": str(events[4])}).body)
    assert [convert_id(row, "event_id") for row in rest] == events[5:]
    assert msgspec.json.decode(one.ask(query={"from_event": str(events[-1])}).body) == []
    assert msgspec.json.decode(one.ask(query={"from_event": "5"}).body) == []


CURSORS = [k for k in SERVED if SERVED[k].facts.paging == "cursor"]


@pytest.mark.parametrize("key", CURSORS)
def test_walk_by_cursor_reads_all_and_then_the_news(key: str) -> None:
    """Back from the last rows to the first; after the last token comes what has changed since."""
    bench = make_bench(rate_limits=False)
    one = asker(bench, key)
    name = one.facts.path.rpartition("/")[2].replace("-", "_")
    every = {"limit": "20"} | ({"state": "All"} if "state" in one.facts.query else {})
    page = msgspec.json.decode(one.ask(query=every).body)
    after, rows = page["cursor"]["after"], page[name]
    while page[name]:
        assert one.facts.response is not None
        query = {**every, "before": page["cursor"]["before"]}
        answer = one.ask(query=query)
        check(one.facts.response, answer.body)
        page = msgspec.json.decode(answer.body)
        rows = page[name] + rows
    row = SERVED[key].row
    assert isinstance(row, Read)
    ids = [number_of(i) if isinstance(i, str) else i for i in one.ids.values()]
    assert rows == bench.services.control.model.tell(row.section, tuple(ids))
    assert len({one["id"] for one in rows}) == len(rows)
    news = {**every, "after": after}
    assert msgspec.json.decode(one.ask(query=news).body) == {name: []}
    bench.pass_time(6 * 3_600)
    told = msgspec.json.decode(one.ask(query=news).body)[name]
    if name in ("projects", "freelance_jobs"):
        assert told
        assert all(row not in rows for row in told)
    for wrong in ({"limit": "9"}, {"limit": "101"}, {"before": "?"}, {"after": "%"}):
        check_refusal(one.ask(query=wrong), 400)


def test_projects_that_have_ended_are_listed_on_demand_only(shared: Bench) -> None:
    one = asker(shared, "GET /corporations/{corporation_id}/projects")
    states = {row["state"] for row in msgspec.json.decode(one.ask().body)["projects"]}
    assert states == {"Active"}
    every = one.ask(query={"state": "All", "limit": "100"})
    states = {row["state"] for row in msgspec.json.decode(every.body)["projects"]}
    assert states == {"Active", "Completed"}
    check_refusal(one.ask(query={"state": "Some"}), 400)


def test_walk_by_last_mail_id(bench: Bench) -> None:
    one = asker(bench, "GET /characters/{character_id}/mail")
    seen: list[int] = []
    query: dict[str, str] = {}
    while page := msgspec.json.decode(one.ask(query=query).body):
        assert len(page) <= 50
        seen += [row["mail_id"] for row in page]
        query = {"last_mail_id": str(seen[-1])}
    assert seen == sorted(set(seen), reverse=True)
    labelled = msgspec.json.decode(one.ask(query={"labels": "4"}).body)
    assert labelled
    assert all(4 in row["labels"] for row in labelled)


@pytest.mark.parametrize("key", SERVED)
@pytest.mark.parametrize(
    "headers",
    [
        {"X-Compatibility-Date": None},
        {"X-Compatibility-Date": "yesterday"},
        {"X-Compatibility-Date": "2026-12-24"},
        {"User-Agent": None},
    ],
    ids=["no date", "no such date", "future date", "no agent"],
)
def test_required_headers(shared: Bench, key: str, headers: dict[str, str | None]) -> None:
    check_refusal(asker(shared, key).ask(headers=headers), 400)


@pytest.mark.parametrize("key", [k for k in SERVED if SERVED[k].names])
def test_path_that_is_no_number(shared: Bench, key: str) -> None:
    one = asker(shared, key)
    check_refusal(one.ask(ids={one.names[-1]: "abc"}), 422 if "_hash" in one.names[-1] else 400)


@pytest.mark.parametrize("key", [k for k in SERVED if SERVED[k].facts.body])
def test_body_that_is_none(shared: Bench, key: str) -> None:
    one = asker(shared, key)
    path = one.facts.path.format(**one.ids)
    who = FIRST if one.facts.scope else None
    for body in ([], {"x": 1}, [1, "2"], "text", [5, 5]):
        if one.facts.method == "PUT" and body == {"x": 1}:
            continue  # nothing in it is required
        answer = shared.esi(path, method=one.facts.method, character_id=who, body=body)
        check_refusal(answer, 400)


SCOPED = [k for k in SERVED if SERVED[k].facts.scope]


@pytest.mark.parametrize("key", SCOPED)
def test_tokens_are_looked_at(shared: Bench, key: str) -> None:
    one = asker(shared, key)
    check_refusal(one.ask(who=None), 401)
    check_refusal(one.ask(token="made-up"), 401)
    scopes = [scope for scope in load().scopes() if scope != one.facts.scope]
    office = shared.services.sso.office
    lacking = office.first_issue(office.grant(FIRST, "simulated-client", tuple(scopes)))
    check_refusal(one.ask(token=lacking.access_token), 403)
    if one.names and one.names[0] == "alliance_id":
        # The two corporations are both in the one alliance.
        check_refusal(one.ask(ids={"alliance_id": IDS["alliance_id"] + 1}), 403)
    elif one.names:
        check_refusal(one.ask(who=FIRST + 1), 403)


@pytest.mark.parametrize("key", ["GET /characters/{character_id}/skills"])
def test_expired_and_revoked_tokens(bench: Bench, key: str) -> None:
    one = asker(bench, key)
    token = bench.token(FIRST)
    assert one.ask(token=token).status == 200
    bench.pass_time(1200)
    check_refusal(one.ask(token=token), 401)
    token = bench.token(FIRST)
    bench.control("/revoke", character_id=FIRST)
    check_refusal(one.ask(token=token), 401)


@pytest.mark.parametrize("key", [k for k in SERVED if SERVED[k].facts.roles])
def test_roles_are_looked_at(bench: Bench, key: str) -> None:
    one = asker(bench, key)
    member = bench.services.esi.world.people.members_of(CORPORATION)[1]
    # A member has one role, which some routes are content with.
    bench.control("/roles", character_id=member, drop=["*"])
    check_refusal(one.ask(who=member), 403)
    assert one.ask().status == one.facts.status
    bench.control("/roles", character_id=FIRST, drop=["*"])
    check_refusal(one.ask(), 403)
    bench.control("/roles", character_id=FIRST, restore=True)
    assert one.ask().status == one.facts.status
    bench.control("/move", character_id=FIRST, corporation_id=CORPORATION + 1)
    check_refusal(one.ask(), 403)


PUBLIC_IDS = [k for k in SERVED if SERVED[k].names and not SERVED[k].facts.scope]
UUID = "00000000-0000-4000-8000-000000000000"
UUID_IDS = {"operation_id", "project_id", "job_id"}
OWNED_IDS = {"mail_id", "label_id", "contract_id", "event_id", "access_list_id", *UUID_IDS}
OWNED_IDS |= {"sovereignty_hub_id", "skyhook_id", "mercenary_den_id", "starbase_id", "observer_id"}
OWNED_IDS |= {"fitting_id", "structure_id"}
INNER = [k for k in SERVED if set(SERVED[k].names) & OWNED_IDS]
INNER.append("GET /characters/{character_id}/planets/{planet_id}")


@pytest.mark.parametrize("key", PUBLIC_IDS + INNER)
def test_unknown_id(shared: Bench, key: str) -> None:
    one = asker(shared, key)
    unknown = "0" * 40 if "_hash" in one.names[-1] else UNKNOWN
    if one.names[-1] in UUID_IDS:
        unknown = UUID
    check_refusal(one.ask(ids={one.names[-1]: unknown}), 404)


def test_a_query_that_is_required_is_asked_for(shared: Bench) -> None:
    one = asker(shared, "GET /corporations/{corporation_id}/starbases/{starbase_id}")
    path = one.facts.path.format(**one.ids)
    check_refusal(shared.esi(path, character_id=FIRST), 400)
    check_refusal(one.ask(query={"system_id": "Jita"}), 400)
    check_refusal(one.ask(query={"system_id": str(UNKNOWN)}), 400)


@pytest.mark.parametrize(
    ("key", "ids"),
    [
        ("POST /universe/names", [FIRST, 145_000_001]),
        ("POST /characters/affiliation", [FIRST, 5]),
        ("POST /characters/{character_id}/assets/names", [1]),
        ("POST /corporations/{corporation_id}/assets/locations", [1]),
    ],
)
def test_one_bad_id_refuses_the_batch(shared: Bench, key: str, ids: list[int]) -> None:
    one = asker(shared, key)
    who = FIRST if one.facts.scope else None
    path = one.facts.path.format(**one.ids)
    check_refusal(shared.esi(path, method="POST", character_id=who, body=ids), 404)


def spent_up(bench: Bench, one: Asker) -> Answer:
    """Ask a route with an unknown token or id until its bucket has nothing left."""
    assert one.facts.rate is not None
    limits = bench.services.esi.limits
    owner = f"simulated-client {FIRST}" if one.facts.scope else "ip 127.0.0.1"
    limits.bucket(one.facts.rate, owner).spend(bench.hand.at_s, one.facts.rate.tokens)
    return one.ask()


@pytest.mark.parametrize("key", [k for k in SERVED if SERVED[k].facts.rate])
def test_rate_limited(bench: Bench, key: str) -> None:
    one = asker(bench, key)
    limited = spent_up(bench, one)
    check_refusal(limited, 429)
    rate = one.facts.rate
    assert rate is not None
    assert limited.headers["Retry-After"] == str(rate.window_s)
    assert limited.headers["X-Ratelimit-Group"] == rate.group
    assert limited.headers["X-Ratelimit-Limit"] == f"{rate.tokens}/{rate.window_s // 60}m"
    assert limited.headers["X-Ratelimit-Remaining"] == "0"
    bench.pass_time(rate.window_s)
    assert one.ask().status == one.facts.status


@pytest.mark.parametrize("key", SERVED)
def test_error_limited(bench: Bench, key: str) -> None:
    for _ in range(100):
        assert bench.esi("/universe/types/1").status == 404
    one = asker(bench, key)
    limited = one.ask()
    check_refusal(limited, 420)
    assert limited.headers["X-ESI-Error-Limit-Remain"] == "0"
    wait_s = int(limited.headers["X-ESI-Error-Limit-Reset"])
    assert 1 <= wait_s <= 60
    bench.pass_time(wait_s)
    assert one.ask().status == one.facts.status


@pytest.mark.parametrize("key", SERVED)
def test_downtime(bench: Bench, key: str) -> None:
    bench.control("/downtime", on=True)
    check_refusal(asker(bench, key).ask(), 503)
    bench.control("/downtime", on=False)
    one = asker(bench, key)
    assert one.ask().status == one.facts.status


def test_what_is_not_served_says_so(shared: Bench) -> None:
    unserved: RouteFacts = next(f for f in load().routes if f.key not in SERVED)
    path = unserved.path.replace("{", "").replace("}", "")
    check_refusal(shared.esi(path, method=unserved.method), 501)
    check_refusal(shared.esi("/no/such/route"), 404)
    check_refusal(shared.esi("/status", method="DELETE"), 405)


def test_a_date_before_a_route_existed_is_refused(shared: Bench) -> None:
    headers = {"X-Compatibility-Date": "2025-01-01"}
    check_refusal(shared.esi("/meta/status", headers=headers), 404)
    assert shared.esi("/status", headers=headers).status == 200
