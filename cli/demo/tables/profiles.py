"""Who characters, corporations and alliances are."""

from __future__ import annotations

from cli.demo.mirrored import Mirrored, Owners, columns

_PIXELS = {f"px{size}": f"px{size}x{size}" for size in (64, 128, 256, 512)}

TABLES = (
    Mirrored("character", "character.profile", Owners.CHARACTERS, times=columns("birthday")),
    Mirrored(
        "character_corporation_history",
        "character.corporation_history",
        Owners.CHARACTERS,
        ("record_id",),
        words={"started_at": "start_date"},
        times=columns("started_at"),
    ),
    Mirrored(
        "character_portrait",
        "character.portrait",
        Owners.CHARACTERS,
        words=_PIXELS,
        own=columns("image_checked_at"),
    ),
    Mirrored("character_title", "character.titles", Owners.CHARACTERS, ("title_id",)),
    Mirrored(
        "corporation_alliance_history",
        "corporation.alliance_history",
        Owners.CORPORATIONS,
        ("record_id",),
        words={"started_at": "start_date"},
        times=columns("started_at"),
    ),
    Mirrored(
        "corporation_icon",
        "corporation.icons",
        Owners.CORPORATIONS,
        words=_PIXELS,
        own=columns("image_checked_at"),
    ),
    Mirrored(
        "corporation",
        "corporation.profile",
        Owners.ROWS,
        ("corporation_id",),
        words={"founded_at": "date_founded"},
        times=columns("founded_at"),
    ),
    Mirrored(
        "alliance",
        "alliance.profile",
        Owners.ROWS,
        ("alliance_id",),
        words={"founded_at": "date_founded"},
        times=columns("founded_at"),
    ),
)
