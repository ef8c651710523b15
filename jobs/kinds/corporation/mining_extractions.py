"""Chunks that a corporation's structures cut from moons; past ones stay, marked."""

from __future__ import annotations

from datetime import datetime, timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Pages, Part, Route, Target, Wire, Write
from jobs.store.schema.mining import corporation_mining_extraction


class Extraction(
    Wire,
    frozen=True,
    rename={
        "started_at": "extraction_start_time",
        "arrives_at": "chunk_arrival_time",
        "decays_at": "natural_decay_time",
    },
):
    """One chunk, from the start of the laser to its end by itself."""

    structure_id: int
    started_at: datetime
    moon_id: int
    arrives_at: datetime
    decays_at: datetime


KIND = Kind(
    name="corporation.mining_extractions",
    subject=SubjectType.CORPORATION,
    feature="mining",
    every=timedelta(minutes=30),
    summary="Chunks that are cut from moons, and past ones.",
    parts=(
        Part(
            name="extractions",
            route=Route(
                "GET",
                "/corporation/{corporation_id}/mining/extractions",
                pages=Pages.X_PAGES,
                cache_age_s=1800,
                rate_group="corp-industry",
            ),
            wire=Extraction,
            scopes=frozenset({"esi-industry.read_corporation_mining.v1"}),
            any_role=frozenset({"Station_Manager"}),
            targets=(
                Target(
                    corporation_mining_extraction,
                    key=("corporation_id", "structure_id", "started_at"),
                    write=Write.CLOSE,
                ),
            ),
        ),
    ),
)
