"""Industry jobs of a corporation; what was delivered or cancelled stays."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._industry_jobs import RENAMED, WITH_COMPLETED, Job
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.industry import corporation_industry_job


class PlacedJob(Job, frozen=True, kw_only=True, rename=RENAMED):
    """One job of a corporation, and where it runs."""

    location_id: int


KIND = Kind(
    name="corporation.industry_jobs",
    subject=SubjectType.CORPORATION,
    feature="industry",
    every=timedelta(hours=1),
    summary="Industry jobs under way and past.",
    parts=(
        Part(
            name="jobs",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/industry/jobs",
                pages=Pages.X_PAGES,
                cache_age_s=300,
                rate_group="corp-industry",
                query=WITH_COMPLETED,
            ),
            wire=PlacedJob,
            scopes=frozenset({"esi-industry.read_corporation_jobs.v1"}),
            any_role=frozenset({"Factory_Manager"}),
            targets=(
                Target(
                    corporation_industry_job, key=("corporation_id", "job_id"), write=Write.CLOSE
                ),
            ),
        ),
    ),
)
