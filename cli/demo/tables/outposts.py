"""What corporations hold: medals, shares, facilities, starbases, logged containers."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Extra, Mirrored, Owners, columns, each_inner

_OURS = Owners.CORPORATIONS


def _warfare(answer: Answer) -> Iterable[Document]:
    times = ("yesterday", "last_week", "total")
    yield {
        **answer,
        **{f"kills_{time}": answer["kills"][time] for time in times},
        **{f"points_{time}": answer["victory_points"][time] for time in times},
    }


def _entries(answer: Answer) -> Iterable[Document]:
    """Entries that are alike are told apart by their number."""
    seen: dict[str, int] = {}
    for one in answer:
        said = repr(sorted(one.items()))
        seen[said] = seen.get(said, -1) + 1
        yield {**one, "occurrence": seen[said]}


TABLES = (
    Mirrored(
        "corporation_medal",
        "corporation.medals",
        _OURS,
        ("medal_id",),
        times=columns("created_at"),
    ),
    Mirrored(
        "corporation_medal_issued",
        "corporation.medals_issued",
        _OURS,
        ("medal_id", "character_id", "issued_at"),
        times=columns("issued_at"),
    ),
    Mirrored(
        "corporation_factional_warfare",
        "corporation.factional_warfare",
        _OURS,
        (),
        times=columns("enlisted_on"),
        documents=_warfare,
    ),
    Mirrored(
        "corporation_shareholder",
        "corporation.shareholders",
        _OURS,
        ("shareholder_type", "shareholder_id"),
    ),
    Mirrored("corporation_facility", "corporation.facilities", _OURS, ("facility_id",)),
    Mirrored(
        "corporation_starbase",
        "corporation.starbases",
        _OURS,
        ("starbase_id",),
        times=columns("unanchor_at", "reinforced_until", "onlined_since"),
    ),
    Mirrored("corporation_starbase_detail", "corporation.starbase", _OURS, ("starbase_id",)),
    Mirrored(
        "corporation_starbase_fuel",
        "corporation.starbase",
        _OURS,
        ("starbase_id", "type_id"),
        documents=each_inner("starbase_id", "fuels"),
    ),
    Mirrored(
        "corporation_container_log",
        "corporation.container_logs",
        _OURS,
        (
            "logged_at",
            "container_id",
            "character_id",
            "location_flag",
            "action",
            "type_id",
            "quantity",
            "password_type",
            "new_config_bitmask",
            "occurrence",
        ),
        times=columns("logged_at"),
        own=columns("digest"),
        extra=Extra.OLDER,
        age="logged_at",
        documents=_entries,
    ),
)
