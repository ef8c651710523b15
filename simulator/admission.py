"""Who may ask ESI for what: headers, tokens, scopes, owners and roles."""

from __future__ import annotations

from datetime import date

from simulator.answers import Question
from simulator.clock import SimulatedClock, iso
from simulator.contract import RouteFacts
from simulator.errors import bad_request, forbidden, not_found, unauthorized
from simulator.routes.table import Ids, Served
from simulator.tokens import Access, TokenOffice
from simulator.universe.people import Population
from simulator.universe.structures import Structures

DAY_TURNS_S = 11 * 3_600
"""The compatibility date of a day begins at 11:00 UTC."""


class Gate:
    """Refuses what ESI would refuse before it looks at the data."""

    def __init__(
        self,
        people: Population,
        structures: Structures,
        office: TokenOffice,
        clock: SimulatedClock,
    ) -> None:
        self._people = people
        self._structures = structures
        self._office = office
        self._clock = clock
        self._dates: dict[str, str] = {}

    def check_headers(self, question: Question, facts: RouteFacts) -> None:
        """Refuse a request without a name, a header of the contract, or a date that is one."""
        if not question.headers.get("User-Agent", "").strip():
            raise bad_request("a User-Agent header is required")
        for name in facts.required_headers:
            if name not in question.headers:
                raise bad_request(f"the {name} header is required")
        text = question.headers.get("X-Compatibility-Date", "")
        if self._dates.get(text) is None:
            self._dates[text] = _canonical(text)
        if text > iso(int(self._clock.now_s() - DAY_TURNS_S))[:10]:
            raise bad_request("the compatibility date lies in the future")
        if text < facts.compatibility_date:
            raise not_found(f"no such route at the compatibility date {text}")

    def access(self, question: Question, facts: RouteFacts) -> Access | None:
        """Return what the request's token is good for; 401 where a token is needed and bad."""
        header = question.headers.get("Authorization", "")
        kind, _, token = header.partition(" ")
        found = self._office.access_of(token.strip()) if kind.lower() == "bearer" else None
        if found is None and facts.scope:
            if not header:
                raise unauthorized("Unauthorized - No token")
            raise unauthorized("Unauthorized - Token is expired, revoked or unknown")
        return found

    def check_rights(self, access: Access, served: Served, ids: Ids) -> None:
        """Refuse a token without the scope, of another character, or without a role."""
        facts = served.facts
        if facts.scope not in access.scopes:
            raise forbidden(f"Token is not valid for scope: {facts.scope}")
        if not served.names:
            return
        if served.names[0] == "character_id" and ids[0] != access.character_id:
            raise forbidden("Token character does not match the requested character")
        if served.names[0] == "structure_id" and not self._structures.may_dock(
            access.character_id, ids[0]
        ):
            raise forbidden("Forbidden")
        self._check_member(access, served, ids[0])

    def _check_member(self, access: Access, served: Served, company_id: int) -> None:
        """Refuse who is not in the corporation or alliance, or lacks the role."""
        corporation_id = self._people.corporation_of(access.character_id)
        if served.names[0] == "alliance_id":
            if self._people.alliance_of(corporation_id) != company_id:
                raise forbidden("Character is not in the alliance")
        elif served.names[0] == "corporation_id":
            if corporation_id != company_id:
                raise forbidden("Character is not in the corporation")
            held = set(self._people.roles_of(access.character_id))
            if served.facts.roles and not held & {*served.facts.roles, "Director"}:
                raise forbidden("Character does not have required role(s)")


def _canonical(text: str) -> str:
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        raise bad_request("the compatibility date must be written YYYY-MM-DD") from None
    if parsed.isoformat() != text:
        raise bad_request("the compatibility date must be written YYYY-MM-DD")
    return text
