"""A simulated EVE without sockets, on a clock that only the test moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
from multidict import CIMultiDict

from simulator.answers import Answer, Question
from simulator.clock import Reading, SimulatedClock
from simulator.config import SimulatorConfig
from simulator.serve import build
from simulator.server import Services
from simulator.tokens import new_key

START_S = 1_796_040_000.0  # 2026-11-30T12:00:00Z
DATE = "2026-06-09"
FIRST = 90_000_001
CORPORATION = 98_000_001
KEY = new_key()


@dataclass
class Hand:
    """The machine's clock, turned by hand."""

    at_s: float = 5_000.0

    def __call__(self) -> float:
        return self.at_s


@dataclass
class Bench:
    """One simulated EVE and short ways to ask it things."""

    services: Services
    hand: Hand
    tokens: dict[int, str] = field(default_factory=dict)

    def pass_time(self, seconds: float) -> None:
        """Let real time pass."""
        self.hand.at_s += seconds

    def token(self, character_id: int) -> str:
        """Return an access token of a character that is good now."""
        held = self.tokens.get(character_id)
        if held is None or self.services.sso.office.access_of(held) is None:
            made = self.services.control.tokens(character_id, access=True)
            held = self.tokens[character_id] = str(made["access_token"])
        return held

    def esi(
        self,
        path: str,
        *,
        method: str = "GET",
        character_id: int | None = None,
        token: str | None = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: object = None,
        source: str = "127.0.0.1",
    ) -> Answer:
        """Ask ESI; a header of None is left out."""
        if character_id is not None:
            token = self.token(character_id)
        sent: dict[str, str | None] = {"User-Agent": "tests", "X-Compatibility-Date": DATE}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        sent |= headers or {}
        question = Question(
            method,
            path,
            query or {},
            CIMultiDict({name: value for name, value in sent.items() if value is not None}),
            b"" if body is None else msgspec.json.encode(body),
            source,
        )
        return self.services.esi.answer(question)

    def control(self, path: str, /, *, method: str = "POST", **body: object) -> object:
        """Give the control route an order."""
        question = Question(method, path, {}, {}, msgspec.json.encode(body), "127.0.0.1")
        answer = self.services.control.answer(question)
        assert answer.status == 200, answer.body
        return msgspec.json.decode(answer.body)


def make_bench(*, monotonic: Reading | None = None, **settings: object) -> Bench:
    """Build a simulated EVE whose clock is turned by hand, or by a reading of the test's own."""
    hand = Hand()
    config = msgspec.convert({"characters": 6, "page_size": 20, **settings}, SimulatorConfig)
    clock = SimulatedClock(
        start_s=START_S,
        speed=config.speed,
        wall=lambda: START_S + hand(),
        monotonic=monotonic or hand,
    )
    services = build(config, clock, KEY)
    services.sso.base_url = services.sso.office.issuer = "http://sso.test/sso"
    return Bench(services, hand)
