"""Profiles of intervals: the catalogue's, or as soon as data can have changed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ipc.settings import Settings
from ipc.subject import SubjectType
from jobs.catalog import load
from jobs.intervals import LEAST_S, eager_s, every_s
from jobs.spec import Kind, Part, Route


def kind(*ages: int | None, every_s: float = 3600) -> Kind:
    """Return a kind whose routes have these cache ages."""
    return Kind(
        name="character.some",
        subject=SubjectType.CHARACTER,
        feature=None,
        every=timedelta(seconds=every_s),
        parts=tuple(
            Part(name=f"p{n}", route=Route("GET", f"/{n}", cache_age_s=age))
            for n, age in enumerate(ages)
        ),
    )


@pytest.mark.parametrize(
    ("ages", "seconds"),
    [
        ((300,), 300),
        ((300, 120, 3600), 120),
        ((2,), LEAST_S),
        ((None,), 3600),
        ((0,), 3600),
        ((None, 600), 600),
        # The interval of the catalogue is never made longer.
        ((86_400,), 3600),
        ((), 3600),
    ],
)
def test_eager_is_when_the_first_route_can_have_changed(
    ages: tuple[int | None, ...], seconds: float
) -> None:
    assert eager_s(kind(*ages)) == seconds


def test_a_kind_of_its_own_is_set_beside_the_profile() -> None:
    of = kind(300)
    assert every_s(of, Settings(data_dir="/")) == 3600
    assert every_s(of, Settings(data_dir="/", profile="eager")) == 300
    own = Settings(data_dir="/", profile="eager", intervals={"character.some": 900})
    assert every_s(of, own) == 900


def test_no_kind_is_slower_when_eager() -> None:
    for one in load(("jobs.kinds",)).values():
        assert LEAST_S <= eager_s(one) <= one.every.total_seconds(), one.name
