"""Names that a person typed: asked of a worker, and answered when it has answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from engine.pool import NoWorker
from ipc.commands import Drain, Resolve
from ipc.messages import Resolved, ResolveDone, RunResolve
from ipc.scheduler_messages import Do, DoneCommand
from tests.unit.engine.engine_rig import Rig, know, log_in, open_rig


@pytest.fixture
async def rig(tmp_path: Path, empty_database: Path) -> AsyncIterator[Rig]:
    """An engine with one character."""
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as made:
        yield made


async def ask(rig: Rig, *names: str) -> RunResolve:
    """Give the command, and return what a worker is asked."""
    await rig.engine.commands.apply(Do("ask", Resolve(names)))
    await rig.settle()
    (work,) = [one for one in rig.pool.work.values() if isinstance(one, RunResolve)]
    return work


def answers(rig: Rig) -> list[DoneCommand]:
    return [one for one in rig.messages if isinstance(one, DoneCommand)]


async def answered(rig: Rig, work: RunResolve, *found: Resolved, trouble: str = "") -> None:
    del rig.pool.work[work.job_id]
    done = ResolveDone(work.job_id, work.epoch, found, trouble)
    rig.pool.listener.on_messages(0, [done])
    await rig.settle()


async def test_the_answer_comes_with_the_workers(rig: Rig) -> None:
    work = await ask(rig, "Jita", "Perimeter")
    assert work.names == ("Jita", "Perimeter")
    assert answers(rig) == []
    # No other command waits for it.
    assert (await rig.do(Drain())).ok
    await answered(rig, work, Resolved("Jita", 5, "system"), Resolved("Jita", 6, "character"))
    told = answers(rig)[-1]
    assert (told.command_id, told.ok) == ("ask", True)
    assert msgspec.json.decode(told.text) == {"Jita": [[5, "system"], [6, "character"]]}


async def test_trouble_is_told(rig: Rig) -> None:
    work = await ask(rig, "Jita")
    await answered(rig, work, trouble="502")
    assert answers(rig) == [DoneCommand("ask", ok=False, text="502")]


async def test_a_worker_that_dies_leaves_nobody_waiting(rig: Rig) -> None:
    work = await ask(rig, "Jita")
    await rig.die(work)
    (told,) = answers(rig)
    assert not told.ok
    assert "try again" in told.text
    # A late answer is nobody's.
    rig.pool.listener.on_messages(0, [ResolveDone(work.job_id, work.epoch)])
    await rig.settle()
    assert len(answers(rig)) == 1


async def test_without_a_worker_it_is_refused(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise NoWorker

    monkeypatch.setattr(rig.pool, "submit", refuse)
    await rig.engine.commands.apply(Do("ask", Resolve(("Jita",))))
    assert [one.ok for one in answers(rig)] == [False]
