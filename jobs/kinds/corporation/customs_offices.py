"""Customs offices of a corporation, and what they charge whom."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Pages, Part, Route, Target, Wire, Write
from jobs.store.schema.structures import corporation_customs_office


class CustomsOffice(Wire, frozen=True):
    """One office; ESI does not say at which planet it is."""

    office_id: int
    system_id: int
    reinforce_exit_start: int
    reinforce_exit_end: int
    allow_alliance_access: bool
    allow_access_with_standings: bool
    type_id: int | None = None
    standing_level: str | None = None
    corporation_tax_rate: float | None = None
    alliance_tax_rate: float | None = None
    excellent_standing_tax_rate: float | None = None
    good_standing_tax_rate: float | None = None
    neutral_standing_tax_rate: float | None = None
    bad_standing_tax_rate: float | None = None
    terrible_standing_tax_rate: float | None = None


KIND = Kind(
    name="corporation.customs_offices",
    subject=SubjectType.CORPORATION,
    feature="structures",
    every=timedelta(hours=1),
    summary="Customs offices, who may use them and at what tax.",
    parts=(
        Part(
            name="offices",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/customs_offices",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="corp-industry",
            ),
            wire=CustomsOffice,
            scopes=frozenset({"esi-planets.read_customs_offices.v1"}),
            any_role=frozenset({"Director"}),
            targets=(
                Target(
                    corporation_customs_office,
                    key=("corporation_id", "office_id"),
                    write=Write.REPLACE,
                ),
            ),
        ),
    ),
)
