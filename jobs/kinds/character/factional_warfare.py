"""A character's part in factional warfare."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._warfare import Enlistment, stats_part
from jobs.spec import Kind
from jobs.store.schema.merits import character_factional_warfare


class WarfareStats(Enlistment, frozen=True):
    """What GET /characters/{character_id}/fw/stats tells."""

    current_rank: int | None = None
    highest_rank: int | None = None


KIND = Kind(
    name="character.factional_warfare",
    subject=SubjectType.CHARACTER,
    feature="factional_warfare",
    every=timedelta(hours=1),
    summary="Kills, points and rank in factional warfare.",
    parts=(
        stats_part(
            SubjectType.CHARACTER,
            WarfareStats,
            character_factional_warfare,
            "esi-characters.read_fw_stats.v1",
        ),
    ),
)
