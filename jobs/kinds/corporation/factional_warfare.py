"""A corporation's part in factional warfare."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._warfare import Enlistment, stats_part
from jobs.spec import Kind
from jobs.store.schema.merits import corporation_factional_warfare


class WarfareStats(Enlistment, frozen=True):
    """What GET /corporations/{corporation_id}/fw/stats tells."""

    pilots: int | None = None


KIND = Kind(
    name="corporation.factional_warfare",
    subject=SubjectType.CORPORATION,
    feature="factional_warfare",
    every=timedelta(hours=1),
    summary="Kills, points and pilots in factional warfare.",
    parts=(
        stats_part(
            SubjectType.CORPORATION,
            WarfareStats,
            corporation_factional_warfare,
            "esi-corporations.read_fw_stats.v1",
        ),
    ),
)
