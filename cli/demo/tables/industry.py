"""Blueprints, jobs, mining, research."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cli.demo.mirrored import Answer, Document, Extra, Mirrored, Owners, columns


def _indices(answer: Answer) -> Iterable[Document]:
    for system in answer:
        for one in system["cost_indices"]:
            yield {"solar_system_id": system["solar_system_id"], **one}


_JOB: dict[str, Any] = {
    "words": {
        "start_at": "start_date",
        "end_at": "end_date",
        "pause_at": "pause_date",
        "completed_at": "completed_date",
    },
    "times": columns("start_at", "end_at", "pause_at", "completed_at"),
    "money": columns("cost"),
    "extra": Extra.CLOSED,
}

TABLES = (
    Mirrored("character_blueprint", "character.blueprints", Owners.CHARACTERS, ("item_id",)),
    Mirrored(
        "character_industry_job", "character.industry_jobs", Owners.CHARACTERS, ("job_id",), **_JOB
    ),
    Mirrored(
        "character_mining",
        "character.mining",
        Owners.CHARACTERS,
        ("day", "solar_system_id", "type_id"),
        words={"day": "date"},
        extra=Extra.OLDER,
        age="day",
    ),
    Mirrored(
        "character_research",
        "character.research",
        Owners.CHARACTERS,
        ("agent_id",),
        times=columns("started_at"),
    ),
    Mirrored("corporation_blueprint", "corporation.blueprints", Owners.CORPORATIONS, ("item_id",)),
    Mirrored(
        "corporation_industry_job",
        "corporation.industry_jobs",
        Owners.CORPORATIONS,
        ("job_id",),
        **_JOB,
    ),
    Mirrored(
        "industry_index",
        "global.industry_indices",
        Owners.NOBODY,
        ("solar_system_id", "activity"),
        documents=_indices,
    ),
)
