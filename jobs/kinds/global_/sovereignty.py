"""Sovereignty over systems, and the fights over the structures that stand for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.kinds._windows import Window, window_columns
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.sovereignty import (
    sovereignty_campaign,
    sovereignty_campaign_participant,
    sovereignty_system,
)


class FactionClaim(Wire, frozen=True):
    """A system of the empires."""

    faction_id: int


class Development(Wire, frozen=True):
    """How far a system is developed."""

    activity_defense_multiplier: float
    industrial_level: int
    military_level: int
    strategic_level: int


class Hub(Wire, frozen=True):
    """What the claim stands on."""

    id: int
    vulnerability_window: Window | None = None


class AllianceClaim(Wire, frozen=True):
    """A system that an alliance claims."""

    alliance_id: int
    corporation_id: int
    claimed_since: datetime
    is_capital_system: bool
    development: Development
    sovereignty_hub: Hub


class Claim(Wire, frozen=True):
    """One of three: a faction's, an alliance's, nobody's."""

    faction: FactionClaim | None = None
    alliance: AllianceClaim | None = None
    unclaimed: bool | None = None


class System(Wire, frozen=True):
    """One system."""

    solar_system_id: int
    claim: Claim


class Systems(Wire, frozen=True):
    """What GET /sovereignty/systems tells."""

    solar_systems: tuple[System, ...]


class Participant(Wire, frozen=True):
    """An alliance in a fight."""

    alliance_id: int
    score: float


class Campaign(Wire, frozen=True, rename={"start_at": "start_time"}):
    """One fight."""

    campaign_id: int
    structure_id: int
    solar_system_id: int
    constellation_id: int
    event_type: str
    start_at: datetime
    defender_id: int | None = None
    defender_score: float | None = None
    attackers_score: float | None = None
    participants: tuple[Participant, ...] = ()


def system_rows(answer: Systems, params: Params) -> Iterator[Row]:
    """Yield a row for each system, claimed or not."""
    for system in answer.solar_systems:
        faction, alliance = system.claim.faction, system.claim.alliance
        levels = alliance.development if alliance else None
        hub = alliance.sovereignty_hub if alliance else None
        yield {
            "solar_system_id": system.solar_system_id,
            "faction_id": faction.faction_id if faction else None,
            "alliance_id": alliance.alliance_id if alliance else None,
            "corporation_id": alliance.corporation_id if alliance else None,
            "claimed_at": alliance.claimed_since if alliance else None,
            "is_capital_system": alliance.is_capital_system if alliance else None,
            **{name: getattr(levels, name, None) for name in Development.__struct_fields__},
            "hub_id": hub.id if hub else None,
            **window_columns(hub.vulnerability_window if hub else None),
        }


def campaign_rows(answer: Iterable[Campaign], params: Params) -> Iterator[Row]:
    """Yield a row for each fight."""
    for campaign in answer:
        row = asdict(campaign)
        del row["participants"]
        yield row


def participant_rows(answer: Iterable[Campaign], params: Params) -> Iterator[Row]:
    """Yield a row for each alliance in each fight."""
    for campaign in answer:
        for one in campaign.participants:
            yield {"campaign_id": campaign.campaign_id, **asdict(one)}


KIND = Kind(
    name="global.sovereignty",
    subject=SubjectType.GLOBAL,
    feature="sovereignty",
    every=timedelta(minutes=5),
    off_by_default=True,
    summary="Who holds which system, and the fights over it.",
    parts=(
        Part(
            name="systems",
            route=Route("GET", "/sovereignty/systems", cache_age_s=300, rate_group="sovereignty"),
            wire=Systems,
            many=False,
            targets=(
                Target(
                    sovereignty_system,
                    key=("solar_system_id",),
                    write=Write.REPLACE,
                    rows=system_rows,
                ),
            ),
        ),
        Part(
            name="campaigns",
            route=Route("GET", "/sovereignty/campaigns", cache_age_s=5, rate_group="sovereignty"),
            wire=Campaign,
            targets=(
                Target(
                    sovereignty_campaign,
                    key=("campaign_id",),
                    write=Write.REPLACE,
                    rows=campaign_rows,
                ),
                Target(
                    sovereignty_campaign_participant,
                    key=("campaign_id", "alliance_id"),
                    write=Write.REPLACE,
                    rows=participant_rows,
                ),
            ),
        ),
    ),
)
