"""The rate groups' buckets and the error limit, as plain objects on a clock of the test."""

from __future__ import annotations

import pytest

from simulator.contract import Rate
from simulator.limits import Bucket, ErrorLimit, RateLimits, token_cost
from tests.simulator._bench import CORPORATION, FIRST, Bench

RATE = Rate(group="g", tokens=10, window_s=900)


COSTS = {200: 2, 201: 2, 204: 2, 302: 1, 304: 1, 400: 5, 404: 5, 420: 5, 429: 0, 500: 0, 520: 0}


@pytest.mark.parametrize(("status", "cost"), COSTS.items())
def test_cost(status: int, cost: int) -> None:
    assert token_cost(status) == cost


def test_tokens_come_back_one_window_after_each_was_spent() -> None:
    bucket = Bucket(RATE)
    assert bucket.spend(0.0, 4).remaining == 6
    assert bucket.spend(100.0, 6).remaining == 0
    assert bucket.wait_s(100.0) == 800.0
    assert bucket.wait_s(899.9) > 0
    assert bucket.wait_s(900.0) == 0.0
    assert bucket.spend(900.0, 0).remaining == 4
    assert bucket.spend(1000.0, 0).remaining == 10


def test_overspent_bucket_waits_for_enough_to_come_back() -> None:
    bucket = Bucket(RATE)
    bucket.spend(0.0, 2)
    bucket.spend(50.0, 9)
    assert bucket.spend(50.0, 2).remaining == 0
    assert bucket.wait_s(60.0) == 890.0


def test_reading_as_headers() -> None:
    headers = Bucket(RATE).spend(0.0, 2).headers()
    assert headers == {
        "X-Ratelimit-Group": "g",
        "X-Ratelimit-Limit": "10/15m",
        "X-Ratelimit-Remaining": "8",
        "X-Ratelimit-Used": "2",
    }


@pytest.mark.parametrize(("scale", "told", "window_s"), [(1 / 60, "15s", 15.0), (2.0, "30m", 1800)])
def test_window_of_another_length_is_told(scale: float, told: str, window_s: float) -> None:
    bucket = RateLimits(scale).bucket(RATE, "a")
    assert bucket.spend(0.0, 10).headers()["X-Ratelimit-Limit"] == f"10/{told}"
    assert bucket.wait_s(1.0) == window_s - 1.0
    assert bucket.wait_s(window_s) == 0.0


def test_buckets_are_apart_by_group_and_owner() -> None:
    limits = RateLimits()
    limits.bucket(RATE, "a").spend(0.0, 10)
    assert limits.bucket(RATE, "a").wait_s(0.0) > 0
    assert limits.bucket(RATE, "b").wait_s(0.0) == 0
    assert limits.bucket(Rate(group="h", tokens=10, window_s=900), "a").wait_s(0.0) == 0


def test_error_limit_ends_with_its_window() -> None:
    limit = ErrorLimit(errors=3)
    for status in (200, 304, 404, 500, 200):
        limit.record(10.0, status)
    assert not limit.blocked(10.0)
    assert limit.headers(10.0) == {
        "X-ESI-Error-Limit-Remain": "1",
        "X-ESI-Error-Limit-Reset": "50",
    }
    limit.record(59.0, 403)
    assert limit.blocked(59.9)
    assert limit.reset_s(59.9) == 1
    assert not limit.blocked(60.0)
    assert limit.headers(60.0)["X-ESI-Error-Limit-Remain"] == "3"


def remaining(bench: Bench, path: str, **question: int | str) -> int:
    answer = bench.esi(path, **question)  # type: ignore[arg-type]
    return int(answer.headers["X-Ratelimit-Remaining"])


def test_corporation_routes_spend_their_characters_bucket(bench: Bench) -> None:
    path = f"/corporations/{CORPORATION}/wallets"
    assert remaining(bench, path, character_id=FIRST) == 298
    assert remaining(bench, path, character_id=FIRST) == 296
    other = FIRST + 2
    bench.services.esi.world.people.restore_roles(other)
    assert remaining(bench, path, character_id=other) == 295  # 403: another bucket, five tokens


def test_public_routes_spend_the_sources_bucket(bench: Bench) -> None:
    assert remaining(bench, "/status") == 598
    assert remaining(bench, "/status", source="10.0.0.9") == 598
    assert remaining(bench, "/status", character_id=FIRST) == 598  # with a token: application too
    assert remaining(bench, "/status") == 596


def test_grouped_routes_leave_the_error_limit_alone(bench: Bench) -> None:
    for _ in range(120):
        bench.esi(f"/characters/{FIRST}/skills")  # 401
    assert bench.esi("/universe/types/34").headers["X-ESI-Error-Limit-Remain"] == "100"


def test_limits_can_be_switched_off_and_cleared(bench: Bench) -> None:
    for _ in range(100):
        bench.esi("/universe/types/1")
    assert bench.esi("/status").status == 420
    bench.control("/limits", clear=True)
    assert bench.esi("/status").status == 200
    bench.control("/limits", errors=False, rate=False)
    for _ in range(101):
        assert bench.esi("/universe/types/1").status == 404
    assert "X-Ratelimit-Group" not in bench.esi("/status").headers
