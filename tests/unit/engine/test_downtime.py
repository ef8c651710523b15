"""The gate of a downtime: what shuts it, what opens it, and that nothing keeps it shut."""

from __future__ import annotations

import pytest

from engine.downtime import (
    DOUBT_S,
    FIRST_PROBE_S,
    LONGEST_PROBE_S,
    LONGEST_SHUT_S,
    RUN_S,
    STATUS_ROUTE,
    Downtime,
)


def shut(at_s: float = 0.0) -> Downtime:
    """Return a gate that is shut."""
    gate = Downtime()
    gate.hear(["a", "b"], answered=False, now_s=at_s)
    assert gate.hear(["c"], answered=False, now_s=at_s)
    return gate


def test_a_run_of_three_routes_shuts_it_once() -> None:
    gate = shut()
    assert gate.is_shut(0.0)
    assert gate.shut_for_s(5.0) == 5.0
    assert not gate.hear(["d"], answered=False, now_s=1.0)


def test_the_same_route_again_and_again_is_its_own_trouble() -> None:
    gate = Downtime()
    for second in range(100):
        assert not gate.hear(["a", "b"], answered=False, now_s=second)


def test_the_status_route_weighs_more() -> None:
    gate = Downtime()
    gate.hear(["a"], answered=False, now_s=0.0)
    assert gate.hear([STATUS_ROUTE], answered=False, now_s=1.0)


@pytest.mark.parametrize("troubled", [[], ["x"]])
def test_a_proper_answer_ends_the_run(troubled: list[str]) -> None:
    gate = Downtime()
    gate.hear(["a", "b"], answered=False, now_s=0.0)
    gate.hear(troubled, answered=True, now_s=1.0)
    assert not gate.hear(["c"], answered=False, now_s=2.0)


def test_a_job_that_asked_nothing_ends_no_run() -> None:
    gate = Downtime()
    gate.hear(["a", "b"], answered=False, now_s=0.0)
    gate.hear([], answered=False, now_s=1.0)
    assert gate.hear(["c"], answered=False, now_s=2.0)


def test_trouble_far_apart_is_no_run() -> None:
    gate = Downtime()
    gate.hear(["a", "b"], answered=False, now_s=0.0)
    assert not gate.hear(["c"], answered=False, now_s=RUN_S)


def test_a_good_probe_opens_it_and_leaves_doubt() -> None:
    gate = shut()
    assert not gate.begin_probe(FIRST_PROBE_S - 0.1)
    assert gate.begin_probe(FIRST_PROBE_S)
    assert not gate.begin_probe(FIRST_PROBE_S + 1)
    assert gate.probed(well=True, now_s=12.0)
    assert not gate.is_shut(12.0)
    assert gate.doubt_until_s == 12.0 + DOUBT_S


def test_bad_probes_come_further_apart() -> None:
    gate, now_s, gaps = shut(), 0.0, []
    for _ in range(6):
        gaps.append(gate.next_probe_s - now_s)
        now_s = gate.next_probe_s
        assert gate.begin_probe(now_s)
        assert not gate.probed(well=False, now_s=now_s)
    assert gaps == [10, 20, 40, 60, 60, 60]


def test_a_probe_that_never_ends_is_followed_by_another() -> None:
    gate = shut()
    assert gate.begin_probe(FIRST_PROBE_S)
    assert gate.begin_probe(FIRST_PROBE_S + 2 * LONGEST_PROBE_S)


def test_it_opens_by_itself_and_shuts_again() -> None:
    gate = shut()
    assert gate.is_shut(LONGEST_SHUT_S - 1)
    assert not gate.is_shut(LONGEST_SHUT_S)
    assert gate.shut_for_s(LONGEST_SHUT_S) is None
    gate.hear(["a", "b"], answered=False, now_s=LONGEST_SHUT_S)
    assert gate.hear(["c"], answered=False, now_s=LONGEST_SHUT_S)
    assert gate.doubt_until_s > 2 * LONGEST_SHUT_S
