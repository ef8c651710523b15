"""Clones, implants, fatigue."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners, columns


def _clone_implants(answer: Answer) -> Iterable[Document]:
    for clone in answer["jump_clones"]:
        for type_id in clone["implants"]:
            yield {"jump_clone_id": clone["jump_clone_id"], "type_id": type_id}


def _home(answer: Answer) -> Iterable[Document]:
    home = answer["home_location"]
    yield {
        **answer,
        "home_location_id": home["location_id"],
        "home_location_type": home["location_type"],
    }


TABLES = (
    Mirrored(
        "character_clone",
        "character.clones",
        Owners.CHARACTERS,
        (),
        words={
            "last_clone_jump_at": "last_clone_jump_date",
            "last_station_change_at": "last_station_change_date",
        },
        times=columns("last_clone_jump_at", "last_station_change_at"),
        documents=_home,
    ),
    Mirrored(
        "character_jump_clone",
        "character.clones",
        Owners.CHARACTERS,
        ("jump_clone_id",),
        documents=lambda answer: answer["jump_clones"],
    ),
    Mirrored(
        "character_jump_clone_implant",
        "character.clones",
        Owners.CHARACTERS,
        ("jump_clone_id", "type_id"),
        documents=_clone_implants,
    ),
    Mirrored(
        "character_implant",
        "character.implants",
        Owners.CHARACTERS,
        ("type_id",),
        documents=lambda answer: [{"type_id": one} for one in answer],
    ),
    Mirrored(
        "character_fatigue",
        "character.fatigue",
        Owners.CHARACTERS,
        (),
        words={
            "fatigue_ends_at": "jump_fatigue_expire_date",
            "last_jump_at": "last_jump_date",
            "last_update_at": "last_update_date",
        },
        times=columns("fatigue_ends_at", "last_jump_at", "last_update_at"),
    ),
)
