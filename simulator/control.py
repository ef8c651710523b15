"""The control route: faults, time, tokens and roles on order, and what there is to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import msgspec

from simulator import orders
from simulator.answers import Answer, Question, json_answer
from simulator.clock import SimulatedClock, iso
from simulator.errors import Refusal, bad_request, not_found
from simulator.esi import Esi
from simulator.faults import FaultBook, FaultRule
from simulator.model import Model
from simulator.sso import Sso
from simulator.tokens import Refresh
from simulator.traffic import Traffic

NDJSON_TYPE = "application/x-ndjson"
IMPORTED = ("character_id", "refresh_token", "scopes", "corporations")


class Control:
    """Answers questions to the control route."""

    def __init__(
        self,
        esi: Esi,
        sso: Sso,
        clock: SimulatedClock,
        traffic: Traffic,
        faults: FaultBook,
        *,
        latency_s: float,
    ) -> None:
        self.latency_s = latency_s
        self.model = Model(esi)
        self._esi = esi
        self._sso = sso
        self._clock = clock
        self._traffic = traffic
        self._faults = faults
        self._orders: dict[str, Callable[[Question], object]] = {
            "POST /clock": self._set_clock,
            "POST /downtime": self._downtime,
            "POST /latency": self._latency,
            "POST /revoke": self._revoke,
            "POST /grant": self._grant,
            "POST /login": self._login,
            "POST /roles": self._roles,
            "POST /move": self._move,
            "POST /limits": self._limits,
            "POST /sso": self._set_sso,
            "POST /stranger": self._stranger,
            "POST /spam": self._spam,
            "POST /labels": self._labels,
            "POST /faults": self._add_fault,
            "DELETE /faults": self._remove_faults,
            "POST /reset": self._reset,
            "GET /": self._state,
            "GET /clock": self._state,
            "GET /faults": lambda _: self._faults.listing(),
            "GET /requests": self._requests,
            "GET /writes": lambda _: [asdict(effect) for effect in self._traffic.effects],
            "GET /tokens": self._tokens,
            "GET /model": lambda _: self.model.sections(),
        }

    def answer(self, question: Question) -> Answer:
        """Carry out an order, or tell what is asked."""
        route = f"{question.method} {question.path}"
        try:
            order = self._orders.get(route)
            if order is not None:
                return json_answer(200, order(question), route)
            if route == "GET /credentials":
                return Answer(200, self.credential_lines(), {"Content-Type": NDJSON_TYPE}, route)
            if question.method == "GET" and question.path.startswith("/model/"):
                return json_answer(200, self._section(question), "GET /model/{section}")
            raise not_found(f"no such order; there are: {', '.join(self._orders)}")
        except Refusal as refusal:
            return json_answer(refusal.status, {"error": refusal.message}, route)

    def tokens(self, character_id: int, *, access: bool = False) -> dict[str, object]:
        """Return the tokens of a character, ready for import; the first time they are made."""
        people = self._esi.world.people
        if character_id not in people.character_ids:
            raise not_found(f"there is no character {character_id}")
        refresh = self._sso.office.latest(character_id) or self._granted(character_id, None)
        corporation_id = people.corporation_of(character_id)
        director = people.is_director(character_id)
        made: dict[str, object] = {
            "character_id": character_id,
            "name": people.pilot(character_id).name,
            "refresh_token": refresh.token,
            "scopes": list(refresh.scopes),
            "client_id": refresh.client_id,
            "corporation_id": corporation_id,
            "is_director": director,
            "corporations": [corporation_id] if director else [],
            "alive": self._sso.office.is_alive(refresh),
        }
        if access:
            issued = self._sso.office.first_issue(refresh)
            made["access_token"] = issued.access_token
            made["expires_at"] = iso(int(issued.expires_at_s))
        return made

    def credential_lines(self) -> bytes:
        """Return the credentials of all characters as lines of JSON, to be piped into an import."""
        ids = self._esi.world.people.character_ids
        rows = [self.tokens(character_id) for character_id in ids]
        return b"".join(
            msgspec.json.encode({name: row[name] for name in IMPORTED}) + b"\n" for row in rows
        )

    def _tokens(self, question: Question) -> object:
        access = question.query.get("access") == "1"
        one = question.query.get("character_id")
        if one is not None:
            return self.tokens(orders.whole(one, "character_id"), access=access)
        ids = self._esi.world.people.character_ids
        return [self.tokens(character_id, access=access) for character_id in ids]

    def _section(self, question: Question) -> object:
        query = question.query
        ids = [
            orders.whole(one.rpartition(":")[2], "subject")
            for one in query.get("subject", "").split(",")
            if one and one != "global"
        ]
        ids += [orders.whole(query[name], name) for name in ("division", "id") if name in query]
        at_s = self._clock.now_s() if query.get("at") == "now" else None
        section = question.path.removeprefix("/model/")
        return {"section": section, "rows": self.model.tell(section, tuple(ids), at_s=at_s)}

    def _state(self, _question: Question) -> object:
        now_s = self._clock.now_s()
        return {
            "now": iso(int(now_s)),
            "now_s": now_s,
            "frozen": self._clock.frozen,
            "speed": self._clock.speed,
            "latency_s": self.latency_s,
            "downtime": self._esi.world.downtime,
            "characters": self._esi.world.people.count,
            "corporations": self._esi.world.people.corporation_count,
            "alliances": self._esi.world.people.alliance_count,
        }

    def _set_clock(self, question: Question) -> object:
        order = orders.decode(question, orders.ClockOrder)
        try:
            if order.speed is not None:
                self._clock.set_speed(order.speed)
            if order.advance_s:
                self._clock.advance(order.advance_s)
        except ValueError as wrong:
            raise bad_request(str(wrong)) from wrong
        if order.freeze is True:
            self._clock.freeze()
        elif order.freeze is False:
            self._clock.thaw()
        return self._state(question)

    def _downtime(self, question: Question) -> object:
        self._esi.world.downtime = orders.decode(question, orders.DowntimeOrder).on
        return {"downtime": self._esi.world.downtime}

    def _latency(self, question: Question) -> object:
        self.latency_s = max(0.0, orders.decode(question, orders.LatencyOrder).seconds)
        return {"latency_s": self.latency_s}

    def _revoke(self, question: Question) -> object:
        character_id = orders.decode(question, orders.CharacterOrder).character_id
        return {"revoked": self._sso.office.revoke_character(character_id)}

    def _grant(self, question: Question) -> object:
        order = orders.decode(question, orders.GrantOrder)
        self._known(order.character_id)
        self._granted(order.character_id, order.scopes)
        return self.tokens(order.character_id)

    def _login(self, question: Question) -> object:
        character_id = orders.decode(question, orders.CharacterOrder).character_id
        self._sso.next_character_id = self._known(character_id)
        return {"character_id": character_id}

    def _roles(self, question: Question) -> object:
        order = orders.decode(question, orders.RolesOrder)
        people = self._esi.world.people
        self._known(order.character_id)
        if order.restore:
            people.restore_roles(order.character_id)
        dropped = people.roles_of(order.character_id) if "*" in order.drop else order.drop
        people.drop_roles(order.character_id, set(dropped))
        self._esi.snapshots.soil(order.character_id)
        return {"roles": people.roles_of(order.character_id)}

    def _move(self, question: Question) -> object:
        order = orders.decode(question, orders.MoveOrder)
        people = self._esi.world.people
        if order.corporation_id not in people.corporation_ids:
            raise not_found(f"there is no corporation {order.corporation_id}")
        left = people.corporation_of(self._known(order.character_id))
        people.move(order.character_id, order.corporation_id, int(self._clock.now_s()))
        for subject_id in (order.character_id, left, order.corporation_id):
            self._esi.snapshots.soil(subject_id)
        return {"corporation_id": people.corporation_of(order.character_id)}

    def _limits(self, question: Question) -> object:
        order = orders.decode(question, orders.LimitsOrder)
        if order.rate is not None:
            self._esi.rate_limits = order.rate
        if order.errors is not None:
            self._esi.error_limit = order.errors
        if order.clear:
            self._esi.clear_limits()
        return {"rate": self._esi.rate_limits, "errors": self._esi.error_limit}

    def _set_sso(self, question: Question) -> object:
        order = orders.decode(question, orders.SsoOrder)
        if order.single_use is not None:
            self._sso.office.single_use = order.single_use
        expired = self._sso.office.expire_access() if order.expire_access else 0
        return {"single_use": self._sso.office.single_use, "expired": expired}

    def _stranger(self, question: Question) -> object:
        order = orders.decode(question, orders.StrangerOrder)
        contacts = self._esi.world.contacts
        contacts.charges[order.character_id] = order.charge
        contacts.unreachable.discard(order.character_id)
        if order.unreachable:
            contacts.unreachable.add(order.character_id)
        return {"charges": contacts.charges, "unreachable": sorted(contacts.unreachable)}

    def _spam(self, question: Question) -> object:
        order = orders.decode(question, orders.SpamOrder)
        until_s = self._clock.now_s() + order.seconds
        self._esi.world.mail.spam_stops[self._known(order.character_id)] = until_s
        return {"until": iso(int(until_s))}

    def _labels(self, question: Question) -> object:
        order = orders.decode(question, orders.LabelsOrder)
        without = self._esi.world.contacts.without_labels
        without.discard(order.character_id)
        if not order.applied:
            without.add(order.character_id)
        return {"without": sorted(without)}

    def _add_fault(self, question: Question) -> object:
        rule = orders.decode(question, FaultRule)
        try:
            return {"id": self._faults.add(rule)}
        except ValueError as wrong:
            raise bad_request(str(wrong)) from wrong

    def _remove_faults(self, question: Question) -> object:
        number = question.query.get("id")
        self._faults.remove(None if number is None else orders.whole(number, "id"))
        return self._faults.listing()

    def _requests(self, question: Question) -> object:
        return self._traffic.report(orders.whole(question.query.get("last", "0"), "last"))

    def _reset(self, _question: Question) -> object:
        self._traffic.reset()
        self._faults.remove()
        self._esi.clear_limits()
        world = self._esi.world
        world.downtime = False
        world.mail.spam_stops.clear()
        world.contacts.behave()
        return {"reset": True}

    def _known(self, character_id: int) -> int:
        if character_id not in self._esi.world.people.character_ids:
            raise not_found(f"there is no character {character_id}")
        return character_id

    def _granted(self, character_id: int, scopes: tuple[str, ...] | None) -> Refresh:
        wanted = self._sso.default_scopes() if scopes is None else scopes
        return self._sso.office.grant(character_id, self._sso.client_id, wanted)
