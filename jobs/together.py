"""Running several requests of one job at once, with one error coming out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, TypeVar

from jobs.errors import JobError, PauseAll

I = TypeVar("I")  # noqa: E741 - the type of an item
T = TypeVar("T")

# A job never asks more at once; its requests would crowd out those of other jobs.
AT_ONCE: Final = 4
_END: Final = object()


async def all_of(items: Sequence[I], work: Callable[[I], Awaitable[T]]) -> list[T]:
    """Return work's results in the order of the items; the first error ends the others.

    How many requests go out at once is bounded where they are made.
    """
    if len(items) == 1:
        return [await work(items[0])]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_coroutine(work, item)) for item in items]
    except BaseExceptionGroup as several:
        raise _decisive(several.exceptions) from None
    return [task.result() for task in tasks]


async def as_far_as(
    items: Iterable[I], work: Callable[[I], Awaitable[None]], may_begin: Callable[[int], bool]
) -> JobError | None:
    """Work on items in their order, a few at once; return the trouble that ended it, if any did.

    may_begin is asked before each, with how many are under way; once it says no, what is under
    way ends, and no other begins unless it says yes by then. A JobError begins no other either, and
    what is under way is let end as well: it is paid for.
    """
    waiting = iter(items)
    under_way = 0
    troubles: list[JobError] = []

    async def walk(_number: int) -> None:
        nonlocal under_way
        while not troubles and may_begin(under_way):
            item = next(waiting, _END)
            if item is _END:
                return
            under_way += 1
            try:
                await work(item)  # type: ignore[arg-type]
            except JobError as error:
                troubles.append(error)
            finally:
                under_way -= 1

    await all_of(range(AT_ONCE), walk)
    trouble = _decisive(troubles) if troubles else None
    assert trouble is None or isinstance(trouble, JobError)  # noqa: S101 - narrows the type
    return trouble


async def _coroutine(work: Callable[[I], Awaitable[T]], item: I) -> T:
    return await work(item)


def _decisive(errors: Sequence[BaseException]) -> BaseException:
    """Return the error that concerns most: a pause for all, else the first."""
    for error in errors:
        if isinstance(error, PauseAll):
            return error
    return errors[0]
