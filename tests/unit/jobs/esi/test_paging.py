"""Whole sets only: of one snapshot, however ESI pages them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from jobs.errors import BadAnswer, Gone, PauseAll, Transient
from jobs.esi import paging
from jobs.esi.client import EsiAnswer, Validators
from jobs.esi.paging import Known, PageMark, read_history, read_pages, read_single
from jobs.spec import Pages

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def answer(
    rows: Any = (),
    *,
    modified: str | None = "noon",
    pages: str | None = "1",
    unchanged: bool = False,
    etag: str | None = None,
) -> EsiAnswer:
    return EsiAnswer(
        body=b"" if unchanged else msgspec.json.encode(rows),
        unchanged=unchanged,
        etag=etag,
        last_modified=modified,
        pages_text=pages,
        fresh_until=NOW + timedelta(hours=1),
    )


class Script:
    """Answers each page with what the test says, and keeps what was asked."""

    def __init__(self, say: Callable[[int, Validators | None], EsiAnswer]) -> None:
        self._say = say
        self.asked: list[tuple[int, bool]] = []

    async def __call__(self, extra: Mapping[str, int], validators: Validators | None) -> EsiAnswer:
        page = extra.get("page", 1)
        self.asked.append((page, validators is not None))
        await asyncio.sleep(0)
        return self._say(page, validators)


def marks(*modified: str) -> Known:
    return Known(tuple(PageMark(n, f"tag-{n}", each) for n, each in enumerate(modified, start=1)))


# --- numbered pages ----------------------------------------------------------------------------


async def test_pages_that_are_all_the_same_are_no_set() -> None:
    """A cache on the way that does not look at the page's number gives the first one again."""
    script = Script(lambda page, _: answer([1, 2] if page < 4 else [], pages="4"))
    with pytest.raises(Transient, match="the same"):
        await read_pages(script, Known())
    assert sorted(script.asked) == [(page, False) for page in (1, 2, 3, 4)]


async def test_several_pages_may_be_empty() -> None:
    script = Script(lambda page, _: answer([1, 2] if page < 2 else [], pages="4"))
    assert len((await read_pages(script, Known())).bodies) == 4


async def test_all_pages_make_one_set() -> None:
    script = Script(lambda page, _: answer([page], pages="3"))

    read = await read_pages(script, Known())

    assert [msgspec.json.decode(body) for body in read.bodies] == [[1], [2], [3]]
    assert len(read.answers) == 3
    assert not read.unchanged


async def test_a_page_of_another_snapshot_restarts_the_walk() -> None:
    calls: list[int] = []

    def say(page: int, _: Validators | None) -> EsiAnswer:
        calls.append(page)
        # The cache turns between page 1 and 2 of the first walk.
        turned = len(calls) > 1
        return answer([page, turned], modified="one" if turned else "noon", pages="2")

    read = await read_pages(Script(say), Known())

    assert calls == [1, 2, 1, 2]
    assert all(msgspec.json.decode(body)[1] for body in read.bodies)


async def test_a_set_that_never_stands_still_is_trouble() -> None:
    count = iter(range(1000))

    with pytest.raises(Transient, match="changed"):
        await read_pages(
            Script(lambda _page, _v: answer([1], modified=str(next(count)), pages="2")), Known()
        )


async def test_a_walk_is_begun_at_most_three_times_again() -> None:
    count = iter(range(1000))
    script = Script(lambda _page, _v: answer([1], modified=str(next(count)), pages="2"))

    with pytest.raises(Transient):
        await read_pages(script, Known())

    assert [page for page, _ in script.asked].count(1) == 4


async def test_a_shrinking_set_restarts_the_walk() -> None:
    state = {"pages": 5}

    def say(page: int, _: Validators | None) -> EsiAnswer:
        if page == 5:
            state["pages"] = 4
            raise Gone("no page 5")
        return answer([page], pages=str(state["pages"]))

    read = await read_pages(Script(say), Known())

    assert len(read.bodies) == 4


async def test_the_first_page_not_being_there_is_that() -> None:
    def say(_page: int, _: Validators | None) -> EsiAnswer:
        raise Gone("no such thing")

    with pytest.raises(Gone):
        await read_pages(Script(say), Known())


@pytest.mark.parametrize("pages", [None, '["3"]', "many", "-1", ""])
async def test_without_a_page_count_a_short_page_is_the_only_one(pages: str | None) -> None:
    read = await read_pages(Script(lambda _p, _v: answer([1] * 999, pages=pages)), Known())

    assert len(read.bodies) == 1


@pytest.mark.parametrize("pages", [None, '["3"]', "many"])
async def test_without_a_page_count_a_full_page_is_not_believed(pages: str | None) -> None:
    with pytest.raises(Transient, match="X-Pages"):
        await read_pages(Script(lambda _p, _v: answer([1] * 1000, pages=pages)), Known())


async def test_a_short_page_is_not_the_last_one() -> None:
    sizes = {1: 998, 2: 1000}
    read = await read_pages(
        Script(lambda page, _v: answer([page] * sizes[page], pages="2")), Known()
    )

    assert sum(len(msgspec.json.decode(body)) for body in read.bodies) == 1998


