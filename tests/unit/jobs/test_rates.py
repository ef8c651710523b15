"""The table of rate limits agrees with the contract."""

from __future__ import annotations

import pytest

from jobs.rates import GROUPS, WINDOW_S, bucket_name, cost_of, is_public, limit_of
from simulator.contract import load
from simulator.limits import token_cost


def test_every_group_of_the_contract_is_in_the_table() -> None:
    for facts in load().routes:
        if facts.rate is None:
            continue
        assert GROUPS[facts.rate.group] == facts.rate.tokens, facts.key
        assert facts.rate.window_s == WINDOW_S, facts.key
        assert is_public(facts.key, facts.rate.group) == (facts.scope is None), facts.key


def test_costs_are_those_of_the_other_side() -> None:
    assert all(cost_of(status) == token_cost(status) for status in range(200, 600))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("150/15m", (150, 900)),
        ("10/30s", (10, 30)),
        ("5/1h", (5, 3600)),
        ("150", None),
        ("/15m", None),
        ("150/", None),
        ("0/15m", None),
        ("12000/24h", (12_000, 86_400)),
        ("150/25h", None),
        ("150/1000000h", None),
        ("150/999999999h", None),
        ("1000001/15m", None),
        ("a/15m", None),
        ("150/1\u0665m", None),
        ("", None),
        (None, None),
    ],
)
def test_limits_are_read_strictly(text: str | None, limit: tuple[int, int] | None) -> None:
    assert limit_of(text) == limit


def test_a_bucket_is_named_after_its_group_and_owner() -> None:
    assert bucket_name("char-detail", 9) == "char-detail:9"
    assert bucket_name("status", 0) == "status:public"
