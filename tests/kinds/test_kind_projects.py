"""Lists by cursor: news replace, history does not, tokens outlive a death; details follow lines."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, update

from ipc.subject import Subject, SubjectType
from jobs.errors import BadAnswer, Gone, Refused, Transient
from jobs.kinds import _cursors, _listed
from jobs.kinds.character import freelance_jobs as character_jobs
from jobs.kinds.corporation import freelance_jobs, projects
from jobs.spec import Kind, Params
from jobs.store import writer
from jobs.store.schema.projects import corporation_cursor
from tests.kinds.fake_context import START, FakeContext, rows

COMPANY = Subject(SubjectType.CORPORATION, 98000001)
ME = Subject(SubjectType.CHARACTER, 90000001)
LIST, DETAIL, DONE = projects.PROJECTS.name, projects.PROJECT.name, projects.CONTRIBUTORS.name
PAGE = 2


def uuid(number: int) -> str:
    return f"0198c2f4-7a31-7c11-9b1e-{number:012d}"


def line(number: int, minute: int, **more: Any) -> dict[str, Any]:
    return {
        "id": uuid(number),
        "name": f"{number} at {minute}",
        "state": "Active",
        "last_modified": f"2026-11-30T10:{minute:02d}:00Z",
        "progress": {"current": minute, "desired": 60},
        **more,
    }


class Lines:
    """A list as ESI pages it: in the order of the last change, tokens being places in it."""

    def __init__(self, *numbers: int) -> None:
        self.at = {number: minute for minute, number in enumerate(numbers)}
        self.asked: list[str] = []
        # Place of a token -> what to answer instead.
        self.odd: dict[str, Any] = {}

    def change(self, number: int) -> None:
        self.at[number] = max(self.at.values(), default=0) + 1

    def __call__(self, params: Params, _body: Any) -> Any:
        place = next((f"{n} {params[n]}" for n in ("before", "after") if n in params), "first")
        self.asked.append(place)
        odd = self.odd.get(place)
        if isinstance(odd, Exception):
            raise odd
        if odd is not None:
            return odd
        every = sorted((minute, number) for number, minute in self.at.items())
        if "before" in params:
            found = [one for one in every if one[0] < int(params["before"])][-PAGE:]
        elif "after" in params:
            found = [one for one in every if one[0] > int(params["after"])][:PAGE]
        else:
            found = every[-PAGE:]
        told = {"projects": [line(number, minute) for minute, number in found]}
        return {**told, "cursor": tokens(found[0][0], found[-1][0])} if found else told


def tokens(before: int | str, after: int | str) -> dict[str, str]:
    return {"before": str(before), "after": str(after)}


def context_of(connection: Connection, lines: Lines) -> FakeContext:
    return FakeContext(connection, projects.KIND, COMPANY, {LIST: lines})


async def run(context: FakeContext) -> list[str]:
    """Run the list, and return the places that it asked for."""
    lines: Any = context.answers[LIST]
    await context.run("projects")
    places: list[str] = list(lines.asked)
    lines.asked.clear()
    context.asked.clear()
    return places


def stored(connection: Connection) -> dict[str, str]:
    return dict(rows(connection, "corporation_project", "project_id", "name"))


def cursor(connection: Connection) -> tuple[str | None, str | None]:
    [found] = rows(connection, "corporation_cursor", "after_token", "before_token")
    return found[0], found[1]


async def test_history_is_read_once_and_then_the_news_only(connection: Connection) -> None:
    lines = Lines(1, 2, 3, 4, 5)
    context = context_of(connection, lines)
    assert await run(context) == ["first", "before 3", "before 1", "before 0"]
    assert len(stored(connection)) == 5
    assert cursor(connection) == ("4", None)
    assert await run(context) == ["after 4"]
    # The page without rows has no token: the last one stands.
    assert cursor(connection) == ("4", None)
    for number in (6, 2, 7):
        lines.change(number)
    assert await run(context) == ["after 4", "after 6", "after 7"]
    assert stored(connection)[uuid(2)] == "2 at 6"
    assert cursor(connection) == ("7", None)


async def test_a_walk_that_died_goes_on_where_it_was(database: Connection) -> None:
    lines = Lines(1, 2, 3, 4, 5, 6)
    context = context_of(database, lines)
    lines.odd["before 2"] = Transient("502")
    with pytest.raises(Transient):
        await context.run("projects")
    assert lines.asked == ["first", "before 4", "before 2"]
    assert len(stored(database)) == 4
    assert cursor(database) == ("5", "2")
    lines.odd.clear()
    lines.asked.clear()
    assert await run(context) == ["after 5", "before 2", "before 0"]
    assert len(stored(database)) == 6


async def test_what_comes_before_a_token_does_not_replace_what_is_newer(
    database: Connection,
) -> None:
    """A page out of a cache shows a row as it was before it moved to the end."""
    lines = Lines(1, 2, 3, 4)
    lines.odd["before 0"] = Transient("cut off")
    context = context_of(database, lines)
    with pytest.raises(Transient):
        await context.run("projects")
    lines.asked.clear()
    lines.odd.clear()
    lines.change(2)
    lines.odd["before 0"] = {"projects": [line(9, 0), line(2, 1)], "cursor": tokens(-1, 1)}
    assert (await run(context))[0] == "after 3"
    assert stored(database)[uuid(2)] == "2 at 4"
    # What is no older than what is stored is written all the same.
    assert stored(database)[uuid(9)] == "9 at 0"


async def test_news_replace_what_is_stored(database: Connection) -> None:
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    lines.odd["after 1"] = {
        "projects": [line(1, 0, name="as new", state="a word of tomorrow")],
        "cursor": tokens(0, 2),
    }
    await run(context)
    assert stored(database)[uuid(1)] == "as new"


async def test_a_page_without_rows_is_not_the_end_where_it_names_a_place(
    database: Connection,
) -> None:
    lines = Lines(1, 2, 3, 4)
    lines.odd["before 2"] = {"projects": [], "cursor": tokens("1.5", "")}
    lines.odd["before 1.5"] = {"projects": [line(2, 1), line(1, 0)], "cursor": tokens("", 1)}
    context = context_of(database, lines)
    assert await run(context) == ["first", "before 2", "before 1.5"]
    assert len(stored(database)) == 4
    assert cursor(database) == ("3", None)


async def test_pages_without_rows_do_not_go_on_for_ever(database: Connection) -> None:
    lines = Lines(1, 2)
    for step in range(100):
        lines.odd[f"before {-step}"] = {"projects": [], "cursor": tokens(-step - 1, "")}
    context = context_of(database, lines)
    assert len(await run(context)) == 1 + _cursors.MAX_EMPTY + 1
    assert cursor(database) == ("1", None)
    lines.odd["before 0"] = {"projects": [line(1, 0)], "cursor": tokens(0, 0)}
    database.execute(update(corporation_cursor).values(before_token="0"))
    assert await run(context) == ["after 1", "before 0"]


async def test_a_list_without_rows_is_asked_again_from_the_start(database: Connection) -> None:
    lines = Lines()
    context = context_of(database, lines)
    assert await run(context) == ["first"]
    assert cursor(database) == (None, None)
    lines.change(1)
    assert await run(context) == ["first", "before 1"]
    assert await run(context) == ["after 1"]


@pytest.mark.parametrize("error", [Gone("404"), Refused("400")], ids=["gone", "refused"])
async def test_a_token_that_is_refused_is_forgotten(database: Connection, error: Exception) -> None:
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    lines.odd["after 1"] = error
    with pytest.raises(type(error)):
        await context.run("projects")
    lines.asked.clear()
    assert await run(context) == ["first", "before 0"]


async def test_an_odd_answer_says_nothing_of_the_token(database: Connection) -> None:
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    lines.odd["after 1"] = BadAnswer("of another form")
    with pytest.raises(BadAnswer):
        await context.run("projects")
    assert cursor(database) == ("1", None)


@pytest.mark.parametrize("more", [(), (3,)], ids=["the oldest", "one in between"])
async def test_a_page_that_cannot_be_read_is_stepped_over(
    database: Connection, more: tuple[int, ...]
) -> None:
    """Else each run would walk back to it, fail, and begin anew."""
    lines = Lines(*more, 4, 5, 6, 7)
    oldest = len(more)
    unreadable = [{"id": uuid(5)}, {"id": uuid(4)}]
    place = f"before {oldest + 2}"
    lines.odd[place] = {"projects": unreadable, "cursor": tokens(oldest, oldest + 1)}
    context = context_of(database, lines)
    places = await run(context)
    assert places[:3] == ["first", place, f"before {oldest}"]
    assert context.skipped == 2
    assert set(stored(database)) == {uuid(one) for one in (*more, 6, 7)}
    assert cursor(database) == (str(oldest + 3), None)
    assert await run(context) == [f"after {oldest + 3}"]


async def test_unreadable_pages_are_not_taken_for_pages_without_rows(database: Connection) -> None:
    lines = Lines(*range(1, 6))
    for step in range(_cursors.MAX_EMPTY + 3):
        told = {"projects": [{"id": uuid(9)}], "cursor": tokens(f"{step + 1}x", "")}
        lines.odd["before 3" if step == 0 else f"before {step}x"] = told
    end = f"before {_cursors.MAX_EMPTY + 3}x"
    lines.odd[end] = {"projects": [line(1, 0)], "cursor": tokens("", "")}
    assert (await run(context_of(database, lines)))[-1] == end
    assert uuid(1) in stored(database)


async def test_news_that_cannot_be_read_are_stepped_over(database: Connection) -> None:
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    lines.change(3)
    lines.odd["after 1"] = {"projects": [{"id": uuid(9)}], "cursor": tokens(1, "1.5")}
    lines.odd["after 1.5"] = {"projects": [line(3, 2)], "cursor": tokens(2, 2)}
    assert await run(context) == ["after 1", "after 1.5", "after 2"]
    assert (context.skipped, cursor(database)) == (1, ("2", None))
    assert uuid(3) in stored(database)


async def test_news_go_on_behind_a_page_without_rows(database: Connection) -> None:
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    lines.change(3)
    lines.odd["after 1"] = {"projects": [], "cursor": tokens("", "1.5")}
    lines.odd["after 1.5"] = {"projects": [line(3, 2)], "cursor": tokens(2, 2)}
    assert await run(context) == ["after 1", "after 1.5", "after 2"]
    assert uuid(3) in stored(database)


async def test_news_without_rows_do_not_go_on_for_ever_and_the_newest_token_stays(
    database: Connection,
) -> None:
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    for step in range(1, 100):
        lines.odd[f"after {step}"] = {"projects": [], "cursor": tokens("", step + 1)}
    asked_for = _cursors.MAX_EMPTY + 1
    assert len(await run(context)) == asked_for
    assert cursor(database) == (str(1 + asked_for), None)


async def test_news_of_more_pages_than_one_run_reads_are_left_for_the_next(
    database: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cursors, "MAX_PAGES", 2)
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    for number in range(3, 8):
        lines.change(number)
    assert (await context.run("projects")).left == 1
    assert len(stored(database)) == 6
    assert (await context.run("projects")).left == 0
    assert len(stored(database)) == 7


async def test_rows_of_another_form_are_read_anew(database: Connection) -> None:
    lines = Lines(1, 2)
    context = context_of(database, lines)
    await run(context)
    database.execute(update(corporation_cursor).values(form=_listed.FORM - 1))
    assert await run(context) == ["first", "before 0"]


async def test_a_long_history_takes_several_runs(database: Connection) -> None:
    lines = Lines(*range(1, 8))
    context = context_of(database, lines)
    context.budget = 2
    result = await context.run("projects")
    assert (result.left, lines.asked) == (1, ["first", "before 5"])
    lines.asked.clear()
    context.asked.clear()
    context.budget = 10
    assert (await context.run("projects")).left == 0
    assert lines.asked == ["after 6", "before 3", "before 1", "before 0"]
    assert len(stored(database)) == 7


async def test_a_row_that_cannot_be_read_costs_itself_only(database: Connection) -> None:
    lines = Lines(1)
    odd = {"projects": [{"id": uuid(5)}, line(1, 0)], "cursor": tokens(0, 0)}
    lines.odd["first"] = odd
    await run(context_of(database, lines))
    assert list(stored(database)) == [uuid(1)]


# --- details and people ------------------------------------------------------------------------


def detail(number: int, minute: int) -> dict[str, Any]:
    return {
        **line(number, minute),
        "details": {
            "description": f"at {minute}",
            "career": "Explorer",
            "created": "2026-11-01T00:00:00Z",
        },
        "creator": {"id": 95000001, "name": "x"},
        "configuration": {"unknown": {"type": "x", "data": {"b": 1, "a": [1.50, None]}}},
    }


def listing(connection: Connection, *lines: dict[str, Any], kind: Kind = projects.KIND) -> None:
    """Write lines as the list does."""
    part, subject = kind.parts[0], ME if kind is character_jobs.KIND else COMPANY
    name = "projects" if kind is projects.KIND else "freelance_jobs"
    answer = msgspec.json.decode(msgspec.json.encode({name: lines}), type=part.wire)
    target = part.targets[0]
    assert target.rows is not None
    found = list(target.rows(answer, {}))
    writer.apply(connection, target, found, subject=subject, params={}, now=START)


def asked(context: FakeContext) -> list[int]:
    found = [int(str(one.params["project_id"])[-12:]) for one in context.asked]
    context.asked.clear()
    return found


@pytest.fixture
def details(database: Connection) -> FakeContext:
    """A context whose answers are of the minute 5."""

    def answer(params: Params, _body: Any) -> Any:
        return detail(int(str(params["project_id"])[-12:]), 5)

    def people(params: Params, _body: Any) -> Any:
        told = [{"id": 95000001, "name": "x", "contributed": 7}]
        if "before" in params:
            # An earlier state of one who has moved to the end since.
            told = [{**told[0], "contributed": 1}, {"id": 95000002, "name": "y", "contributed": 2}]
            return {"contributors": told}
        return {"contributors": told, "cursor": tokens("b", "a")}

    answers: dict[str, Any] = {DETAIL: answer, DONE: people}
    return FakeContext(database, projects.KIND, COMPANY, answers)


async def test_details_follow_the_lines(database: Connection, details: FakeContext) -> None:
    listing(database, line(1, 4), line(2, 5))
    await details.run("details")
    assert asked(details) == [2, 1]
    await details.run("details")
    assert asked(details) == []
    listing(database, line(1, 5), line(2, 6))
    await details.run("details")
    # What was answered about the second is older than its line: out of a cache.
    assert asked(details) == [2]
    await details.run("details")
    assert asked(details) == [2]
    found = rows(database, "corporation_project_detail", "description", "configuration")
    text = '{"unknown":{"data":{"a":[1.5,null],"b":1},"type":"x"}}'
    assert found == [("at 5", text)] * 2


@pytest.mark.parametrize(
    ("part", "route", "requests"), [("details", DETAIL, 1), ("contributors", DONE, 1)]
)
async def test_what_is_not_there_is_asked_for_once_more_and_with_the_next_change(
    database: Connection, details: FakeContext, part: str, route: str, requests: int
) -> None:
    def gone(_params: Params, _body: Any) -> Any:
        raise Gone("404")

    details.answers[route] = gone
    listing(database, line(1, 4))
    assert (await details.run(part)).note == "1 of 1 were not there"
    assert asked(details) == [1] * requests
    # It may have been a cache from before it was made.
    await details.run(part)
    assert asked(details) == [1] * requests
    await details.run(part)
    assert asked(details) == []
    listing(database, line(1, 5))
    await details.run(part)
    assert asked(details) == [1] * requests


async def test_what_a_cache_did_not_know_yet_is_read_in_the_next_run(
    database: Connection, details: FakeContext
) -> None:
    known, answers = details.answers[DETAIL], iter([Gone("404")])

    def late(params: Params, body: Any) -> Any:
        for error in answers:
            raise error
        return known(params, body)

    details.answers[DETAIL] = late
    listing(database, line(1, 5))
    await details.run("details")
    assert rows(database, "corporation_project_detail", "description") == []
    await details.run("details")
    assert rows(database, "corporation_project_detail", "description") == [("at 5",)]


async def test_contributors_follow_the_lines_and_the_newest_word_of_each_counts(
    database: Connection, details: FakeContext
) -> None:
    listing(database, line(1, 4))
    await details.run("contributors")
    assert asked(details) == [1, 1]
    columns = ("contributor_id", "contributed")
    found = rows(database, "corporation_project_contributor", *columns)
    assert found == [(95000001, 7), (95000002, 2)]
    await details.run("contributors")
    assert asked(details) == []
    listing(database, line(1, 5))
    await details.run("contributors")
    # The news alone: the rest is known.
    assert asked(details) == [1]
    assert rows(database, "corporation_project_contributor", *columns) == found


class People:
    """Contributors of one project by their last change, two a page; tokens are changes."""

    def __init__(self, size: int) -> None:
        self.changes = 0
        self.rows: dict[int, tuple[int, dict[str, Any]]] = {}
        self.refuses: set[str] = set()
        for number in range(size):
            self.change(number, number)

    def change(self, number: int, contributed: int) -> None:
        """Have somebody do something, and so move to the end."""
        self.changes += 1
        row = {"id": 95000000 + number, "name": "x", "contributed": contributed}
        self.rows[number] = (self.changes, row)

    def __call__(self, params: Params, _body: Any) -> Any:
        if {f"{name} {value}" for name, value in params.items()} & self.refuses:
            raise Refused("400")
        ordered = sorted(self.rows.values(), key=lambda one: one[0])
        if "after" in params:
            page = [one for one in ordered if one[0] > int(params["after"])][:2]
            last = page[-1][0] if page else int(params["after"])
        else:
            page = [one for one in ordered if one[0] < int(params.get("before", 1000))][-2:]
            last = page[-1][0] if page else 0
        older = bool(page) and ordered[0][0] < page[0][0]
        return {
            "contributors": [row for _, row in page],
            "cursor": tokens(str(page[0][0]) if older else "", str(last)),
        }


def contributed(connection: Connection) -> dict[int, int]:
    """Return who contributed how much."""
    columns = ("contributor_id", "contributed")
    found = rows(connection, "corporation_project_contributor", *columns)
    return {who - 95000000: much for who, much in found}


async def test_a_long_list_of_contributors_is_read_over_several_runs(
    database: Connection, details: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cursors, "MAX_PAGES", 2)
    details.answers[DONE] = people = People(15)
    listing(database, line(1, 4))
    assert (await details.run("contributors")).left == 1
    assert set(contributed(database)) == set(range(9, 15))
    # One that was not read yet and one that was do more meanwhile, and move to the end.
    people.change(0, 100)
    people.change(11, 111)
    left = [(await details.run("contributors")).left for _ in range(2)]
    assert left == [1, 0]
    assert contributed(database) == {**dict(enumerate(range(15))), 0: 100, 11: 111}
    details.asked.clear()
    await details.run("contributors")
    assert details.asked == []


async def test_a_token_that_is_refused_has_the_list_read_from_the_start(
    database: Connection, details: FakeContext
) -> None:
    details.answers[DONE] = people = People(5)
    listing(database, line(1, 4))
    await details.run("contributors")
    people.change(9, 1)
    people.refuses.add("after 5")
    listing(database, line(1, 5))
    result = await details.run("contributors")
    assert (result.left, result.note) == (0, "")
    assert set(contributed(database)) == {0, 1, 2, 3, 4, 9}


async def test_a_job_is_read_once_for_all_who_list_it(database: Connection) -> None:
    def answer(params: Params, _body: Any) -> Any:
        told = detail(int(str(params["job_id"])[-12:]), 5)
        who = {"id": 95000001, "name": "x"}
        return {
            **told,
            "details": {**told["details"], "creator": {"character": who, "corporation": who}},
            "configuration": {"method": "x", "version": 1, "parameters": {}},
            "access_and_visibility": {"acl_protected": True},
        }

    route = "GET /freelance-jobs/{job_id}"
    mine = FakeContext(database, character_jobs.KIND, ME, {route: answer})
    theirs = FakeContext(database, freelance_jobs.KIND, COMPANY, {route: answer})
    for kind in (character_jobs.KIND, freelance_jobs.KIND):
        listing(database, line(1, 5), line(2, 4), kind=kind)
    listing(database, line(3, 6), kind=freelance_jobs.KIND)
    await mine.run("details")
    await theirs.run("details")
    assert [one.params["job_id"] for one in mine.asked] == [uuid(1), uuid(2)]
    assert [one.params["job_id"] for one in theirs.asked] == [uuid(3)]
    assert len(rows(database, "freelance_job")) == 3


def test_jobs_that_are_no_longer_listed_stay_and_are_not_asked_about(
    database: Connection,
) -> None:
    listing(database, line(1, 5), line(2, 4), kind=character_jobs.KIND)
    listing(database, line(2, 4), kind=character_jobs.KIND)
    assert character_jobs.jobs_of(database, ME) == [{"job_id": uuid(2)}]
    assert len(rows(database, "character_freelance_job")) == 2
