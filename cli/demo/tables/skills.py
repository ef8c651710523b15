"""Skills, the queue, attributes."""

from __future__ import annotations

from cli.demo.mirrored import Mirrored, Owners, columns

TABLES = (
    Mirrored(
        "character_skill",
        "character.skills",
        Owners.CHARACTERS,
        ("skill_id",),
        words={
            "trained_level": "trained_skill_level",
            "active_level": "active_skill_level",
            "skillpoints": "skillpoints_in_skill",
        },
        documents=lambda answer: answer["skills"],
    ),
    Mirrored("character_skillpoints", "character.skills", Owners.CHARACTERS),
    Mirrored(
        "character_skillqueue",
        "character.skillqueue",
        Owners.CHARACTERS,
        ("queue_position",),
        words={"start_at": "start_date", "finish_at": "finish_date"},
        times=columns("start_at", "finish_at"),
    ),
    Mirrored(
        "character_attributes",
        "character.attributes",
        Owners.CHARACTERS,
        words={"last_remap_at": "last_remap_date", "next_remap_at": "accrued_remap_cooldown_date"},
        times=columns("last_remap_at", "next_remap_at"),
    ),
)
