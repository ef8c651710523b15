"""Industry jobs as ESI writes them, alike for characters and corporations."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from jobs.spec import Wire

# Without it, what was delivered is gone from the list at once.
WITH_COMPLETED = (("include_completed", "true"),)
RENAMED = {
    "start_at": "start_date",
    "end_at": "end_date",
    "pause_at": "pause_date",
    "completed_at": "completed_date",
}


class Job(Wire, frozen=True, rename=RENAMED):
    """One job; where it runs is told in different words for characters and corporations."""

    job_id: int
    activity_id: int
    blueprint_id: int
    blueprint_type_id: int
    blueprint_location_id: int
    output_location_id: int
    facility_id: int
    installer_id: int
    status: str
    runs: int
    duration: int
    start_at: datetime
    end_at: datetime
    product_type_id: int | None = None
    licensed_runs: int | None = None
    successful_runs: int | None = None
    probability: float | None = None
    cost: Decimal | None = None
    pause_at: datetime | None = None
    completed_at: datetime | None = None
    completed_character_id: int | None = None
