"""Sovereignty, hubs and skyhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cli.demo.mirrored import Answer, Document, Mirrored, Owners, columns

_WINDOW = columns("vulnerable_from", "vulnerable_until")


def _window(window: dict[str, Any] | None) -> Document:
    window = window or {}
    return {"vulnerable_from": window.get("start"), "vulnerable_until": window.get("end")}


def _claims(answer: Answer) -> Iterable[Document]:
    for system in answer["solar_systems"]:
        claim = system["claim"]
        alliance = claim.get("alliance", {})
        hub = alliance.get("sovereignty_hub", {})
        yield {
            "solar_system_id": system["solar_system_id"],
            **claim.get("faction", {}),
            **alliance,
            **alliance.get("development", {}),
            "hub_id": hub.get("id"),
            **_window(hub.get("vulnerability_window")),
        }


def _participants(answer: Answer) -> Iterable[Document]:
    for one in answer:
        for who in one.get("participants", ()):
            yield {"campaign_id": one["campaign_id"], **who}


def _listed(name: str) -> Callable[..., Iterable[Document]]:
    return lambda answer: answer[name]


def _hubs(answer: Answer) -> Iterable[Document]:
    for hub in answer:
        resources = hub["resources"]
        yield {
            **hub,
            "reagents_updated_at": hub["reagent_bay"]["last_updated"],
            **{
                f"{what}_{how}": resources[what][how]
                for what in ("power", "workforce")
                for how in ("allocated", "available")
            },
            **_window(hub.get("vulnerability_window")),
        }


def _reagents(answer: Answer) -> Iterable[Document]:
    for hub in answer:
        yield from ({"id": hub["id"], **one} for one in hub["reagent_bay"]["reagents"])


def _upgrades(answer: Answer) -> Iterable[Document]:
    for hub in answer:
        yield from ({"id": hub["id"], **one} for one in hub["upgrades"])


def _transport(answer: Answer) -> Iterable[Document]:
    for hub in answer:
        for name, is_state in (("configuration", False), ("state", True)):
            for position, way in enumerate(_ways(hub["workforce_transport"][name])):
                yield {"id": hub["id"], "is_state": is_state, "position": position, **way}


def _ways(side: dict[str, Any]) -> Iterator[Document]:
    for source in side.get("import", {}).get("sources", ()):
        yield {"direction": "import", **source}
    if "export" in side:
        yield {"direction": "export", **side["export"]}
    if side.get("transit"):
        yield {"direction": "transit"}


def _skyhooks(answer: Answer) -> Iterable[Document]:
    for one in answer:
        yield {
            **one,
            "reinforced_until": one.get("reinforcement_timer", {}).get("end"),
            **_window(one.get("theft_vulnerability")),
        }


def _stock(answer: Answer) -> Iterable[Document]:
    for skyhook in answer:
        yield from ({"id": skyhook["id"], **one} for one in skyhook.get("reagents", ()))


def _raidable(answer: Answer) -> Iterable[Document]:
    for one in answer["skyhooks"]:
        yield {**one, **_window(one["theft_vulnerability"])}


_HUB = {"sovereignty_hub_id": "id"}
_SKYHOOK = {"skyhook_id": "id"}

TABLES = (
    Mirrored(
        "sovereignty_system",
        "global.sovereignty_systems",
        Owners.NOBODY,
        ("solar_system_id",),
        words={"claimed_at": "claimed_since"},
        times=_WINDOW | {"claimed_at"},
        documents=_claims,
    ),
    Mirrored(
        "sovereignty_campaign",
        "global.sovereignty_campaigns",
        Owners.NOBODY,
        ("campaign_id",),
        words={"start_at": "start_time"},
        times=columns("start_at"),
    ),
    Mirrored(
        "sovereignty_campaign_participant",
        "global.sovereignty_campaigns",
        Owners.NOBODY,
        ("campaign_id", "alliance_id"),
        documents=_participants,
    ),
    Mirrored(
        "corporation_sovereignty_hub",
        "corporation.sovereignty_hubs",
        Owners.CORPORATIONS,
        ("sovereignty_hub_id",),
        words=_HUB,
        documents=_listed("sovereignty_hubs"),
    ),
    Mirrored(
        "corporation_sovereignty_hub_detail",
        "corporation.sovereignty_hub",
        Owners.CORPORATIONS,
        ("sovereignty_hub_id",),
        words=_HUB,
        times=_WINDOW | {"reagents_updated_at"},
        documents=_hubs,
    ),
    Mirrored(
        "corporation_sovereignty_hub_reagent",
        "corporation.sovereignty_hub",
        Owners.CORPORATIONS,
        ("sovereignty_hub_id", "type_id"),
        words=_HUB,
        documents=_reagents,
    ),
    Mirrored(
        "corporation_sovereignty_hub_upgrade",
        "corporation.sovereignty_hub",
        Owners.CORPORATIONS,
        ("sovereignty_hub_id", "type_id"),
        words=_HUB,
        documents=_upgrades,
    ),
    Mirrored(
        "corporation_sovereignty_transport",
        "corporation.sovereignty_hub",
        Owners.CORPORATIONS,
        ("sovereignty_hub_id", "is_state", "position"),
        words=_HUB,
        documents=_transport,
    ),
    Mirrored(
        "corporation_skyhook",
        "corporation.skyhooks",
        Owners.CORPORATIONS,
        ("skyhook_id",),
        words=_SKYHOOK,
        documents=_listed("skyhooks"),
    ),
    Mirrored(
        "corporation_skyhook_detail",
        "corporation.skyhook",
        Owners.CORPORATIONS,
        ("skyhook_id",),
        words=_SKYHOOK,
        times=_WINDOW | {"reinforced_until"},
        documents=_skyhooks,
    ),
    Mirrored(
        "corporation_skyhook_reagent",
        "corporation.skyhook",
        Owners.CORPORATIONS,
        ("skyhook_id", "type_id"),
        words={**_SKYHOOK, "last_cycle_at": "last_cycle"},
        times=columns("last_cycle_at"),
        documents=_stock,
    ),
    Mirrored(
        "raidable_skyhook",
        "global.raidable_skyhooks",
        Owners.NOBODY,
        ("planet_id",),
        times=_WINDOW,
        documents=_raidable,
    ),
)
