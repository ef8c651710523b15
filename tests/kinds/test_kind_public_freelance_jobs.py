"""The public list of freelance jobs: by cursor, beside those of corporations, details once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.kinds.corporation import freelance_jobs as corporation_jobs
from jobs.kinds.global_ import freelance_jobs
from jobs.spec import Params
from tests.kinds.fake_context import FakeContext, rows

COMPANY = Subject(SubjectType.CORPORATION, 98000001)
LIST, DETAIL = "GET /freelance-jobs", "GET /freelance-jobs/{job_id}"
PAGE = 2


def uuid(number: int) -> str:
    return f"0198c2f4-7a31-7c11-9b1e-{number:012d}"


class Jobs:
    """Jobs in the order of their last change, tokens being minutes."""

    def __init__(self, *numbers: int) -> None:
        self.at = {number: minute for minute, number in enumerate(numbers)}
        self.asked: list[Params] = []

    def line(self, number: int) -> dict[str, Any]:
        return {
            "id": uuid(number),
            "name": f"{number} at {self.at[number]}",
            "state": "Active",
            "last_modified": f"2026-11-30T10:{self.at[number]:02d}:00Z",
            "progress": {"current": 0, "desired": 60},
        }

    def page(self, params: Params, _body: Any) -> Any:
        self.asked.append(params)
        every = sorted(self.at, key=self.at.__getitem__)
        if "before" in params:
            every = [one for one in every if self.at[one] < int(params["before"])]
        elif "after" in params:
            every = [one for one in every if self.at[one] > int(params["after"])][:PAGE]
        found = every[-PAGE:]
        answer: dict[str, Any] = {"freelance_jobs": [self.line(one) for one in found]}
        if found:
            ends = {"before": str(self.at[found[0]]), "after": str(self.at[found[-1]])}
            answer["cursor"] = ends
        return answer

    def detail(self, params: Params, _body: Any) -> Any:
        who = {"id": 95000001, "name": "x"}
        return {
            **self.line(int(str(params["job_id"])[-12:])),
            "details": {
                "description": "",
                "career": "Explorer",
                "created": "2026-11-01T00:00:00Z",
                "creator": {"character": who, "corporation": who},
            },
            "configuration": {"method": "x", "version": 1, "parameters": {}},
            "access_and_visibility": {"acl_protected": False},
        }

    def context(self, connection: Connection) -> FakeContext:
        answers: dict[str, Any] = {LIST: self.page, DETAIL: self.detail}
        return FakeContext(connection, freelance_jobs.KIND, GLOBAL, answers)


async def test_history_is_read_once_and_then_the_news(connection: Connection) -> None:
    jobs = Jobs(1, 2, 3)
    context = jobs.context(connection)
    assert (await context.run("jobs")).rows == 3
    assert [dict(one) for one in jobs.asked] == [{}, {"before": "1"}, {"before": "0"}]
    jobs.asked.clear()
    jobs.at[1] = 7
    assert (await context.run("jobs")).rows == 1
    assert [dict(one) for one in jobs.asked] == [{"after": "2"}, {"after": "7"}]
    stored = rows(connection, "public_freelance_job", "job_id", "name")
    assert stored == [(uuid(1), "1 at 7"), (uuid(2), "2 at 1"), (uuid(3), "3 at 2")]
    cursor = rows(connection, "public_cursor", "section", "after_token", "before_token")
    assert cursor == [("freelance_jobs", "7", None)]


async def test_the_cursors_of_corporations_are_others(database: Connection) -> None:
    jobs = Jobs(1, 2, 3)
    route = "GET /corporations/{corporation_id}/freelance-jobs"
    theirs = FakeContext(database, corporation_jobs.KIND, COMPANY, {route: jobs.page})
    await theirs.run("jobs")
    jobs.asked.clear()
    await jobs.context(database).run("jobs")
    assert dict(jobs.asked[0]) == {}
    assert len(rows(database, "public_freelance_job")) == 3


async def test_details_follow_the_lines_and_are_told_once_for_all(database: Connection) -> None:
    jobs = Jobs(1, 2)
    route = "GET /corporations/{corporation_id}/freelance-jobs"
    answers: dict[str, Any] = {route: jobs.page, DETAIL: jobs.detail}
    theirs = FakeContext(database, corporation_jobs.KIND, COMPANY, answers)
    await theirs.run("jobs")
    await theirs.run("details")
    jobs.at[3] = 5
    context = jobs.context(database)
    await context.run("jobs")
    context.asked.clear()
    await context.run("details")
    assert [one.params["job_id"] for one in context.asked] == [uuid(3)]
    assert (await context.run("details")).empty
    jobs.at[1] = 8
    await context.run("jobs")
    context.asked.clear()
    await context.run("details")
    assert [one.params["job_id"] for one in context.asked] == [uuid(1)]
