"""Blueprints that a character owns."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._blueprints import Blueprint
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.industry import character_blueprint

KIND = Kind(
    name="character.blueprints",
    subject=SubjectType.CHARACTER,
    feature="blueprints",
    every=timedelta(hours=1),
    summary="Blueprints that a character owns, with their efficiency and runs.",
    parts=(
        Part(
            name="blueprints",
            route=Route(
                "GET",
                "/characters/{character_id}/blueprints",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="char-industry",
            ),
            wire=Blueprint,
            scopes=frozenset({"esi-characters.read_blueprints.v1"}),
            targets=(
                Target(character_blueprint, key=("character_id", "item_id"), write=Write.REPLACE),
            ),
        ),
    ),
)
