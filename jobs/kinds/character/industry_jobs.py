"""Industry jobs of a character; what was delivered or cancelled stays."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._industry_jobs import RENAMED, WITH_COMPLETED, Job
from jobs.spec import Kind, Part, Route, Target, Write
from jobs.store.schema.industry import character_industry_job


class PlacedJob(Job, frozen=True, kw_only=True, rename=RENAMED):
    """One job of a character, and where it runs."""

    station_id: int


KIND = Kind(
    name="character.industry_jobs",
    subject=SubjectType.CHARACTER,
    feature="industry",
    every=timedelta(hours=1),
    summary="Industry jobs under way and past.",
    parts=(
        Part(
            name="jobs",
            route=Route(
                "GET",
                "/characters/{character_id}/industry/jobs",
                cache_age_s=300,
                rate_group="char-industry",
                query=WITH_COMPLETED,
            ),
            wire=PlacedJob,
            scopes=frozenset({"esi-industry.read_character_jobs.v1"}),
            targets=(
                Target(character_industry_job, key=("character_id", "job_id"), write=Write.CLOSE),
            ),
        ),
    ),
)
