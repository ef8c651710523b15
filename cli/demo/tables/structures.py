"""Structures of corporations."""

from __future__ import annotations

from cli.demo.mirrored import Extra, Mirrored, Owners, columns, each_inner

TABLES = (
    Mirrored(
        "corporation_structure",
        "corporation.structures",
        Owners.CORPORATIONS,
        ("structure_id",),
        times=columns(
            "state_timer_start",
            "state_timer_end",
            "fuel_expires",
            "unanchors_at",
            "next_reinforce_apply",
        ),
        extra=Extra.CLOSED,
    ),
    Mirrored(
        "corporation_structure_service",
        "corporation.structures",
        Owners.CORPORATIONS,
        ("structure_id", "name"),
        documents=each_inner("structure_id", "services"),
    ),
    Mirrored(
        "corporation_customs_office",
        "corporation.customs_offices",
        Owners.CORPORATIONS,
        ("office_id",),
    ),
)
