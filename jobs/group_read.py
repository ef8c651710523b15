"""Reads of one process that come at the same time: one hop to the database's thread, one query."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection

from jobs.store.database import Database

I = TypeVar("I")  # noqa: E741 - the type of an item
T = TypeVar("T")
# Returns an answer for each item, in order.
Query = Callable[[Connection, Sequence[I]], Sequence[T]]


@dataclass(slots=True, eq=False)
class _Question:
    query: Query[Any, Any]
    item: Any
    answered: asyncio.Future[Any]


class GroupRead:
    """What is asked while one read is under way, or within one turn of the loop, is read together.

    An error of a query is that of all who asked it together.
    """

    def __init__(self, database: Database) -> None:
        """Take where to read."""
        self._database = database
        self._waiting: list[_Question] = []
        self._task: asyncio.Task[None] | None = None

    async def read(self, query: Query[I, T], item: I) -> T:
        """Return what a query answers to an item; it is asked of all items that wait at once."""
        question = _Question(query, item, asyncio.get_running_loop().create_future())
        self._waiting.append(question)
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="group-read")
        return cast("T", await question.answered)

    async def _run(self) -> None:
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, []
                for query in dict.fromkeys(question.query for question in waiting):
                    await self._ask([one for one in waiting if one.query is query])
        finally:
            self._task = None

    async def _ask(self, questions: list[_Question]) -> None:
        items = [question.item for question in questions]
        query = questions[0].query
        try:
            answers = await self._database.read(lambda connection: query(connection, items))
        except Exception as error:  # noqa: BLE001 - it is raised where each of them is awaited
            for question in questions:
                if not question.answered.done():
                    question.answered.set_exception(error)
            return
        for question, answer in zip(questions, answers, strict=True):
            # Who was cancelled waits no more.
            if not question.answered.done():
                question.answered.set_result(answer)
