"""Freelance jobs that are open to the public, with what they ask for; ended ones stay."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._cursors import LIMIT, PUBLIC_CURSORS
from jobs.kinds._freelance_jobs import job_details_part
from jobs.kinds._listed import list_part
from jobs.kinds._projects import JobPage, Things
from jobs.spec import Kind, Pages, Route
from jobs.store.schema.projects import public_freelance_job

JOBS = Route(
    "GET",
    "/freelance-jobs",
    pages=Pages.CURSOR,
    cache_age_s=0,
    rate_group="freelance-job",
    query=LIMIT,
)
THINGS = Things(SubjectType.GLOBAL, public_freelance_job, "job_id")
KIND = Kind(
    name="global.freelance_jobs",
    subject=SubjectType.GLOBAL,
    feature="public_freelance_jobs",
    every=timedelta(minutes=5),
    off_by_default=True,
    summary="Public freelance jobs with what they ask for; ended ones stay.",
    parts=(
        list_part("jobs", JOBS, JobPage, THINGS, section="freelance_jobs", cursors=PUBLIC_CURSORS),
        job_details_part(THINGS),
    ),
)
