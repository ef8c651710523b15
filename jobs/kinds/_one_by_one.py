"""Details that have a route for each thing: fetched thing by thing, within what one run may spend.

What was fetched is stored as it goes, so that trouble in the middle costs nothing that was paid
for; what is wanted follows from the rows, so that nothing is forgotten after a failure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import Connection

from jobs.errors import BadAnswer, Gone, JobError, PauseBucket
from jobs.spec import Context, Fetched, Params, PartResult, Route
from jobs.together import as_far_as

# Things asked for in one run: rate groups leave most of theirs to the other kinds that share them.
MAX_ASKED = 60
# Refusals end a run sooner: they cost more.
MAX_REFUSALS = 10
# Things in one transaction.
GROUP = 10

Found = tuple[Params, Any]
Ask = Callable[[Params], Awaitable[Any]]
AskSet = Callable[[Params], Awaitable[Fetched]]
# Writes what was found, and remembers what ESI says is not there.
Store = Callable[[Connection, Sequence[Found], Sequence[Params]], int]


async def fetch_one_by_one(
    context: Context,
    ask: Ask,
    wanted: Sequence[Params],
    store: Store,
    limit: int = MAX_ASKED,
    refusals: int = MAX_REFUSALS,
) -> PartResult:
    """Ask for the details of what is wanted, in its order, as many as one run may."""
    group = _Group(context, store)
    asked = refused = 0

    async def one(params: Params) -> None:
        nonlocal asked, refused
        try:
            answer = await ask(params)
        except (Gone, BadAnswer):
            # This one is at fault, not the others.
            refused += 1
            asked += 1
            await group.add(refused=params)
        else:
            asked += 1
            await group.add(found=(params, answer))

    trouble = await as_far_as(
        wanted[:limit],
        one,
        # Those under way may all be refused.
        lambda under_way: context.budget_s > 0 and refused + under_way < refusals,
    )
    await group.store()
    if trouble is not None and not goes_on_later(trouble, asked):
        raise trouble
    note = f"{refused} of {asked} were not there" if refused else ""
    return PartResult(rows=group.rows, empty=not wanted, left=len(wanted) - asked, note=note)


def goes_on_later(error: JobError, done: int) -> bool:
    """Tell whether a run that got something done only ran out of what it may spend of a limit."""
    return done > 0 and isinstance(error, PauseBucket) and not error.refused


def asking(context: Context, route: Route, wire: Any) -> Ask:
    """Return what asks one route once: such an answer never changes, so no state is kept."""

    async def ask(params: Params) -> Any:
        return (await context.fetch(route, params, wire, keep_state=False)).value

    return ask


def asking_for_sets(context: Context, route: Route, wire: Any) -> AskSet:
    """Return what asks the same, and tells what of a set could not be read too."""

    async def ask(params: Params) -> Fetched:
        return await context.fetch(route, params, wire, keep_state=False)

    return ask


class _Group:
    """What was fetched and is not stored yet."""

    def __init__(self, context: Context, store: Store) -> None:
        self._context = context
        self._store = store
        self._found: list[Found] = []
        self._refused: list[Params] = []
        self.rows = 0

    async def add(self, *, found: Found | None = None, refused: Params | None = None) -> None:
        """Take one answer, or one refusal."""
        if found is not None:
            self._found.append(found)
        if refused is not None:
            self._refused.append(refused)
        if len(self._found) + len(self._refused) >= GROUP:
            await self.store()

    async def store(self) -> None:
        """Write what is waiting, in one transaction."""
        found, self._found = self._found, []
        refused, self._refused = self._refused, []
        if found or refused:
            self.rows += await self._context.write(
                lambda connection: self._store(connection, found, refused)
            )
