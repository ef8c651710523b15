"""Mercenary dens and operations."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Extra, Mirrored, Owners, columns


def _dens(answer: Answer) -> Iterable[Document]:
    for one in answer:
        grown, skyhook = one["evolution"], one["skyhook"]
        yield {
            **one,
            "planet_id": skyhook["planet_id"],
            "infomorphs": one["infomorphs"]["amount"],
            "development_amount": grown["development"]["amount"],
            "development_level": grown["development"]["level"],
            "anarchy_amount": grown["anarchy"]["amount"],
            "anarchy_level": grown["anarchy"]["level"],
            "reinforced_until": one.get("reinforcement_timer", {}).get("end"),
            "skyhook_id": skyhook["id"],
            "skyhook_corporation_id": skyhook["corporation_id"],
        }


TABLES = (
    Mirrored(
        "character_mercenary_den",
        "character.mercenary_den",
        Owners.CHARACTERS,
        ("mercenary_den_id",),
        times=columns("reinforced_until"),
        documents=_dens,
    ),
    Mirrored(
        "character_mercenary_operation",
        "character.mercenary_operation",
        Owners.CHARACTERS,
        ("operation_id",),
        words={"expires_at": "expires"},
        times=columns("expires_at"),
        extra=Extra.CLOSED,
    ),
)
