"""Industry facilities of a corporation."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Part, Route, Target, Wire, Write
from jobs.store.schema.structures import corporation_facility


class Facility(Wire, frozen=True):
    """One facility, and where it is."""

    facility_id: int
    type_id: int
    system_id: int


KIND = Kind(
    name="corporation.facilities",
    subject=SubjectType.CORPORATION,
    feature="structures",
    every=timedelta(hours=1),
    summary="Industry facilities, and where they are.",
    parts=(
        Part(
            name="facilities",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/facilities",
                cache_age_s=3600,
                rate_group="corp-structure",
            ),
            wire=Facility,
            scopes=frozenset({"esi-corporations.read_facilities.v1"}),
            any_role=frozenset({"Factory_Manager"}),
            targets=(
                Target(
                    corporation_facility,
                    key=("corporation_id", "facility_id"),
                    write=Write.REPLACE,
                ),
            ),
        ),
    ),
)
