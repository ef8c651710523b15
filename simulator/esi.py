"""ESI itself: from a question to an answer, with limits, caches and conditions."""

from __future__ import annotations

import math
import re
from email.utils import parsedate_to_datetime

import msgspec

from simulator.admission import Gate
from simulator.answers import JSON_TYPE, UNKNOWN_ROUTE, Answer, Question, error_body
from simulator.clock import SimulatedClock, http_date
from simulator.config import SimulatorConfig
from simulator.contract import RouteFacts
from simulator.errors import Refusal, bad_request, not_found
from simulator.limits import ErrorLimit, RateLimits, token_cost
from simulator.paging import ID_FIELDS, Pager
from simulator.routes.served import table
from simulator.routes.table import Call, Ids, Read, Served, Write
from simulator.snapshots import Snapshot, Snapshots, make_page
from simulator.tokens import Access, TokenOffice
from simulator.traffic import Effect, Traffic
from simulator.universe.world import World
from simulator.uuids import NAMES as UUID_NAMES
from simulator.uuids import number_of

_HASH = re.compile(r"[0-9a-f]{40}")


class _Visit:
    """One request on its way: which route it meets and whose bucket it spends."""

    __slots__ = ("access", "facts", "owner", "question", "served", "values")

    def __init__(self, question: Question, served: Served | None, values: list[str]) -> None:
        self.question = question
        self.served = served
        self.facts: RouteFacts | None = served.facts if served else None
        self.values = values
        self.owner = f"ip {question.source}"
        self.access: Access | None = None

    def admit(self, access: Access | None) -> None:
        """Note the token, and with it whose bucket is spent."""
        self.access = access
        if access is None:
            return
        who = access.character_id if self.facts and self.facts.scope else self.question.source
        self.owner = f"{access.client_id} {who}"

    def ids(self) -> Ids:
        """Return the ids in the path; hashes and UUIDs are numbers in another writing."""
        names = self.served.names if self.served else ()
        try:
            return tuple(_number(name, text) for name, text in zip(names, self.values, strict=True))
        except ValueError:
            raise bad_request("an id in the path is none") from None


def _number(name: str, text: str) -> int:
    if name in UUID_NAMES:
        return number_of(text)
    return _hash(text) if name.endswith("_hash") else int(text)


def _hash(text: str) -> int:
    if not _HASH.fullmatch(text):
        raise Refusal(422, "Invalid killmail_id and/or killmail_hash")
    return int(text, 16)


def _queried(question: Question, row: Read) -> Ids:
    """Return the numbers that a route wants in its query."""
    try:
        return tuple(int(question.query[name]) for name in row.query)
    except KeyError as error:
        raise bad_request(f"{error.args[0]} is required in the query") from None
    except ValueError:
        raise bad_request("an id in the query is not a number") from None


