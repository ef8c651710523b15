"""Chunks from moons, and who mined beside which structure."""

from __future__ import annotations

from cli.demo.mirrored import Extra, Mirrored, Owners, columns

TABLES = (
    Mirrored(
        "corporation_mining_extraction",
        "corporation.mining_extractions",
        Owners.CORPORATIONS,
        ("structure_id", "started_at"),
        words={
            "started_at": "extraction_start_time",
            "arrives_at": "chunk_arrival_time",
            "decays_at": "natural_decay_time",
        },
        times=columns("started_at", "arrives_at", "decays_at"),
        extra=Extra.CLOSED,
    ),
    Mirrored(
        "corporation_mining_observer",
        "corporation.mining_observers",
        Owners.CORPORATIONS,
        ("observer_id",),
        extra=Extra.CLOSED,
    ),
    Mirrored(
        "corporation_mining_ledger",
        "corporation.mining_ledger",
        Owners.CORPORATIONS,
        ("observer_id", "day", "character_id", "type_id", "recorded_corporation_id"),
        words={"day": "last_updated"},
        extra=Extra.OLDER,
        age="day",
        each=("observer_id",),
    ),
)
