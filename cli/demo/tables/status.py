"""The state of the server."""

from __future__ import annotations

from cli.demo.mirrored import Extra, Mirrored, Owners, columns

TABLES = (
    Mirrored(
        "server_status",
        "global.status",
        Owners.NOBODY,
        words={"started_at": "start_time"},
        times=columns("started_at"),
        own=columns("observed_at"),
        extra=Extra.HISTORY,
        age="observed_at",
    ),
    Mirrored(
        "route_status",
        "global.meta_status",
        Owners.NOBODY,
        ("method", "path"),
        documents=lambda answer: answer["routes"],
    ),
)
