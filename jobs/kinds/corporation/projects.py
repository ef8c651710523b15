"""Projects of a corporation, with what they ask for and who did how much; ended ones stay."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

import msgspec

from ipc.subject import SubjectType
from jobs.kinds._cursors import LIMIT, Cursor
from jobs.kinds._listed import details_part, list_part, people_part
from jobs.kinds._projects import Creator, ProjectPage, Things, json_text
from jobs.spec import Kind, Pages, Params, Route, Row, Target, Wire, Write
from jobs.store.schema.projects import (
    corporation_project,
    corporation_project_contributor,
    corporation_project_detail,
)

PATH = "/corporations/{corporation_id}/projects"
PROJECTS = Route(
    "GET",
    PATH,
    pages=Pages.CURSOR,
    cache_age_s=0,
    rate_group="corp-project",
    # Without it, those that have ended are left out.
    query=(*LIMIT, ("state", "All")),
)
PROJECT = Route("GET", f"{PATH}/{{project_id}}", cache_age_s=60, rate_group="corp-project")
CONTRIBUTORS = Route(
    "GET",
    f"{PATH}/{{project_id}}/contributors",
    pages=Pages.CURSOR,
    cache_age_s=0,
    rate_group="corp-project",
    query=LIMIT,
)
SCOPES = frozenset({"esi-corporations.read_projects.v1"})
THINGS = Things(SubjectType.CORPORATION, corporation_project, "project_id")


class Details(Wire, frozen=True):
    """What it is about."""

    description: str
    career: str
    created: datetime
    expires: datetime | None = None
    finished: datetime | None = None


class Contribution(Wire, frozen=True):
    """How contributions count."""

    participation_limit: int | None = None
    reward_per_contribution: Decimal | None = None
    submission_limit: int | None = None
    submission_multiplier: float | None = None


class Project(Wire, frozen=True, rename={"last_modified_at": "last_modified"}):
    """What GET /corporations/{corporation_id}/projects/{project_id} tells beyond the list."""

    last_modified_at: datetime
    details: Details
    creator: Creator
    configuration: msgspec.Raw
    contribution: Contribution | None = None


class Contributor(Wire, frozen=True, rename={"contributor_id": "id"}):
    """One who did something."""

    contributor_id: int
    name: str
    contributed: int


class ContributorPage(Wire, frozen=True, rename={"rows": "contributors"}):
    """What the list of contributors tells."""

    rows: tuple[Contributor, ...]
    cursor: Cursor | None = None


def project_rows(answer: Project, params: Params) -> Iterator[Row]:
    """Yield what a project asks for; its id is of the request."""
    told, counts = answer.details, answer.contribution or Contribution()
    yield {
        "last_modified_at": answer.last_modified_at,
        "description": told.description,
        "career": told.career,
        "created_at": told.created,
        "expires_at": told.expires,
        "finished_at": told.finished,
        "creator_id": answer.creator.id,
        "configuration": json_text(answer.configuration),
        "participation_limit": counts.participation_limit,
        "reward_per_contribution": counts.reward_per_contribution,
        "submission_limit": counts.submission_limit,
        "submission_multiplier": counts.submission_multiplier,
    }


DETAILS = Target(corporation_project_detail, key=THINGS.key, write=Write.UPSERT, rows=project_rows)

KIND = Kind(
    name="corporation.projects",
    subject=SubjectType.CORPORATION,
    feature="projects",
    every=timedelta(minutes=5),
    summary="Projects with what they ask for and who contributed; ended ones stay.",
    parts=(
        list_part("projects", PROJECTS, ProjectPage, THINGS, section="projects", scopes=SCOPES),
        details_part(PROJECT, Project, THINGS, (DETAILS,), scopes=SCOPES),
        people_part(
            "contributors",
            CONTRIBUTORS,
            ContributorPage,
            THINGS,
            corporation_project_contributor,
            person="contributor_id",
            scopes=SCOPES,
            any_role=frozenset({"Project_Manager"}),
        ),
    ),
)
