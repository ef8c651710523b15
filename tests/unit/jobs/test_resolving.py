"""What has a name: asked of ESI, stored, and told."""

from __future__ import annotations

import pytest

from ipc.messages import Resolved, ResolveDone, RunResolve
from jobs.errors import Transient
from jobs.resolving import run_resolve
from jobs.store.schema.universe import name
from tests.unit.jobs.job_house import START, House


async def resolve(house: House) -> ResolveDone:
    return await run_resolve(house.tools, RunResolve(7, house.tools.epoch, ("Jita", "x"), 30.0))


async def test_what_is_found_is_told_and_stored(house: House) -> None:
    found = {
        "systems": [{"id": 30_000_142, "name": "Jita"}],
        "inventory_types": [{"id": 587, "name": "Rifter"}],
        "something_new": [{"id": 1}],
    }
    house.esi.say(house.esi.good(found))

    done = await resolve(house)

    assert done.trouble == ""
    assert set(done.found) == {
        Resolved("Jita", 30_000_142, "system"),
        Resolved("Rifter", 587, "type"),
    }
    assert await house.rows(name) == [
        (587, "type", "Rifter", START),
        (30_000_142, "system", "Jita", START),
    ]
    assert house.esi.asked[0][0] == "POST /universe/ids"


async def test_nothing_found_is_an_answer(house: House) -> None:
    house.esi.say(house.esi.good({}))

    assert await resolve(house) == ResolveDone(7, house.tools.epoch)


@pytest.mark.parametrize(
    ("answer", "words"),
    [(Transient("502"), "502"), (b"<html>", "no JSON"), (b'{"systems":[{}]}', "another form")],
)
async def test_trouble_is_told(house: House, answer: object, words: str) -> None:
    house.esi.say(house.esi.good(answer) if isinstance(answer, bytes) else answer)

    done = await resolve(house)

    assert words in done.trouble
    assert await house.rows(name) == []
