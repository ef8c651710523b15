"""What a character mined, by day, system and type; today's rows grow, and days stay."""

from __future__ import annotations

from datetime import date, timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Pages, Part, Route, Target, Wire, Write
from jobs.store.schema.industry import character_mining


class Mined(Wire, frozen=True, rename={"day": "date"}):
    """What one day brought of one type in one system."""

    day: date
    solar_system_id: int
    type_id: int
    quantity: int


KIND = Kind(
    name="character.mining",
    subject=SubjectType.CHARACTER,
    feature="mining",
    every=timedelta(minutes=10),
    summary="Ore mined by day, system and type.",
    parts=(
        Part(
            name="mining",
            route=Route(
                "GET",
                "/characters/{character_id}/mining",
                pages=Pages.X_PAGES,
                cache_age_s=600,
                rate_group="char-industry",
            ),
            wire=Mined,
            scopes=frozenset({"esi-industry.read_character_mining.v1"}),
            targets=(
                Target(
                    character_mining,
                    key=("character_id", "day", "solar_system_id", "type_id"),
                    write=Write.UPSERT,
                ),
            ),
        ),
    ),
)