class Esi:
    """Answers questions to ESI."""

    def __init__(
        self,
        world: World,
        clock: SimulatedClock,
        office: TokenOffice,
        traffic: Traffic,
        config: SimulatorConfig,
    ) -> None:
        self.world = world
        self.table = table()
        self.snapshots = Snapshots(clock, config.cache_scale, world.start_s)
        self.limits = RateLimits(config.window_scale)
        self.rate_limits = config.rate_limits
        self.error_limit = config.error_limit
        self._config = config
        self._clock = clock
        self._traffic = traffic
        self._gate = Gate(world.people, world.structures, office, clock)
        self._pager = Pager(config.mail_page, config.transaction_page)
        self._errors: dict[str, ErrorLimit] = {}

    def answer(self, question: Question, *, metered: bool = True) -> Answer:
        """Answer a request as ESI would; unmetered where another answer will be told instead."""
        visit, known = self._visit(question)
        blocked = self._blocked(visit)
        if blocked:
            return blocked
        try:
            answer = self._serve(visit, known)
        except Refusal as refusal:
            answer = _refused(refusal)
        return self._metered(visit, answer) if metered else answer

    def spoilt(self, question: Question, status: int, body: bytes | None) -> Answer:
        """Answer with a given status, as a fault demands; the limits count it as their own."""
        visit, _ = self._visit(question)
        content = error_body(f"injected {status}") if body is None else body
        answer = Answer(status, content, {"Content-Type": JSON_TYPE})
        return self._metered(visit, answer)

    def route_of(self, question: Question) -> str:
        """Return the name of the route that a request is for."""
        facts = self._visit(question)[0].facts
        return facts.key if facts else UNKNOWN_ROUTE

    def clear_limits(self) -> None:
        """Give back every token and forget every error."""
        self.limits.clear()
        self._errors.clear()

    def _visit(self, question: Question) -> tuple[_Visit, set[str]]:
        routes, known, values = self.table.find(question.path)
        return _Visit(question, routes.get(question.method), values), known

    def _blocked(self, visit: _Visit) -> Answer | None:
        now_s = self._clock.steady_s()
        errors = self._errors_of(visit.question)
        if not (self.error_limit and errors.blocked(now_s)):
            return None
        answer = Answer(420, error_body("This software has exceeded the error limit for ESI."))
        answer.headers = {"Content-Type": JSON_TYPE, **errors.headers(now_s), **self._date()}
        answer.route = visit.facts.key if visit.facts else UNKNOWN_ROUTE
        return answer

    def _serve(self, visit: _Visit, known: set[str]) -> Answer:
        question, served = visit.question, visit.served
        if self.world.downtime:
            raise Refusal(503, "The datasource tranquility is temporarily unavailable")
        if served is None:
            if question.method in known:
                raise Refusal(501, "the simulator does not serve this route")
            if known:
                raise Refusal(405, "Method not allowed", {"Allow": ", ".join(sorted(known))})
            raise not_found("Requested route does not exist")
        facts = served.facts
        visit.admit(self._gate.access(question, facts))
        self._check_bucket(visit, facts)
        self._gate.check_headers(question, facts)
        ids = visit.ids()
        if facts.scope and visit.access:
            self._gate.check_rights(visit.access, served, ids)
        if isinstance(served.row, Read):
            return self._read(question, served.row, facts, ids + _queried(question, served.row))
        return self._write(visit, served.row, facts, ids)

    def _check_bucket(self, visit: _Visit, facts: RouteFacts) -> None:
        if facts.rate is None or not self.rate_limits:
            return
        wait_s = self.limits.bucket(facts.rate, visit.owner).wait_s(self._clock.steady_s())
        if wait_s > 0:
            raise Refusal(429, "Too many requests", {"Retry-After": str(math.ceil(wait_s))})

    def _read(self, question: Question, row: Read, facts: RouteFacts, ids: Ids) -> Answer:
        # One moment for the whole answer, before the snapshot is taken: at a high pace the clock
        # moves on meanwhile, and an answer whose Date reached its Expires would be of no use.
        now_s = self._clock.now_s()
        snapshot = self.snapshot(row, facts, ids)
        page = self._pager.page(question, facts, snapshot)
        modified = http_date(snapshot.last_modified_s)
        headers = {"ETag": page.etag, "Last-Modified": modified}
        headers |= self._freshness(snapshot, now_s, "private" if facts.scope else "public")
        if facts.paging == "x-pages":
            headers["X-Pages"] = str(len(snapshot.pages))
        if "Content-Language" in facts.headers:
            headers["Content-Language"] = "en"
        if _is_known(question, page.etag, snapshot.last_modified_s):
            return Answer(304, b"", headers)
        headers["Content-Type"] = JSON_TYPE
        return Answer(200, page.body, headers)

    def snapshot(self, row: Read, facts: RouteFacts, ids: Ids) -> Snapshot:
        """Return what a route shows of one subject now."""
        world = self.world
        return self.snapshots.take(
            (facts.path, ids),
            facts.cache_age_s,
            self._config.page_size if facts.paging == "x-pages" else None,
            lambda at_s: row.look(world, ids, at_s),
            id_field=ID_FIELDS.get(facts.paging or ""),
        )

    def _write(self, visit: _Visit, row: Write, facts: RouteFacts, ids: Ids) -> Answer:
        question = visit.question
        body: object = None
        if facts.body is not None:
            try:
                body = msgspec.json.decode(question.body)
            except (msgspec.DecodeError, UnicodeDecodeError):
                raise bad_request("the body is not JSON") from None
        who = visit.access.character_id if visit.access else 0
        done = row.act(self.world, Call(ids, body, who, self._clock.now_s(), question.query))
        for subject_id in done.touched:
            self.snapshots.soil(subject_id)
        if done.effect:
            number = len(self._traffic.effects) + 1
            self._traffic.effects.append(
                Effect(
                    number, self._clock.now_s(), facts.key, question.path, who, body, done.content
                )
            )
        headers = self._posted(facts)
        if facts.status == 204:
            return Answer(204, b"", headers)
        page = make_page(done.content)
        headers |= {"ETag": page.etag, "Content-Type": JSON_TYPE}
        headers["Last-Modified"] = http_date(int(self._clock.now_s()))
        return Answer(facts.status, page.body, headers)

    def _posted(self, facts: RouteFacts) -> dict[str, str]:
        age_s = int((facts.cache_age_s or 0) * self._config.cache_scale)
        if not age_s:
            return {"Cache-Control": "no-store"}
        expires = http_date(int(self._clock.now_s()) + age_s)
        return {"Cache-Control": f"public, max-age={age_s}", "Expires": expires}

    def _freshness(self, snapshot: Snapshot, now_s: float, who: str) -> dict[str, str]:
        headers = {"Date": http_date(int(now_s)), "Cache-Control": who}
        left_s = self.snapshots.expires_in_s(snapshot, now_s)
        if left_s is None:
            return headers
        expires_s = math.ceil(now_s + left_s) if left_s else int(now_s)
        age_s = expires_s - int(now_s)
        headers["Cache-Control"] = f"{who}, max-age={age_s}"
        return headers | {"Expires": http_date(expires_s)}

    def _metered(self, visit: _Visit, answer: Answer) -> Answer:
        now_s = self._clock.steady_s()
        facts = visit.facts
        answer.headers = self._date() | answer.headers
        if facts is not None:
            answer.route = facts.key
            if facts.rate is not None:
                if self.rate_limits:
                    bucket = self.limits.bucket(facts.rate, visit.owner)
                    answer.headers |= bucket.spend(now_s, token_cost(answer.status)).headers()
                answer.character_id = visit.access.character_id if visit.access else None
                return answer
        if self.error_limit:
            errors = self._errors_of(visit.question)
            errors.record(now_s, answer.status)
            answer.headers |= errors.headers(now_s)
        answer.character_id = visit.access.character_id if visit.access else None
        return answer

    def _errors_of(self, question: Question) -> ErrorLimit:
        found = self._errors.get(question.source)
        if found is None:
            found = self._errors[question.source] = ErrorLimit()
        return found

    def _date(self) -> dict[str, str]:
        return {"Date": http_date(int(self._clock.now_s()))}


def _refused(refusal: Refusal) -> Answer:
    headers = {"Content-Type": JSON_TYPE, **refusal.headers}
    return Answer(refusal.status, error_body(refusal.message), headers)


def _is_known(question: Question, etag: str, modified_s: int) -> bool:
    held = question.headers.get("If-None-Match")
    if held is not None:
        tags = (one.strip().removeprefix("W/") for one in held.split(","))
        return any(tag in (etag, "*") for tag in tags)
    since = question.headers.get("If-Modified-Since")
    if since is None:
        return False
    try:
        return parsedate_to_datetime(since).timestamp() >= modified_s
    except (TypeError, ValueError):
        return False  # a date that is none asks for everything
