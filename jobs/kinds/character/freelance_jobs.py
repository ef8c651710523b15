"""Freelance jobs that a character takes part in, and what it did; past ones stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs.kinds._freelance_jobs import job_details_part
from jobs.kinds._projects import JobList, Things, listed_rows
from jobs.spec import Kind, Params, Part, Route, Target, Wire, Write
from jobs.store.schema.projects import (
    character_freelance_job,
    character_freelance_participation,
)

PATH = "/characters/{character_id}/freelance-jobs"
SCOPES = frozenset({"esi-characters.read_freelance_jobs.v1"})
THINGS = Things(SubjectType.CHARACTER, character_freelance_job, "job_id")


class Participation(Wire, frozen=True, rename={"last_modified_at": "last_modified"}):
    """What GET /characters/{character_id}/freelance-jobs/{job_id}/participation tells."""

    state: str
    contributed: int
    last_modified_at: datetime


def jobs_of(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the jobs to ask about: those that are listed."""
    j = character_freelance_job.c
    ids = connection.scalars(
        select(j.job_id)
        .where(j.character_id == subject.id, j.closed_at.is_(None))
        .order_by(j.job_id)
    )
    return [{"job_id": one} for one in ids]


KIND = Kind(
    name="character.freelance_jobs",
    subject=SubjectType.CHARACTER,
    feature="projects",
    every=timedelta(minutes=5),
    summary="Freelance jobs that a character takes part in; past ones stay.",
    parts=(
        Part(
            name="jobs",
            route=Route("GET", PATH, cache_age_s=60, rate_group="char-freelance-job"),
            wire=JobList,
            many=False,
            scopes=SCOPES,
            targets=(
                Target(
                    character_freelance_job,
                    key=THINGS.key,
                    write=Write.CLOSE,
                    rows=listed_rows("job_id"),
                ),
            ),
        ),
        Part(
            name="participation",
            route=Route(
                "GET",
                f"{PATH}/{{job_id}}/participation",
                cache_age_s=60,
                rate_group="char-freelance-job",
            ),
            wire=Participation,
            many=False,
            fan_out=jobs_of,
            scopes=SCOPES,
            targets=(
                Target(character_freelance_participation, key=THINGS.key, write=Write.UPSERT),
            ),
        ),
        job_details_part(THINGS, scopes=SCOPES),
    ),
)
