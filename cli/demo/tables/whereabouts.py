"""Where characters are, and in what ship."""

from __future__ import annotations

from cli.demo.mirrored import Extra, Mirrored, Owners, columns

TABLES = (
    Mirrored("character_location", "character.location", Owners.CHARACTERS),
    Mirrored(
        "character_location_history",
        "character.location",
        Owners.CHARACTERS,
        own=columns("observed_at"),
        extra=Extra.HISTORY,
        age="observed_at",
    ),
    Mirrored(
        "character_online",
        "character.online",
        Owners.CHARACTERS,
        times=columns("last_login", "last_logout"),
    ),
    Mirrored("character_ship", "character.ship", Owners.CHARACTERS),
)
