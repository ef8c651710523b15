"""Blueprints that a corporation owns."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._blueprints import Blueprint
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.industry import corporation_blueprint

KIND = Kind(
    name="corporation.blueprints",
    subject=SubjectType.CORPORATION,
    feature="blueprints",
    every=timedelta(hours=1),
    summary="Blueprints that a corporation owns, with their efficiency and runs.",
    parts=(
        Part(
            name="blueprints",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/blueprints",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="corp-industry",
            ),
            wire=Blueprint,
            scopes=frozenset({"esi-corporations.read_blueprints.v1"}),
            any_role=frozenset({"Director"}),
            targets=(
                Target(
                    corporation_blueprint, key=("corporation_id", "item_id"), write=Write.REPLACE
                ),
            ),
        ),
    ),
)
