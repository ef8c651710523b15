"""Projects of corporations and freelance jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

import msgspec

from cli.demo.difference import Check, Difference, Key, Row, differences_of, plain
from cli.demo.mirrored import Answer, Document, Extra, Mirrored, Owners, columns
from cli.demo.universe import NotThere, Universe

# How far lists were read.
OWN = ("corporation_cursor", "public_cursor")
_LISTED: dict[str, Any] = {
    "words": {"last_modified_at": "last_modified"},
    "times": columns("last_modified_at"),
    "money": columns("reward_initial", "reward_remaining"),
}
_TIMES = ("last_modified_at", "created_at", "expires_at", "finished_at")


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _lines(id_name: str) -> Callable[[Answer], Iterable[Document]]:
    def documents(answer: Answer) -> Iterable[Document]:
        for one in answer["freelance_jobs"] if isinstance(answer, dict) else answer:
            yield {
                **one,
                id_name: one["id"],
                **{f"progress_{word}": number for word, number in one["progress"].items()},
                **{f"reward_{word}": isk for word, isk in one.get("reward", {}).items()},
            }

    return documents


def _details(one: Document) -> Document:
    told = one["details"]
    return {
        "last_modified_at": one["last_modified"],
        "description": told["description"],
        "career": told["career"],
        "created_at": told["created"],
        "expires_at": told.get("expires"),
        "finished_at": told.get("finished"),
        **one.get("contribution", {}),
    }


def _projects(answer: Answer) -> Iterable[Document]:
    for one in answer:
        yield {
            "project_id": one["project_id"],
            **_details(one),
            "creator_id": one["creator"]["id"],
            "configuration": _json(one["configuration"]),
        }


def _people(id_name: str) -> Callable[[Answer], Iterable[Document]]:
    def documents(answer: Answer) -> Iterable[Document]:
        return ({**one, id_name: one["id"]} for one in answer)

    return documents


TABLES = (
    Mirrored(
        "corporation_project",
        "corporation.projects",
        Owners.CORPORATIONS,
        ("project_id",),
        own=columns("details_of", "contributors_of"),
        documents=_lines("project_id"),
        **_LISTED,
    ),
    Mirrored(
        "corporation_project_detail",
        "corporation.project",
        Owners.CORPORATIONS,
        ("project_id",),
        times=columns(*_TIMES),
        money=columns("reward_per_contribution"),
        documents=_projects,
    ),
    Mirrored(
        "corporation_project_contributor",
        "corporation.project_contributors",
        Owners.CORPORATIONS,
        ("project_id", "contributor_id"),
        documents=_people("contributor_id"),
    ),
    Mirrored(
        "corporation_freelance_job",
        "corporation.freelance_jobs",
        Owners.CORPORATIONS,
        ("job_id",),
        own=columns("details_of", "participants_of"),
        documents=_lines("job_id"),
        **_LISTED,
    ),
    Mirrored(
        "corporation_freelance_participant",
        "corporation.freelance_participants",
        Owners.CORPORATIONS,
        ("job_id", "participant_id"),
        documents=_people("participant_id"),
    ),
    Mirrored(
        "public_freelance_job",
        "global.freelance_jobs",
        Owners.NOBODY,
        ("job_id",),
        own=columns("details_of"),
        documents=_lines("job_id"),
        **_LISTED,
    ),
    Mirrored(
        "character_freelance_job",
        "character.freelance_jobs",
        Owners.CHARACTERS,
        ("job_id",),
        own=columns("details_of"),
        extra=Extra.CLOSED,
        documents=_lines("job_id"),
        **_LISTED,
    ),
    Mirrored(
        "character_freelance_participation",
        "character.freelance_participation",
        Owners.CHARACTERS,
        ("job_id",),
        words={"last_modified_at": "last_modified"},
        times=columns("last_modified_at"),
        extra=Extra.OTHERS,
        age="job_id",
    ),
)


def _job(one: Document) -> Row:
    task, access, creator = one["configuration"], one["access_and_visibility"], one["details"]
    told = {
        **_details(one),
        "creator_character_id": creator["creator"]["character"]["id"],
        "creator_corporation_id": creator["creator"]["corporation"]["id"],
        "method": task["method"],
        "version": task["version"],
        "parameters": _json(task["parameters"]),
        "acl_protected": access["acl_protected"],
    }
    return {
        name: plain(value, is_time=name in _TIMES, is_money=name == "reward_per_contribution")
        for name, value in told.items()
    }


def _told(found: list[Row], universe: Universe) -> Iterator[tuple[str, Document | None]]:
    """Yield each job that rows are of, with what the universe tells of it."""
    for job_id in sorted({str(row["job_id"]) for row in found}):
        try:
            yield job_id, universe.ask("global.freelance_job", UUID(job_id).int)
        except NotThere:
            yield job_id, None


def _jobs(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Every job in a list is there, as it is."""
    listed = {
        one["id"]
        for corporation_id in universe.corporation_ids
        for one in universe.ask("corporation.freelance_jobs", corporation_id)
    }
    for missing in sorted(listed - {row["job_id"] for row in found}):
        yield Difference("freelance_job", f"job_id {missing}", "is not in the database")
    expected: dict[Key, Row] = {
        (job_id,): {"job_id": job_id, **_job(one)} for job_id, one in _told(found, universe) if one
    }
    by_key: dict[Key, Row] = {(row["job_id"],): row for row in found}
    yield from differences_of("freelance_job", ("job_id",), expected, by_key, frozenset())


def _locations(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Every place where such a job is told of is there."""
    expected: dict[Key, Row] = {}
    for job_id, one in _told(found, universe):
        for place in one["access_and_visibility"]["broadcast_locations"] if one else ():
            key = (job_id, place["id"])
            expected[key] = {"job_id": job_id, "location_id": place["id"], "name": place["name"]}
    by_key: dict[Key, Row] = {(row["job_id"], row["location_id"]): row for row in found}
    key_names = ("job_id", "location_id")
    yield from differences_of("freelance_job_location", key_names, expected, by_key, frozenset())


CHECKS: Mapping[str, Check] = {"freelance_job": _jobs, "freelance_job_location": _locations}
