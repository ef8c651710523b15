"""The whole daemon against a simulated EVE: one EVE a module, one daemon a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from simulator.process import SimulatedEve
from tests.daemon.house import House, open_house


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the present schema and nothing in it, to be copied."""
    from jobs.store import upgrade

    path = tmp_path_factory.mktemp("database") / "empty.db"
    upgrade.prepare(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="module")
def eve_of_module() -> Iterator[SimulatedEve]:
    """A simulated EVE with two characters, whose answers hardly age."""
    arguments = ("--characters", "2", "--cache-scale", "0.01")
    with SimulatedEve(*arguments, "--no-rate-limits", "--no-error-limit") as eve:
        yield eve


@pytest.fixture
def eve(eve_of_module: SimulatedEve) -> SimulatedEve:
    """The module's EVE, without what an earlier test did to it."""
    eve_of_module.reset()
    for one in eve_of_module.tokens():
        if not one["alive"]:
            eve_of_module.order("/grant", character_id=one["character_id"])
    return eve_of_module


@pytest.fixture(scope="module")
def standing(eve_of_module: SimulatedEve, template: Path) -> Iterator[House]:
    """A daemon that has mirrored two characters, for all tests of a module that share it."""
    with open_house(eve_of_module, template) as house:
        house.run()
        house.mirrored()
        yield house


@pytest.fixture
def running(standing: House, eve: SimulatedEve) -> House:
    """The module's daemon, in front of an EVE that behaves."""
    assert standing.eve is eve
    standing.ready()
    return standing


@pytest.fixture
def make_house(eve: SimulatedEve, template: Path) -> Iterator[Callable[..., House]]:
    """Make houses with settings of one's own."""
    with ExitStack() as stack:
        yield lambda **changes: stack.enter_context(
            open_house(eve, changes.pop("template", template), **changes)
        )


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    """A daemon with two characters' credentials in its database, not started yet."""
    made: Any = make_house()
    assert isinstance(made, House)
    return made
