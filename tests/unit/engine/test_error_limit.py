"""The error limit: jobs that may meet errors start slower before the last twenty, then not."""

from __future__ import annotations

from engine.error_limit import ErrorLimit


def test_a_healthy_window_holds_nothing_back() -> None:
    limit = ErrorLimit()
    assert limit.wait_s(0.0) == 0
    limit.hear(90, 50, 0.0)
    limit.started(0.0)
    assert limit.wait_s(0.0) == 0
    assert limit.left(0.0) is None


def test_the_fewer_are_left_the_slower_jobs_start() -> None:
    limit = ErrorLimit()
    limit.hear(50, 60, 0.0)
    assert limit.wait_s(0.0) == 0
    limit.started(0.0)
    assert limit.wait_s(0.0) == 2.0
    limit.hear(30, 58, 2.0)
    limit.started(2.0)
    assert limit.wait_s(2.0) == 5.8


def test_the_last_twenty_wait_for_the_reset() -> None:
    limit = ErrorLimit()
    assert limit.hear(20, 40, 0.0)
    assert not limit.hear(19, 39, 1.0)
    assert limit.is_spent(39.9)
    assert limit.wait_s(10.0) == 30.0
    assert limit.wait_s(40.0) == 0
    assert not limit.is_spent(40.0)


def test_answers_that_overtook_each_other_do_not_raise_it() -> None:
    limit = ErrorLimit()
    limit.hear(15, 40, 0.0)
    limit.hear(25, 40, 0.1)
    assert limit.is_spent(1.0)


def test_a_new_window_is_believed() -> None:
    limit = ErrorLimit()
    limit.hear(5, 40, 0.0)
    limit.hear(55, 60, 41.0)
    assert limit.wait_s(41.0) == 0
    assert limit.left(41.0) == 55
