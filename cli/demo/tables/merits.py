"""Loyalty, medals, factional warfare."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners, columns, each_inner


def _warfare(answer: Answer) -> Iterable[Document]:
    times = ("yesterday", "last_week", "total")
    yield {
        **answer,
        **{f"kills_{time}": answer["kills"][time] for time in times},
        **{f"points_{time}": answer["victory_points"][time] for time in times},
    }


TABLES = (
    Mirrored("character_loyalty", "character.loyalty", Owners.CHARACTERS, ("corporation_id",)),
    Mirrored(
        "character_medal",
        "character.medals",
        Owners.CHARACTERS,
        ("medal_id", "awarded_at"),
        words={"awarded_at": "date"},
        times=columns("awarded_at"),
    ),
    Mirrored(
        "character_medal_graphic",
        "character.medals",
        Owners.CHARACTERS,
        ("medal_id", "awarded_at", "part", "layer"),
        times=columns("awarded_at"),
        documents=each_inner("medal_id", "graphics"),
    ),
    Mirrored(
        "character_factional_warfare",
        "character.factional_warfare",
        Owners.CHARACTERS,
        (),
        times=columns("enlisted_on"),
        documents=_warfare,
    ),
)