async def test_too_many_pages_are_not_believed() -> None:
    with pytest.raises(BadAnswer):
        await read_pages(Script(lambda _p, _v: answer([1], pages="1000000")), Known())


async def test_a_set_that_swells_is_given_up_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_SET_BYTES", 100)
    script = Script(lambda _p, _v: answer(["x" * 40], pages="2000"))
    slots = asyncio.Semaphore(4)

    async def ask(extra: Mapping[str, int], validators: Validators | None) -> EsiAnswer:
        async with slots:
            return await script(extra, validators)

    with pytest.raises(BadAnswer, match="larger"):
        await read_pages(ask, Known())

    assert len(script.asked) < 12


async def test_a_history_that_swells_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_SET_BYTES", 300)
    history = History(list(range(1, 1000)), 5, inclusive=False)

    with pytest.raises(BadAnswer, match="larger"):
        await read_history(history, Known(), WALK)

    assert len(history.asked) < 10


async def test_no_pages_at_all_is_an_empty_set() -> None:
    read = await read_pages(Script(lambda _p, _v: answer([], pages="0")), Known())

    assert read.bodies == (b"[]",)


async def test_a_pause_met_on_one_page_ends_the_walk() -> None:
    def say(page: int, _: Validators | None) -> EsiAnswer:
        if page == 3:
            raise PauseAll(NOW, 9)
        return answer([page], pages="4")

    with pytest.raises(PauseAll):
        await read_pages(Script(say), Known())


# --- conditional walks -------------------------------------------------------------------------


async def test_page_one_unchanged_with_its_last_modified_speaks_for_all() -> None:
    script = Script(lambda _p, _v: answer(unchanged=True, modified="noon", pages="3"))

    read = await read_pages(script, marks("noon", "noon", "noon"))

    assert read.unchanged
    assert script.asked == [(1, True)]
    assert len(read.answers) == 3


@pytest.mark.parametrize("modified", [None, "one"])
async def test_else_all_pages_are_asked_and_can_all_be_unchanged(modified: str | None) -> None:
    script = Script(lambda _p, _v: answer(unchanged=True, modified=modified, pages="3"))

    read = await read_pages(script, marks("noon", "noon", "noon"))

    assert read.unchanged
    assert sorted(script.asked) == [(1, True), (2, True), (3, True)]


async def test_one_changed_page_loads_all_of_them_without_validators() -> None:
    def say(page: int, validators: Validators | None) -> EsiAnswer:
        if validators is not None and page != 2:
            return answer(unchanged=True, modified="one", pages="2")
        return answer([page], modified="one", pages="2")

    script = Script(say)
    read = await read_pages(script, marks("noon", "noon"))

    assert not read.unchanged
    assert [msgspec.json.decode(body) for body in read.bodies] == [[1], [2]]
    assert script.asked[-2:] == [(1, False), (2, False)]


async def test_another_number_of_pages_loads_all_of_them() -> None:
    def say(page: int, validators: Validators | None) -> EsiAnswer:
        if validators is not None:
            return answer(unchanged=True, modified="noon", pages="3")
        return answer([page], modified="noon", pages="3")

    read = await read_pages(Script(say), marks("noon", "noon"))

    assert not read.unchanged
    assert len(read.bodies) == 3


async def test_a_changed_first_page_is_not_asked_for_twice() -> None:
    script = Script(lambda page, _v: answer([page], modified="one", pages="2"))

    await read_pages(script, marks("noon", "noon"))

    assert script.asked == [(1, True), (2, False)]


async def test_where_a_page_has_no_validator_nothing_is_compared() -> None:
    known = Known((PageMark(1, "tag", "noon"), PageMark(2, None, None)))
    script = Script(lambda page, _v: answer([page], pages="2"))

    await read_pages(script, known)

    assert script.asked[0] == (1, False)


async def test_a_single_page_is_compared() -> None:
    read = await read_single(Script(lambda _p, _v: answer(unchanged=True)), marks("noon"))

    assert read.unchanged


# --- history -----------------------------------------------------------------------------------

WALK = paging.BACK_WALKS[Pages.FROM_ID]


class History:
    """Rows with these ids, newest first; a page ends with, or below, the id that is given."""

    def __init__(self, ids: list[int], size: int, *, inclusive: bool) -> None:
        self.ids = sorted(ids, reverse=True)
        self.size = size
        self.inclusive = inclusive
        self.asked: list[int | None] = []

    async def __call__(self, extra: Mapping[str, int], validators: Validators | None) -> EsiAnswer:
        start = extra.get("from_id")
        self.asked.append(start)
        if start is None and validators is not None:
            return answer(unchanged=True)
        fits = [
            each
            for each in self.ids
            if start is None or each < start or (self.inclusive and each == start)
        ]
        return answer([{"transaction_id": each} for each in fits[: self.size]])


