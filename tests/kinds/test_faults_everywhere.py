"""Every kind of fault on every route: no row is lost, nothing is marked for good, no job breaks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from cli.demo.tables import OWN, TABLES
from ipc import outcome as reactions
from ipc.subject import GLOBAL, SubjectType
from jobs.spec import Kind
from jobs.store.schema import metadata
from jobs.store.schema.core import credential
from jobs.summary import Ending
from simulator.faults import FaultRule
from tests.kinds.test_through_simulator import CATALOG, World, world_of

pytestmark = pytest.mark.timeout(600)

HTML = "<html><head><title>502 Bad Gateway</title></head></html>"
LONG_S = 90_000.0
MOST_PASSES = 10
# Fault -> rule. None of these says anything about what is there.
NO_WORD: dict[str, dict[str, Any]] = {
    "a gateway's page": {"status": 502, "body": HTML, "headers": {"Content-Type": "text/html"}},
    "an empty answer": {"status": 200, "body": ""},
    "half an answer": {"status": 200, "body": '[{"name": "x'},
    "null": {"status": 200, "body": "null"},
    "an error with status 200": {"status": 200, "body": '{"error": "not really"}'},
    "rows of no form": {"status": 200, "body": '[{"x": 1}, 7, null]'},
    "no rights, says SSO": {"status": 403, "body": '{"error":"x","sso_status":401}'},
    "a server's fault": {"status": 500, "body": '{"error":"Unhandled internal error"}'},
    "a status nobody knows": {"status": 418, "body": "{}"},
    "a cut": {"cut": "mid_body"},
}
# What the mirror notes for itself, such as when it looked; the demo passes over the same.
NOTES = {one.table: one.own for one in TABLES}
# Worked out from rows of other tables.
DERIVED = frozenset(
    {"net_worth", "killmail_value", "character_wallet_gap", "corporation_wallet_gap"}
)
TIMES = frozenset({"checked_at"})


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Return a world of one character that is logged in."""
    async with world_of(tmp_path, characters=1, rate_limits=False, error_limit=False) as found:
        yield found


def mirrored(kind: Kind) -> list[str]:
    """Return the tables of a kind that hold nothing but what ESI says."""
    return [target.table.name for part in kind.parts for target in part.targets]


def contents(names: list[str], connection: Connection) -> dict[str, set[tuple[Any, ...]]]:
    found: dict[str, set[tuple[Any, ...]]] = {}
    for name in names:
        notes = NOTES.get(name, TIMES)
        columns = [c for c in metadata.tables[name].c if c.name not in notes]
        found[name] = {tuple(row) for row in connection.execute(select(*columns))}
    return found


async def settled(world: World) -> dict[str, Ending]:
    """Run everything until nothing is left to fetch."""
    ends = await world.pass_once()
    for _ in range(MOST_PASSES):
        if not any(end.outcome.to_fetch for end in ends.values()):
            return ends
        ends = await world.pass_once()
    raise AssertionError([name for name, end in ends.items() if end.outcome.to_fetch])


async def later(world: World) -> None:
    """Let everything expire, but not the tokens, which a scheduler would have refreshed."""
    world.eve.services.clock.advance(LONG_S)
    world.clock.advance(LONG_S)
    await world.log_in()
    # The simulated SSO signs by the machine's clock.
    lasting = update(credential).values(expires_at=world.clock.now() + timedelta(days=1))
    await world.tools.write(lambda connection: connection.execute(lasting).rowcount)


async def test_what_says_nothing_changes_nothing(world: World) -> None:
    check_well(await settled(world))
    names = sorted({name for kind in CATALOG.values() for name in mirrored(kind)})
    names = [name for name in names if name not in DERIVED | OWN]
    before = await world.tools.read(partial(contents, names))
    book = world.eve.services.faults
    found: dict[str, Any] = {}
    for fault, rule in NO_WORD.items():
        book.add(FaultRule(**rule))
        book.add(FaultRule(service="images", **rule))
        await later(world)
        ends = await world.pass_once()
        book.remove()
        after = await world.tools.read(partial(contents, names))
        for name, end in ends.items():
            if isinstance(end.reaction, reactions.Bug):
                found[f"{fault}: {name}"] = end.outcome.reason
        for name in names:
            if gone := before[name] - after[name]:
                found[f"{fault}: {name}"] = (gone, after[name] - before[name])
        successes = [name for name, end in ends.items() if end.outcome.is_success]
        if len(successes) > len(ends) / 2:
            found[fault] = successes
    assert not found, "\n".join(f"{name}: {str(what)[:500]}" for name, what in found.items())
    await later(world)
    check_well(await world.pass_once())


def check_well(ends: dict[str, Ending]) -> None:
    ill = {name: end.outcome for name, end in ends.items() if not end.outcome.is_success}
    assert not ill


def test_the_sweep_reaches_every_kind() -> None:
    subjects = {kind.subject for kind in CATALOG.values()}
    assert subjects >= {SubjectType.CHARACTER, SubjectType.CORPORATION, GLOBAL.type}
    assert len({name for kind in CATALOG.values() for name in mirrored(kind)}) > 100
