"""Incursions, traffic, warfare, and what the game offers to everybody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cli.demo.difference import Difference, Row
from cli.demo.mirrored import Answer, Document, Mirrored, Owners, columns
from cli.demo.universe import NotThere, Universe


def _infested(answer: Answer) -> Iterable[Document]:
    for one in answer:
        for system_id in one["infested_solar_systems"]:
            yield {**one, "solar_system_id": system_id}


def _levels(answer: Answer) -> Iterable[Document]:
    for one in answer:
        yield from ({"type_id": one["type_id"], **level} for level in one["levels"])


def _statistics(answer: Answer) -> Iterable[Document]:
    for one in answer:
        periods = ("yesterday", "last_week", "total")
        yield {
            **one,
            **{f"kills_{period}": one["kills"][period] for period in periods},
            **{f"points_{period}": one["victory_points"][period] for period in periods},
        }


def _leaders(answer: Answer) -> Iterable[Document]:
    for measure, lists in answer.items():
        for period, places in lists.items():
            for position, one in enumerate(places):
                yield {"measure": measure, "period": period, "position": position, **one}


def _required(answer: Answer) -> Iterable[Document]:
    for offer in answer:
        for one in offer["required_items"]:
            yield {"offer_id": offer["offer_id"], **one}


def _stores(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Every corporation is there, and the stores that there are have been read."""
    stored = {row["corporation_id"]: row for row in found}
    listed = set(universe.ask("global.npc_corporations"))
    for one in sorted(stored.keys() ^ listed, key=str):
        side = "database" if one in listed else "universe"
        yield Difference("npc_corporation", f"corporation_id {one}", f"is not in the {side}")
    for one in sorted(stored.keys() & listed, key=str):
        try:
            universe.ask("global.loyalty_offers", int(one or 0))
        except NotThere:
            continue
        if stored[one]["offers_at"] is None:
            yield Difference("npc_corporation", f"corporation_id {one}", "its store is not read")


_PLACE = ("measure", "period", "position")

TABLES = (
    Mirrored("incursion", "global.incursions", Owners.NOBODY, ("constellation_id",)),
    Mirrored(
        "incursion_system",
        "global.incursions",
        Owners.NOBODY,
        ("constellation_id", "solar_system_id"),
        documents=_infested,
    ),
    Mirrored("system_kills", "global.system_kills", Owners.NOBODY, ("system_id",)),
    Mirrored("system_jumps", "global.system_jumps", Owners.NOBODY, ("system_id",)),
    Mirrored(
        "insurance_price",
        "global.insurance",
        Owners.NOBODY,
        ("type_id", "level"),
        words={"level": "name"},
        money=columns("cost", "payout"),
        documents=_levels,
    ),
    Mirrored("industry_facility", "global.industry_facilities", Owners.NOBODY, ("facility_id",)),
    Mirrored(
        "loyalty_offer",
        "global.loyalty_offers",
        Owners.ROWS,
        ("corporation_id", "offer_id"),
        money=columns("isk_cost"),
    ),
    Mirrored(
        "loyalty_offer_item",
        "global.loyalty_offers",
        Owners.ROWS,
        ("corporation_id", "offer_id", "type_id"),
        documents=_required,
    ),
    Mirrored(
        "fw_statistics",
        "global.fw_stats",
        Owners.NOBODY,
        ("faction_id",),
        documents=_statistics,
    ),
    Mirrored("fw_system", "global.fw_systems", Owners.NOBODY, ("solar_system_id",)),
    Mirrored("fw_war", "global.fw_wars", Owners.NOBODY, ("faction_id", "against_id")),
    Mirrored("fw_leading_faction", "global.fw_factions", Owners.NOBODY, _PLACE, documents=_leaders),
    Mirrored(
        "fw_leading_corporation",
        "global.fw_corporations",
        Owners.NOBODY,
        _PLACE,
        documents=_leaders,
    ),
    Mirrored(
        "fw_leading_character",
        "global.fw_characters",
        Owners.NOBODY,
        _PLACE,
        documents=_leaders,
    ),
)

CHECKS = {"npc_corporation": _stores}
