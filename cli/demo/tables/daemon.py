"""The daemon's own tables: they show nothing of the universe."""

from __future__ import annotations

OWN = (
    "access",
    "alembic_version",
    "contact_list",
    "contact_list_character",
    "contact_list_entry",
    "credential",
    "ledger",
    "outbox",
    "owner",
    "pause",
    "rate_bucket",
    "route_state",
    "subject",
    "view_made",
)
