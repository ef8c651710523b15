"""What freelance jobs ask for: public, and told once for all who list them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

import msgspec
from sqlalchemy import Connection, exists

from jobs.kinds._listed import details_part
from jobs.kinds._projects import Creator, Things, due, json_text
from jobs.spec import Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.projects import freelance_job, freelance_job_location

JOB = Route("GET", "/freelance-jobs/{job_id}", cache_age_s=60, rate_group="freelance-job")


class Creators(Wire, frozen=True):
    """Who made it, and for whom."""

    character: Creator
    corporation: Creator


class Details(Wire, frozen=True):
    """What it is about."""

    description: str
    career: str
    created: datetime
    creator: Creators
    expires: datetime | None = None
    finished: datetime | None = None


class Configuration(Wire, frozen=True):
    """What is to be done."""

    method: str
    version: int
    parameters: msgspec.Raw


class Location(Wire, frozen=True):
    """One place where it is told of."""

    id: int
    name: str


class Restrictions(Wire, frozen=True):
    """Who may take part."""

    minimum_age: int | None = None
    maximum_age: int | None = None


class Access(Wire, frozen=True):
    """Who hears of it."""

    acl_protected: bool
    broadcast_locations: tuple[Location, ...] = ()
    restrictions: Restrictions | None = None


class Contribution(Wire, frozen=True):
    """How contributions count."""

    max_committed_participants: int
    contribution_per_participant_limit: int | None = None
    reward_per_contribution: Decimal | None = None
    submission_limit: int | None = None
    submission_multiplier: float | None = None


class Job(
    Wire,
    frozen=True,
    rename={"last_modified_at": "last_modified", "access": "access_and_visibility"},
):
    """What GET /freelance-jobs/{job_id} tells beyond the lists."""

    last_modified_at: datetime
    details: Details
    configuration: Configuration
    access: Access
    contribution: Contribution | None = None


def job_rows(answer: Job, params: Params) -> Iterator[Row]:
    """Yield what a job asks for; its id is of the request."""
    told, task, access = answer.details, answer.configuration, answer.access
    counts, ages = answer.contribution, access.restrictions or Restrictions()
    yield {
        "last_modified_at": answer.last_modified_at,
        "description": told.description,
        "career": told.career,
        "created_at": told.created,
        "expires_at": told.expires,
        "finished_at": told.finished,
        "creator_character_id": told.creator.character.id,
        "creator_corporation_id": told.creator.corporation.id,
        "method": task.method,
        "version": task.version,
        "parameters": json_text(task.parameters),
        "acl_protected": access.acl_protected,
        "minimum_age": ages.minimum_age,
        "maximum_age": ages.maximum_age,
        **{name: getattr(counts, name, None) for name in Contribution.__struct_fields__},
    }


def location_rows(answer: Job, params: Params) -> Iterator[Row]:
    """Yield a row for each place."""
    for one in answer.access.broadcast_locations:
        yield {"location_id": one.id, "name": one.name}


TARGETS = (
    Target(freelance_job, key=("job_id",), write=Write.UPSERT, rows=job_rows),
    Target(
        freelance_job_location,
        key=("job_id", "location_id"),
        write=Write.UPSERT,
        rows=location_rows,
    ),
)


def wanted(connection: Connection, owner_id: int, things: Things) -> dict[str, datetime]:
    """Return the jobs whose line has changed since anybody read their details."""
    job = freelance_job.c
    read = exists().where(
        job.job_id == things.table.c[things.id_name],
        job.last_modified_at >= things.table.c.last_modified_at,
    )
    return due(connection, owner_id, things, "details_of", ~read)


def job_details_part(
    things: Things,
    *,
    scopes: frozenset[str] = frozenset(),
    any_role: frozenset[str] = frozenset(),
) -> Part:
    """Return the part that reads what listed jobs ask for.

    The route is public; scopes and roles are those without which there is no list, and so nothing
    to ask for.
    """
    return details_part(JOB, Job, things, TARGETS, wanted=wanted, scopes=scopes, any_role=any_role)
