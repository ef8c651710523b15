"""What the universe is made of."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners


def _placed(answer: Answer) -> Iterable[Document]:
    yield {**answer, **answer["position"]}


TABLES = (
    Mirrored("race", "global.races", Owners.NOBODY, ("race_id",)),
    Mirrored("bloodline", "global.bloodlines", Owners.NOBODY, ("bloodline_id",)),
    Mirrored("universe_faction", "global.factions", Owners.NOBODY, ("faction_id",)),
    Mirrored("universe_type", "global.type", Owners.ROWS, ("type_id",)),
    Mirrored("universe_group", "global.group", Owners.ROWS, ("group_id",)),
    Mirrored("universe_category", "global.category", Owners.ROWS, ("category_id",)),
    Mirrored("universe_system", "global.system", Owners.ROWS, ("system_id",), documents=_placed),
    Mirrored(
        "universe_constellation",
        "global.constellation",
        Owners.ROWS,
        ("constellation_id",),
        documents=_placed,
    ),
    Mirrored("universe_region", "global.region", Owners.ROWS, ("region_id",)),
    Mirrored(
        "universe_station",
        "global.station",
        Owners.ROWS,
        ("station_id",),
        words={"owner_id": "owner"},
        documents=_placed,
    ),
    Mirrored("universe_planet", "global.planet", Owners.ROWS, ("planet_id",), documents=_placed),
    Mirrored("universe_moon", "global.moon", Owners.ROWS, ("moon_id",), documents=_placed),
)
