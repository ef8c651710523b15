"""Freelance jobs that a corporation offers, with who takes part; ended ones stay."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._cursors import LIMIT, Cursor
from jobs.kinds._freelance_jobs import job_details_part
from jobs.kinds._listed import list_part, people_part
from jobs.kinds._projects import JobPage, Things
from jobs.spec import Kind, Pages, Route, Wire
from jobs.store.schema.projects import (
    corporation_freelance_job,
    corporation_freelance_participant,
)

PATH = "/corporations/{corporation_id}/freelance-jobs"
JOBS = Route(
    "GET",
    PATH,
    pages=Pages.CURSOR,
    cache_age_s=0,
    rate_group="corp-freelance-job",
    query=LIMIT,
)
PARTICIPANTS = Route(
    "GET",
    f"{PATH}/{{job_id}}/participants",
    pages=Pages.CURSOR,
    cache_age_s=0,
    rate_group="corp-freelance-job",
    query=LIMIT,
)
SCOPES = frozenset({"esi-corporations.read_freelance_jobs.v1"})
ROLES = frozenset({"Project_Manager"})
THINGS = Things(SubjectType.CORPORATION, corporation_freelance_job, "job_id")


class Participant(Wire, frozen=True, rename={"participant_id": "id"}):
    """One who takes part."""

    participant_id: int
    name: str
    state: str
    contributed: int


class ParticipantPage(Wire, frozen=True, rename={"rows": "participants"}):
    """What the list of participants tells."""

    rows: tuple[Participant, ...]
    cursor: Cursor | None = None


KIND = Kind(
    name="corporation.freelance_jobs",
    subject=SubjectType.CORPORATION,
    feature="projects",
    every=timedelta(minutes=5),
    summary="Freelance jobs with what they ask for and who takes part; ended ones stay.",
    parts=(
        list_part(
            "jobs",
            JOBS,
            JobPage,
            THINGS,
            section="freelance_jobs",
            scopes=SCOPES,
            any_role=ROLES,
        ),
        job_details_part(THINGS, scopes=SCOPES, any_role=ROLES),
        people_part(
            "participants",
            PARTICIPANTS,
            ParticipantPage,
            THINGS,
            corporation_freelance_participant,
            person="participant_id",
            scopes=SCOPES,
            any_role=ROLES,
        ),
    ),
)
