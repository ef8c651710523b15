"""Sets that are read place by place: each is committed by itself, and none holds up the others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from sqlalchemy import Connection, delete, select

from jobs.errors import BadAnswer, Gone, Transient
from jobs.spec import Context, Fetched, Params, PartResult, Route, Target, Wire
from jobs.store import route_states

# Reads one place; None if it is not there, or nobody may look into it.
Ask = Callable[[Params], Awaitable[Fetched | None]]
# What else is to be written with the rows of a place.
Also = Callable[[Connection, Params], None]
# Rows of a place that are removed in one transaction.
REMOVED_AT_ONCE = 20_000


async def read_places(
    context: Context,
    route: Route,
    target: Target,
    places: Sequence[Params],
    ask: Ask,
    also: Also = lambda _connection, _params: None,
) -> PartResult:
    """Replace the rows of each place, and remove those of places that are watched no more."""
    rows = await _forget_others(context, route, target, places)
    fresh = []
    done = missing = 0
    trouble: Transient | None = None
    for params in places:
        if context.budget_s <= 0:
            break
        done += 1
        try:
            fetched = await ask(params)
        except Transient as error:
            # The next place may be served all the same.
            trouble = trouble or error
            continue
        if fetched is None:
            missing += 1
            continue
        fresh += [fetched.fresh_until] if fetched.fresh_until else []
        if fetched.changed:
            rows += await _replace(context, target, fetched, params, also)
    if trouble is not None:
        raise trouble
    return PartResult(
        rows=rows,
        empty=not places,
        fresh_until=min(fresh, default=None),
        left=len(places) - done,
        note=f"{missing} of {done} were not there" if missing else "",
    )


def asking_for(context: Context, route: Route, wire: type[Wire]) -> Ask:
    """Return what asks a public route for a place."""

    async def ask(params: Params) -> Fetched | None:
        try:
            return await context.fetch(route, params, list[wire])  # type: ignore[valid-type]
        except (Gone, BadAnswer):
            return None

    return ask


async def _replace(
    context: Context, target: Target, found: Fetched, params: Params, also: Also
) -> int:
    async with context.staged(target, found.value, params) as ready:

        def store(connection: Connection) -> int:
            also(connection, params)
            return context.apply(connection, target, ready, params, answer=found)

        return await context.write(store)


async def _forget_others(
    context: Context, route: Route, target: Target, places: Sequence[Params]
) -> int:
    """Remove the rows of places that are watched no more; return how many there were."""
    column = target.table.c[target.key[0]]
    watched = {params[column.name] for params in places}

    def others(connection: Connection) -> list[int]:
        return sorted(set(connection.scalars(select(column).distinct())) - watched)

    removed = 0
    for place in await context.read(others):
        remove = partial(_remove_some, route, target, place)
        done = REMOVED_AT_ONCE
        while done >= REMOVED_AT_ONCE:
            done = await context.write(remove)
            removed += done
    return removed


def _remove_some(route: Route, target: Target, place: int, connection: Connection) -> int:
    """Remove rows of a place, and what is known of its request; return how many rows."""
    column, each = (target.table.c[name] for name in target.key)
    route_states.forget(connection, route.name, {column.name: place})
    here = column == place
    # Nobody else waits for the hundred thousands of a large region.
    end = connection.scalar(
        select(each).where(here).order_by(each).offset(REMOVED_AT_ONCE - 1).limit(1)
    )
    return connection.execute(
        delete(target.table).where(here, *([] if end is None else [each <= end])),
        execution_options={"preserve_rowcount": True},
    ).rowcount
