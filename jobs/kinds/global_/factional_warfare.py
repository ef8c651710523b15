"""Factional warfare as everybody sees it: factions, systems, leaders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Table

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.activity import (
    fw_leading_character,
    fw_leading_corporation,
    fw_leading_faction,
    fw_statistics,
    fw_system,
    fw_war,
)

GROUP = "factional-warfare"


class Count(Wire, frozen=True):
    """A number for each period."""

    yesterday: int
    last_week: int
    total: int


class Statistics(Wire, frozen=True):
    """How one faction does."""

    faction_id: int
    pilots: int
    systems_controlled: int
    kills: Count
    victory_points: Count


class System(Wire, frozen=True):
    """One system that is fought over."""

    solar_system_id: int
    owner_faction_id: int
    occupier_faction_id: int
    contested: str
    victory_points: int
    victory_points_threshold: int


class War(Wire, frozen=True):
    """Who is at war with whom."""

    faction_id: int
    against_id: int


class LeadingFaction(Wire, frozen=True):
    """One place of a list; either can be absent."""

    amount: int | None = None
    faction_id: int | None = None


class LeadingCorporation(Wire, frozen=True):
    """One place of a list; either can be absent."""

    amount: int | None = None
    corporation_id: int | None = None


class LeadingCharacter(Wire, frozen=True):
    """One place of a list; either can be absent."""

    amount: int | None = None
    character_id: int | None = None


class FactionLists(Wire, frozen=True):
    """A list for each period."""

    active_total: tuple[LeadingFaction, ...]
    last_week: tuple[LeadingFaction, ...]
    yesterday: tuple[LeadingFaction, ...]


class CorporationLists(Wire, frozen=True):
    """A list for each period."""

    active_total: tuple[LeadingCorporation, ...]
    last_week: tuple[LeadingCorporation, ...]
    yesterday: tuple[LeadingCorporation, ...]


class CharacterLists(Wire, frozen=True):
    """A list for each period."""

    active_total: tuple[LeadingCharacter, ...]
    last_week: tuple[LeadingCharacter, ...]
    yesterday: tuple[LeadingCharacter, ...]


class Factions(Wire, frozen=True):
    """The leading factions."""

    kills: FactionLists
    victory_points: FactionLists


class Corporations(Wire, frozen=True):
    """The leading corporations."""

    kills: CorporationLists
    victory_points: CorporationLists


class Characters(Wire, frozen=True):
    """The leading characters."""

    kills: CharacterLists
    victory_points: CharacterLists


def statistics_rows(answer: Iterable[Statistics], params: Params) -> Iterator[Row]:
    """Yield a row for each faction."""
    for one in answer:
        kills, points = asdict(one.kills), asdict(one.victory_points)
        yield {
            "faction_id": one.faction_id,
            "pilots": one.pilots,
            "systems_controlled": one.systems_controlled,
            **{f"kills_{period}": number for period, number in kills.items()},
            **{f"points_{period}": number for period, number in points.items()},
        }


def leader_rows(answer: Any, params: Params) -> Iterator[Row]:
    """Yield a row for each place of each list."""
    for measure in ("kills", "victory_points"):
        lists = getattr(answer, measure)
        for period in ("active_total", "last_week", "yesterday"):
            for position, one in enumerate(getattr(lists, period)):
                yield {
                    "measure": measure,
                    "period": period,
                    "position": position,
                    **asdict(one),
                }


def _part(
    name: str,
    path: str,
    wire: type[Wire],
    target: Target,
    *,
    many: bool = True,
    cache_age_s: int | None = None,
) -> Part:
    route = Route("GET", path, cache_age_s=cache_age_s, rate_group=GROUP)
    return Part(name=name, route=route, wire=wire, many=many, targets=(target,))


def _leaders(name: str, path: str, wire: type[Wire], table: Table) -> Part:
    target = Target(
        table, key=("measure", "period", "position"), write=Write.REPLACE, rows=leader_rows
    )
    return _part(name, path, wire, target, many=False)


KIND = Kind(
    name="global.factional_warfare",
    subject=SubjectType.GLOBAL,
    feature="public_factional_warfare",
    every=timedelta(minutes=30),
    off_by_default=True,
    summary="Factional warfare: factions, contested systems, leaders.",
    parts=(
        _part(
            "statistics",
            "/fw/stats",
            Statistics,
            Target(fw_statistics, key=("faction_id",), write=Write.REPLACE, rows=statistics_rows),
        ),
        _part(
            "systems",
            "/fw/systems",
            System,
            Target(fw_system, key=("solar_system_id",), write=Write.REPLACE),
            cache_age_s=1800,
        ),
        _part(
            "wars",
            "/fw/wars",
            War,
            Target(fw_war, key=("faction_id", "against_id"), write=Write.REPLACE),
        ),
        _leaders("leading_factions", "/fw/leaderboards", Factions, fw_leading_faction),
        _leaders(
            "leading_corporations",
            "/fw/leaderboards/corporations",
            Corporations,
            fw_leading_corporation,
        ),
        _leaders(
            "leading_characters", "/fw/leaderboards/characters", Characters, fw_leading_character
        ),
    ),
)
