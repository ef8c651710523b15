"""Projects of corporations and freelance jobs: what is to be done, by whom, and what it pays."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Double, Integer, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, Isk, UtcTime, metadata

_CORPORATION, _CHARACTER = SubjectType.CORPORATION, SubjectType.CHARACTER
_PROJECTS = "GET /corporations/{corporation_id}/projects"
_JOBS = "GET /corporations/{corporation_id}/freelance-jobs"
_MINE = "GET /characters/{character_id}/freelance-jobs"


def _uuid(name: str) -> Column[Any]:
    return Column(name, String(36), primary_key=True)


def _listed_columns() -> list[Column[Any]]:
    """Return what every list says of each thing in it."""
    return [
        Column("name", Text, nullable=False, comment="raw"),
        Column("state", Text, nullable=False, comment="Active, Closed, Completed, Expired, ..."),
        Column("last_modified_at", UtcTime, nullable=False),
        Column("progress_current", Id, nullable=False),
        Column("progress_desired", Id, nullable=False),
        Column("reward_initial", Isk, comment="ISK times 100; NULL: without reward"),
        Column("reward_remaining", Isk, comment="ISK times 100; NULL: without reward"),
    ]


def _told_columns() -> list[Column[Any]]:
    """Return what is told beyond the list, of projects and of freelance jobs."""
    return [
        Column("last_modified_at", UtcTime, nullable=False),
        Column("description", Text, nullable=False, comment="raw"),
        Column("career", Text, nullable=False, comment="Explorer, Industrialist, Enforcer, ..."),
        Column("created_at", UtcTime, nullable=False),
        Column("expires_at", UtcTime),
        Column("finished_at", UtcTime),
    ]


def _counting_columns() -> list[Column[Any]]:
    """Return how contributions count."""
    return [
        Column("reward_per_contribution", Isk, comment="ISK times 100"),
        Column("submission_limit", Id),
        Column("submission_multiplier", Double),
    ]


def _looked_column(name: str, what: str) -> Column[Any]:
    return Column(
        name,
        UtcTime,
        comment=f"last_modified_at of the row when {what} were last read; "
        "1970-01-01: were not there when last asked for",
    )


corporation_project: Table = owned_table(
    "corporation_project",
    _CORPORATION,
    _uuid("project_id"),
    *_listed_columns(),
    _looked_column("details_of", "its details"),
    _looked_column("contributors_of", "its contributors"),
    comment=f"Projects, ended ones too. {_PROJECTS}",
)

corporation_project_detail: Table = owned_table(
    "corporation_project_detail",
    _CORPORATION,
    _uuid("project_id"),
    *_told_columns(),
    an_id("creator_id", Names.CHARACTER),
    Column("configuration", Text, nullable=False, comment="what is to be done, as JSON"),
    Column("participation_limit", Id),
    *_counting_columns(),
    comment=f"What projects ask for. {_PROJECTS}/{{project_id}}",
)

corporation_project_contributor: Table = owned_table(
    "corporation_project_contributor",
    _CORPORATION,
    _uuid("project_id"),
    key_id("contributor_id", Names.CHARACTER),
    Column("name", Text, nullable=False),
    Column("contributed", Id, nullable=False),
    comment=f"Who did how much. {_PROJECTS}/{{project_id}}/contributors",
)

corporation_freelance_job: Table = owned_table(
    "corporation_freelance_job",
    _CORPORATION,
    _uuid("job_id"),
    *_listed_columns(),
    _looked_column("details_of", "its details"),
    _looked_column("participants_of", "its participants"),
    comment=f"Freelance jobs that a corporation offers or offered. {_JOBS}",
)

corporation_freelance_participant: Table = owned_table(
    "corporation_freelance_participant",
    _CORPORATION,
    _uuid("job_id"),
    key_id("participant_id", Names.CHARACTER),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False, comment="Committed, Kicked or Resigned"),
    Column("contributed", Id, nullable=False),
    comment=f"Who takes part in freelance jobs. {_JOBS}/{{job_id}}/participants",
)

character_freelance_job: Table = owned_table(
    "character_freelance_job",
    _CHARACTER,
    _uuid("job_id"),
    *_listed_columns(),
    _looked_column("details_of", "its details"),
    Column("closed_at", UtcTime, comment="when it was no longer listed"),
    comment=f"Freelance jobs that a character takes part in, past ones too. {_MINE}",
)

character_freelance_participation: Table = owned_table(
    "character_freelance_participation",
    _CHARACTER,
    _uuid("job_id"),
    Column("state", Text, nullable=False, comment="Committed, Kicked or Resigned"),
    Column("contributed", Id, nullable=False),
    Column("last_modified_at", UtcTime, nullable=False),
    comment=f"What a character did for freelance jobs. {_MINE}/{{job_id}}/participation",
)

freelance_job = Table(
    "freelance_job",
    metadata,
    _uuid("job_id"),
    *_told_columns(),
    an_id("creator_character_id", Names.CHARACTER),
    an_id("creator_corporation_id", Names.CORPORATION),
    Column("method", Text, nullable=False, comment="what is to be done"),
    Column("version", Integer, nullable=False, comment="of the method"),
    Column("parameters", Text, nullable=False, comment="of the method, as JSON"),
    Column("acl_protected", Boolean, nullable=False, comment="open to an access list only"),
    Column("minimum_age", Id, comment="of who takes part"),
    Column("maximum_age", Id, comment="of who takes part"),
    Column("max_committed_participants", Id),
    Column("contribution_per_participant_limit", Id),
    *_counting_columns(),
    comment="What freelance jobs ask for, told once for all. GET /freelance-jobs/{job_id}",
    info=dict(SHARED),
)

freelance_job_location = Table(
    "freelance_job_location",
    metadata,
    _uuid("job_id"),
    key_id("location_id"),
    Column("name", Text, nullable=False),
    comment="Where freelance jobs are told of. GET /freelance-jobs/{job_id}",
    info=dict(SHARED),
)

public_freelance_job = Table(
    "public_freelance_job",
    metadata,
    _uuid("job_id"),
    *_listed_columns(),
    _looked_column("details_of", "its details"),
    comment="Freelance jobs that are open to the public, past ones too. GET /freelance-jobs",
    info=dict(SHARED),
)


def _cursor_columns() -> list[Column[Any]]:
    return [
        Column("section", String(80), primary_key=True, comment="which list; whose people, by id"),
        Column("after_token", Text, comment="news come after it; NULL: nothing was there yet"),
        Column("before_token", Text, comment="older rows come before it; NULL: all were read"),
        Column("form", Integer, nullable=False, comment="of the rows; another form is read anew"),
    ]


corporation_cursor: Table = owned_table(
    "corporation_cursor",
    _CORPORATION,
    *_cursor_columns(),
    comment="How far the lists that ESI pages by cursor were read",
)

public_cursor = Table(
    "public_cursor",
    metadata,
    *_cursor_columns(),
    comment="How far the public lists that ESI pages by cursor were read",
    info=dict(SHARED),
)
