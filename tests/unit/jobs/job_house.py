"""A real SQLite database, the tools of a worker around it, and an ESI that a test scripts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, select

from ipc.messages import PartGrant, RunJob
from ipc.subject import JobKey, Subject, SubjectType
from jobs.esi.client import EsiAnswer, Token, Validators
from jobs.purse import Purse
from jobs.spec import Kind, Part, Route
from jobs.tools import Tools
from tests.clocks import ManualClock

START = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
# Longer than a real one's, so that tests can wait for data to expire.
TOKEN_LIFE = timedelta(days=2)
CHARACTER = Subject(SubjectType.CHARACTER, 9)
CORPORATION = Subject(SubjectType.CORPORATION, 98)

test_tables = MetaData()
items = Table(
    "test_item",
    test_tables,
    Column("character_id", Integer, primary_key=True),
    Column("item_id", Integer, primary_key=True),
    Column("name", Text),
)
grouped = Table(
    "test_grouped",
    test_tables,
    Column("character_id", Integer, primary_key=True),
    Column("group_id", Integer, primary_key=True),
    Column("item_id", Integer, primary_key=True),
    Column("name", Text),
)


@dataclass
class ScriptedEsi:
    """Answers what the test says, and keeps what it was asked."""

    clock: ManualClock
    compatibility_date: str = "2026-06-09"
    asked: list[tuple[str, dict[str, Any], Token | None, Validators | None]] = field(
        default_factory=list
    )
    _script: list[Callable[..., Any]] = field(default_factory=list)

    def say(self, *answers: Any) -> None:
        """Answer with these in turn: an EsiAnswer, an error, or a function of the params."""
        for each in answers:
            self._script.append(each if callable(each) else lambda _p, it=each: it)

    def good(self, rows: Any, **more: Any) -> EsiAnswer:
        """Return a good answer."""
        body = rows if isinstance(rows, bytes) else msgspec.json.encode(rows)
        fields: dict[str, Any] = {
            "unchanged": False,
            "etag": None,
            "last_modified": None,
            "pages_text": "1",
            "fresh_until": self.clock.now() + timedelta(hours=1),
        }
        return EsiAnswer(body=body, **(fields | more))

    def same(self, **more: Any) -> EsiAnswer:
        """Return an answer that nothing changed."""
        return self.good(b"", unchanged=True, **more)

    async def ask(
        self,
        route: Route,
        params: Any,
        *,
        token: Token | None = None,
        validators: Validators | None = None,
        body: object = None,
        purse: Purse | None = None,
        going: AbstractAsyncContextManager[None] | None = None,
    ) -> EsiAnswer:
        """Stand in for EsiClient.ask."""
        async with going or nullcontext():
            self.asked.append((route.name, dict(params), token, validators))
            answer = self._script.pop(0)(params)
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, EsiAnswer)
        return answer


class House:
    """The tools of a worker, the database behind them, and a way to run a kind."""

    def __init__(self, tools: Tools, clock: ManualClock, esi: ScriptedEsi) -> None:
        self.tools = tools
        self.clock = clock
        self.esi = esi
        self.credential_id = 0
        self._ids = itertools.count(1)

    def order(self, kind: Kind, subject: Subject = CHARACTER, **changes: Any) -> RunJob:
        """Return the order to run all parts of a kind."""
        fields: dict[str, Any] = {
            "job_id": next(self._ids),
            "attempt": 1,
            "epoch": self.tools.epoch,
            "key": JobKey(kind.name, subject),
            "deadline_s": 60.0,
            "grants": tuple(
                PartGrant(part.name, self.credential_id if part.scopes or part.any_role else 0)
                for part in kind.parts
            ),
        }
        return RunJob(**(fields | changes))

    async def rows(self, table: Table) -> list[tuple[Any, ...]]:
        """Return all rows of a table, in the order of its key."""
        query = select(table).order_by(*table.primary_key.columns)
        return await self.tools.read(lambda c: [tuple(row) for row in c.execute(query)])

    async def write(self, work: Callable[[Connection], Any]) -> Any:
        """Write past all turns and fences."""
        return await self.tools.database.write(work, epoch=None)


def kind_of(*parts: Part, name: str = "character.test") -> Kind:
    """Return a kind of these parts."""
    return Kind(
        name=name,
        subject=SubjectType(name.partition(".")[0]),
        feature=None,
        every=timedelta(hours=1),
        parts=parts,
    )