def ids_of(read: paging.Read) -> list[int]:
    return [row["transaction_id"] for row in msgspec.json.decode(read.bodies[0])]


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("size", [2, 3, 100])
async def test_history_is_read_to_its_end_and_each_row_once(inclusive: bool, size: int) -> None:
    history = History([300, 250, 201, 102, 2**40], size, inclusive=inclusive)

    read = await read_history(history, Known(), WALK)

    assert ids_of(read) == [2**40, 300, 250, 201, 102]
    assert read.complete_walk
    assert read.cursor == str(2**40)


async def test_a_number_that_is_no_id_does_not_become_the_newest() -> None:
    history = History([2**70, 12, 11], 5, inclusive=True)

    read = await read_history(history, Known(), WALK)

    assert read.cursor == "12"
    # Whoever decodes the set counts it as a row that cannot be kept.
    assert sorted(ids_of(read)) == [11, 12, 2**70]


async def test_a_page_of_the_asked_row_alone_ends_the_walk() -> None:
    history = History([5], 1, inclusive=True)

    read = await read_history(history, Known(), WALK)

    assert ids_of(read) == [5]
    assert history.asked == [None, 5]


async def test_a_complete_walk_lets_the_next_one_stop_early() -> None:
    history = History(list(range(1, 101)), 10, inclusive=True)

    known = Known((PageMark(1, None, None),), complete_walk=True, cursor="85")
    read = await read_history(history, known, WALK)

    assert min(ids_of(read)) <= 85
    assert len(history.asked) == 2
    assert read.cursor == "100"


async def test_a_cursor_whose_row_was_deleted_still_stops_the_walk() -> None:
    history = History([10, 9, 8, 3, 2, 1], 2, inclusive=False)

    read = await read_history(history, Known(complete_walk=True, cursor="5"), WALK)

    assert len(history.asked) == 2
    assert read.complete_walk


async def test_an_incomplete_walk_stops_nothing() -> None:
    history = History(list(range(1, 21)), 5, inclusive=False)

    read = await read_history(history, Known(complete_walk=False, cursor="18"), WALK)

    assert len(ids_of(read)) == 20


async def test_a_walk_that_is_cut_short_is_not_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_STEPS", 2)

    read = await read_history(History(list(range(1, 101)), 5, inclusive=False), Known(), WALK)

    assert not read.complete_walk


async def test_an_empty_history_keeps_its_cursor() -> None:
    read = await read_history(
        History([], 5, inclusive=False), Known(complete_walk=True, cursor="9"), WALK
    )

    assert ids_of(read) == []
    assert read.cursor == "9"


async def test_an_unchanged_history_is_complete_as_before() -> None:
    known = Known((PageMark(1, "tag", "noon"),), complete_walk=True, cursor="9")

    read = await read_history(History([9], 5, inclusive=False), known, WALK)

    assert read.unchanged
    assert (read.complete_walk, read.cursor) == (True, "9")


async def test_a_row_without_its_id_costs_the_others_nothing() -> None:
    odd: list[Any] = [{"id": 1}, {"transaction_id": "8"}, 5, None]

    async def ask(extra: Mapping[str, int], validators: Validators | None) -> EsiAnswer:
        return answer([] if "from_id" in extra else [{"transaction_id": 9}, *odd])

    read = await read_history(ask, Known(), WALK)

    # Whoever decodes them counts what cannot be read.
    assert msgspec.json.decode(read.bodies[0]) == [{"transaction_id": 9}, *odd]


# --- what is to come ----------------------------------------------------------------------------

EVENTS = paging.FORWARD_WALKS[Pages.FROM_EVENT]


def _ahead(*pages: list[dict[str, Any]]) -> tuple[paging.Ask, list[Mapping[str, int]]]:
    """Return what answers with pages in their order, then with empty ones; and what it is asked."""
    asked: list[Mapping[str, int]] = []
    left = list(pages)

    async def ask(extra: Mapping[str, int], validators: Validators | None) -> EsiAnswer:
        assert validators is None
        asked.append(dict(extra))
        return answer(left.pop(0) if left else [])

    return ask, asked


async def test_a_list_is_read_on_by_the_last_row_whatever_its_number() -> None:
    ask, asked = _ahead([{"event_id": 9}, {"event_id": 2}], [{"event_id": 2}, {"event_id": 5}])
    read = await paging.read_ahead(ask, EVENTS)
    assert asked == [{}, {"from_event": 2}, {"from_event": 5}]
    assert len(read.bodies) == 3
    assert not read.unchanged


async def test_a_list_that_says_the_same_again_has_ended() -> None:
    ask, asked = _ahead([{"event_id": 1}], [{"event_id": 1}], [{"event_id": 3}])
    await paging.read_ahead(ask, EVENTS)
    assert len(asked) == 2


async def test_a_row_without_a_number_is_no_place_to_go_on() -> None:
    ask, asked = _ahead([{"event_id": 1}, {"title": "?"}], [{"title": "?"}])
    read = await paging.read_ahead(ask, EVENTS)
    assert asked == [{}, {"from_event": 1}]
    assert len(read.bodies) == 2


async def test_a_list_without_an_end_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_STEPS", 3)
    ask, _ = _ahead(*([{"event_id": number}] for number in range(5)))
    with pytest.raises(BadAnswer):
        await paging.read_ahead(ask, EVENTS)
