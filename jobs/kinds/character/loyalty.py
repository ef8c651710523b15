"""Loyalty points that a character has with corporations."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Part, Route, Target, Wire, Write
from jobs.store.schema.merits import character_loyalty


class Loyalty(Wire, frozen=True):
    """The points with one corporation."""

    corporation_id: int
    loyalty_points: int


KIND = Kind(
    name="character.loyalty",
    subject=SubjectType.CHARACTER,
    feature="loyalty",
    every=timedelta(hours=1),
    summary="Loyalty points with each corporation.",
    parts=(
        Part(
            name="points",
            route=Route(
                "GET",
                "/characters/{character_id}/loyalty/points",
                cache_age_s=3600,
                rate_group="char-wallet",
            ),
            wire=Loyalty,
            scopes=frozenset({"esi-characters.read_loyalty.v1"}),
            targets=(
                Target(
                    character_loyalty,
                    key=("character_id", "corporation_id"),
                    write=Write.REPLACE,
                ),
            ),
        ),
    ),
)
