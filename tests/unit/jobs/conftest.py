"""Fixtures of the tests of jobs: a worker's tools around a database of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from ipc.messages import Acquire, Grant, Message
from ipc.settings import Settings, Store
from jobs.leases import Leases
from jobs.logbook import Logbook
from jobs.store import credentials, fence, subjects, ways
from jobs.store.database import Database
from jobs.store.upgrade import prepare
from jobs.tools import Tools
from tests.clocks import ManualClock
from tests.unit.jobs.job_house import (
    CORPORATION,
    START,
    TOKEN_LIFE,
    House,
    ScriptedEsi,
    test_tables,
)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared database to copy."""
    path = tmp_path_factory.mktemp("template") / "mirror.db"
    prepare(f"sqlite:///{path}")
    return path


@pytest.fixture
async def house(template: Path, tmp_path: Path) -> AsyncIterator[House]:
    """A worker's tools around a database with character 9, its credential and corporation 98."""
    (tmp_path / "mirror.db").write_bytes(template.read_bytes())
    settings = Settings(
        data_dir=str(tmp_path), store=Store(url=f"sqlite:///{tmp_path / 'mirror.db'}")
    )
    clock = ManualClock(START)
    database = Database(settings.database_url)
    esi = ScriptedEsi(clock)

    def send(message: Message) -> None:
        if isinstance(message, Acquire):
            leases.on_answer(Grant(message.lease_id, message.amount))

    leases = Leases(send)

    def fill(connection: Connection) -> tuple[int, int]:
        test_tables.create_all(connection)
        subjects.enroll(connection, CORPORATION, START)
        credential_id = credentials.save_login(
            connection,
            9,
            "client",
            ["esi-a.read.v1"],
            "A0",
            "R0",
            START + TOKEN_LIFE,
            START,
        )
        ways.link(connection, CORPORATION, credential_id, START)
        return credential_id, fence.take_ownership(connection, "test", 1, START)

    credential_id, epoch = await database.write(fill, epoch=None)
    tools = Tools.of(settings, epoch, clock, database, leases, Logbook.unkept())
    found = House(replace(tools, esi=esi), clock, esi)  # type: ignore[arg-type]
    found.credential_id = credential_id
    yield found
    await tools.transport.close()
    await database.close()
