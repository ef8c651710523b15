"""The one path of every job: token, fan-out, fetch, rows, one transaction, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from ipc.messages import RunJob
from ipc.subject import GLOBAL, JobKey, SubjectType
from jobs.context import JobContext
from jobs.errors import BadAnswer, Gone, JobError, MissingRole, MissingScope, NoneReadable
from jobs.esi.transport import NotSent
from jobs.leftovers import LeftOver, details_go_with_rows, left_over, remove
from jobs.purse import Purse
from jobs.reasons import verdict_of
from jobs.running_job import RunningJob
from jobs.spec import Fetched, Kind, Params, Part, PartResult, Route, Row, Target, Watched
from jobs.store import tally, ways
from jobs.store.errors import StoreError
from jobs.summary import Ending, PartEnd, sum_up
from jobs.together import all_of
from jobs.tokens import JobTokens
from jobs.tools import Tools

# A credential that ESI refused for a subject is not tried again before.
REFUSED_FOR = timedelta(hours=1)
# Finds out where a character is that ESI says has left.
WHEREABOUTS = JobKey("global.affiliation", GLOBAL)


async def run_kind(tools: Tools, kind: Kind, order: RunJob, purse: Purse | None = None) -> Ending:
    """Run the granted parts of a kind in their order, and return how the job ended.

    purse: pays for its requests; None: nobody counts.

    A part that fails does not keep the others from running, unless they would meet the same.
    """
    granted = _readers(order)
    tokens = JobTokens(tools)
    if any(granted.values()):
        await tokens.load(reader for readers in granted.values() for reader in readers)
    job = RunningJob(tools, order, tokens, tools.clock.monotonic_s(), purse)
    ends: list[PartEnd] = []
    for part in kind.parts:
        if part.name not in granted:
            continue
        if part.run is not None:
            # It may take long, and be cut off: what was learned before is stored.
            ends += await _store_states(job)
        end, goes_on = await _run_part(job, kind, part, granted[part.name])
        ends.append(end)
        if not goes_on:
            break
    ends += await _store_states(job)
    ending = sum_up(ends, order.blocked, grants_changed=job.grants_changed)
    return replace(ending, due=(WHEREABOUTS, *ending.due)) if job.has_left else ending


async def _store_states(job: RunningJob) -> list[PartEnd]:
    """Store what parts that changed no rows have learned; return an end only if that fails.

    One transaction for all of them: most runs find that nothing has changed, part for part.
    """
    if job.unstored is None:
        return []
    part, states = job.unstored
    job.unstored = None
    context = JobContext(job, part, ())
    context.hold_states(states)
    try:
        await context.write(lambda _connection: None)
    except (JobError, StoreError) as error:
        return [PartEnd(part.name, optional=False, verdict=verdict_of(error))]
    return []


def _readers(order: RunJob) -> dict[str, tuple[int, ...]]:
    """Return the granted parts, and the credentials of each: none, one, or several."""
    found: dict[str, tuple[int, ...]] = {}
    for grant in order.grants:
        readers = (grant.credential_id,) if grant.credential_id else ()
        found[grant.part] = found.get(grant.part, ()) + readers
    return found


async def _run_part(
    job: RunningJob, kind: Kind, part: Part, readers: tuple[int, ...]
) -> tuple[PartEnd, bool]:
    """Return how a part ended, and whether the next one should run."""
    context = JobContext(job, part, readers)
    credential_id = next(iter(readers), 0)
    try:
        _check_roles(job, part, credential_id)
        if part.run is not None:
            result = await part.run(context)
        else:
            result = await _run_declared(context, kind, part)
        context.leave_states()
    except (MissingScope, MissingRole) as error:
        job.grants_changed = True
        if isinstance(error, MissingRole):
            job.has_left = job.has_left or error.left
            job.lacking.append((credential_id, None if error.left else part.any_role))
            await _note_refusal(job, part, credential_id, left=error.left)
        return PartEnd(part.name, part.optional, verdict=verdict_of(error)), True
    except (JobError, StoreError) as error:
        verdict = verdict_of(error)
        # What is optional may be on a server of its own, as pictures are.
        unreachable = isinstance(error, NotSent) and not part.optional
        goes_on = not verdict.ends_job and not unreachable
        return PartEnd(part.name, part.optional, verdict=verdict), goes_on
    if result.rows or context.rows_changed:
        job.changed.add(part.name)
    if context.rows_skipped or context.words_unknown or context.notes:
        notes = [text for text in (result.note, *context.notes) if text]
        result = replace(
            result,
            skipped=context.rows_skipped,
            unknown=context.words_unknown,
            note="; ".join(notes),
        )
    return PartEnd(part.name, part.optional, result=result), True


def _check_roles(job: RunningJob, part: Part, credential_id: int) -> None:
    """Raise MissingRole without a request where ESI has refused more than this part needs."""
    for other, roles in job.lacking:
        if other != credential_id:
            continue
        if roles is None:
            raise MissingRole("no member any more", credential_id, left=True)
        if part.any_role and part.any_role <= roles:
            wanted = " or ".join(sorted(part.any_role))
            raise MissingRole(wanted, credential_id)


async def _note_refusal(job: RunningJob, part: Part, credential_id: int, *, left: bool) -> None:
    """Remember what this credential does not open of the subject, so that another is tried."""
    subject = job.order.key.subject
    if not credential_id or subject.type not in (SubjectType.CORPORATION, SubjectType.ALLIANCE):
        return
    now = job.tools.clock.now()
    until, roles = now + REFUSED_FOR, frozenset() if left else part.any_role
    await job.tools.write(lambda conn: ways.refuse(conn, subject, credential_id, until, now, roles))


async def _run_declared(context: JobContext, kind: Kind, part: Part) -> PartResult:
    """Run a part that is all declaration: fetch each request of its fan-out, write all at once."""
    route = part.route
    if route is None:
        raise TypeError(f"part {part.name} has neither a route nor a run")
    wire: Any = list[part.wire] if part.many else part.wire  # type: ignore[name-defined]
    requests = await _fan_out(context, part)
    answers = await all_of(requests, lambda params: _fetch(context, route, params, wire))
    unreadable = [answer for answer in answers if isinstance(answer, BadAnswer)]
    if unreadable and len(unreadable) == len(answers):
        raise unreadable[0]
    changed = [
        (params, answer)
        for params, answer in zip(requests, answers, strict=True)
        if isinstance(answer, Fetched) and answer.changed
    ]

    gone = sum(answer is None for answer in answers)
    is_constant = isinstance(part.fan_out, Sequence)
    if gone and gone == len(answers) and is_constant:
        raise Gone(f"none of the {gone} that there always are was there")
    stale: list[LeftOver] = []
    if not is_constant:
        stale = await context.read(
            partial(left_over, part=part, asked=requests, subject=context.subject)
        )
    rows = await _store(context, kind, part, changed, stale) if changed or stale else 0
    fresh = [each.fresh_until for each in answers if isinstance(each, Fetched)]
    return PartResult(
        rows=rows,
        empty=not answers
        or (bool(changed) and not any(_holds(answer.value) for _, answer in changed)),
        fresh_until=min((each for each in fresh if each), default=None),
        note=f"{gone} of {len(answers)} were not there" if gone else "",
    )


async def _store(
    context: JobContext,
    kind: Kind,
    part: Part,
    changed: Sequence[tuple[Params, Fetched]],
    stale: Sequence[LeftOver],
) -> int:
    """Write all rows of a part in one transaction; a large set lies ready before it begins."""
    async with AsyncExitStack() as stack:
        loads = [
            (
                target,
                params,
                await stack.enter_async_context(context.staged(target, rows, params)),
                answer,
            )
            for params, answer in changed
            for target in part.targets
            for rows in [_rows(target, answer.value, params)]
        ]

        def store(connection: Connection) -> int:
            removed = sum(remove(connection, one) for one in stale)
            with details_go_with_rows(connection, kind, part, context.subject):
                changed = sum(
                    context.apply(connection, target, rows, params, answer=answer)
                    for target, params, rows, answer in loads
                )
            count = tally.of(connection)
            if count.why is not None and not count.kept:
                raise count.why
            context.hold_writes(connection)
            return removed + changed

        return await context.write(store)


async def _fan_out(context: JobContext, part: Part) -> Sequence[Params]:
    fan_out = part.fan_out
    if isinstance(fan_out, Watched):
        return fan_out.requests(context.watch)
    if not callable(fan_out):
        return fan_out
    return await context.read(lambda connection: fan_out(connection, context.subject))


async def _fetch(
    context: JobContext, route: Route, params: Params, wire: Any
) -> Fetched | BadAnswer | None:
    """Return an answer of a fan-out; None for one thing among several that is not there.

    One that cannot be read is returned as its error: it must not cost the others.
    """
    try:
        return await context.fetch(route, params, wire)
    except BadAnswer as error:
        if not params:
            raise
        context.skip(error.rows if isinstance(error, NoneReadable) else 1)
        return error
    except Gone:
        if not params:
            # Not one of several, but all that the part asks for.
            raise
        return None


def _rows(target: Target, value: Any, params: Params) -> Sequence[Row | msgspec.Struct]:
    """Return the rows that an answer becomes in one table."""
    if target.rows is not None:
        return list(target.rows(value, params))
    return value if isinstance(value, list) else [value]


def _holds(value: Any) -> bool:
    """Tell whether an answer holds anything; a number or an object always does."""
    return not isinstance(value, list) or bool(value)
