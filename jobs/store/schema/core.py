"""The daemon's own tables: subjects, credentials, ledger, outbox, request state, ownership."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Index,
    Integer,
    String,
    Table,
    Text,
    event,
    text,
)

from jobs.store.schema.types import Id, UtcTime, metadata
from jobs.store.write_status import OPEN

owner = Table(
    "owner",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False, comment="1: there is one row"),
    Column("epoch", Id, nullable=False, comment="raised by each start of the engine"),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    # Read in every write transaction, so that what an older engine left running changes nothing.
    comment="Which daemon may write",
)

subject = Table(
    "subject",
    metadata,
    Column("type", String(16), primary_key=True, comment="character, corporation or alliance"),
    Column("id", Id, primary_key=True, autoincrement=False),
    Column(
        "state",
        String(16),
        nullable=False,
        comment="active, withdrawn (its rows are kept) or deleted (they are not)",
    ),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    comment="Whose data is mirrored",
)

credential = Table(
    "credential",
    metadata,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("character_id", Id, nullable=False),
    Column("client_id", Text, nullable=False, comment="the application it was granted to"),
    Column("scopes", Text, nullable=False, comment="sorted, apart by blanks"),
    Column("access_token", Text),
    Column("refresh_token", Text, nullable=False),
    Column("key_id", Text, comment="NULL: the tokens are stored as they are"),
    Column("expires_at", UtcTime, comment="of the access token"),
    Column("generation", Id, nullable=False, comment="raised by each new token, grant or flag"),
    Column(
        "needs_reauth",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="only a new login helps",
    ),
    Column("refused_at", UtcTime, comment="when SSO first refused the refresh token; NULL: well"),
    Column("refreshed_at", UtcTime),
    Column("logged_in_at", UtcTime, comment="when a person last granted it, or imported it"),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Index("uq_credential_character_id_client_id", "character_id", "client_id", unique=True),
    comment="What SSO granted, always to a character",
)

access = Table(
    "access",
    metadata,
    Column("subject_type", String(16), primary_key=True),
    Column("subject_id", Id, primary_key=True, autoincrement=False),
    Column("credential_id", Id, primary_key=True, autoincrement=False),
    Column("roles", Text, comment="sorted, apart by blanks; NULL: not known"),
    Column("refused_until", UtcTime, comment="what ESI refused is not asked again before"),
    Column(
        "refused_roles",
        Text,
        comment="the refusal concerns what needs one of these roles; NULL: everything",
    ),
    Column("updated_at", UtcTime, nullable=False),
    comment="Through which credentials a corporation or alliance is read",
)

route_state = Table(
    "route_state",
    metadata,
    Column("route", Text, primary_key=True, comment="GET and the path, ids in braces"),
    Column("params", Text, primary_key=True, comment="of path and query, as sorted JSON"),
    Column(
        "owner_id",
        Id,
        primary_key=True,
        autoincrement=False,
        comment="the character whose token was used; 0: none",
    ),
    Column("page", Integer, primary_key=True, autoincrement=False),
    Column("revision", Text, nullable=False, comment="form of the rows, and compatibility date"),
    Column("etag", Text),
    # Sent back and compared, never calculated with.
    Column("last_modified", Text, comment="word for word as ESI wrote it"),
    Column("expires_at", UtcTime, comment="by our own clock"),
    Column("pages", Integer),
    Column(
        "complete_walk",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="the walk back through history once reached its end",
    ),
    Column("cursor", Text, comment="newest id of the history, or a doubt about a set"),
    Column("checked_at", UtcTime, nullable=False),
    Column(
        "rows_skipped",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="rows of the set that could not be read or stored; on page 1",
    ),
    Column(
        "words_unknown",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="words of the set that ESI's contract does not list; on page 1",
    ),
    # Written with the rows and nowhere else: a 304 then always means that they are there.
    comment="What is known of each request",
)

ledger = Table(
    "ledger",
    metadata,
    Column("subject_type", String(16), primary_key=True),
    Column("subject_id", Id, primary_key=True, autoincrement=False, comment="0: global"),
    Column("kind", String(64), primary_key=True),
    Column(
        "outcome",
        String(16),
        nullable=False,
        comment="synced, empty, not_ready, blocked, skipped or failed",
    ),
    Column("rows_touched", Integer, nullable=False, server_default=text("0")),
    Column(
        "rows_skipped",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="rows that could not be read or stored; the others were kept",
    ),
    Column(
        "to_fetch",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="things that a long job has not fetched yet; it goes on soon",
    ),
    Column(
        "words_unknown",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="words that ESI's contract does not list; they were stored as they came",
    ),
    Column("last_reason", Text, comment="in words, where there is something to say"),
    Column("started_at", UtcTime),
    Column("duration_ms", Integer),
    Column("last_attempt_at", UtcTime, nullable=False),
    Column("last_success_at", UtcTime, comment="when it was last looked at and all was well"),
    Column("last_changed_at", UtcTime, comment="when rows last changed"),
    Column("next_eligible_at", UtcTime),
    Column("fresh_until", UtcTime, comment="before then the answers cannot change"),
    Column("consecutive_failures", Integer, nullable=False, server_default=text("0")),
    Column(
        "strikes",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="times that it killed its worker while it ran alone",
    ),
    Column("parked_reason", Text, comment="NULL: not parked"),
    Column(
        "parked_generation",
        Id,
        comment="of the credential; a newer one ends the park. NULL: only a person does",
    ),
    # What makes a restart cheap.
    comment="How each job last ended and when it is due",
)

# Word for word the condition of the unique index, or the databases do not recognise it.
OPEN_WRITES = text("status IN ({})".format(", ".join(f"'{one}'" for one in OPEN)))

outbox = Table(
    "outbox",
    metadata,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("subject_type", String(16), nullable=False),
    Column("subject_id", Id, nullable=False),
    Column("kind", String(64), nullable=False),
    Column("payload", Text, nullable=False, comment="JSON"),
    Column("dedupe_key", Text, nullable=False, comment="open rows of one kind differ in it"),
    Column(
        "target",
        Text,
        nullable=False,
        server_default=text("''"),
        comment="what is written to: writes to one target keep their order; empty: no order",
    ),
    Column(
        "revision",
        Integer,
        nullable=False,
        server_default=text("1"),
        comment="raised with each new payload: only the one that was sent can be done",
    ),
    Column(
        "status",
        String(16),
        nullable=False,
        server_default=text("'pending'"),
        comment="pending, inflight, done, failed, uncertain or cancelled",
    ),
    Column(
        "attempts",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="those that ESI itself answered with a failure",
    ),
    Column("next_attempt_at", UtcTime, nullable=False),
    Column("claimed_by_epoch", Id),
    Column("claim_expires_at", UtcTime),
    Column("expires_at", UtcTime, comment="given up then"),
    Column("last_error", Text),
    Column("result", Text, comment="JSON: what ESI answered, or from when to when it is in doubt"),
    Column("held_until", UtcTime, comment="done, and what ESI shows before then may be older"),
    Column("created_at", UtcTime, nullable=False, comment="when it was last asked for"),
    Column("updated_at", UtcTime, nullable=False),
    Index(
        "uq_outbox_open",
        "subject_type",
        "subject_id",
        "kind",
        "dedupe_key",
        unique=True,
        sqlite_where=OPEN_WRITES,
    ),
    Index("ix_outbox_status_next_attempt_at", "status", "next_attempt_at"),
    Index("ix_outbox_status_created_at", "status", "created_at", "id"),
    Index("ix_outbox_subject_target", "subject_type", "subject_id", "target"),
    comment="Writes that are wanted at ESI",
)


def name_conditions_for_postgresql() -> None:
    """Set the conditions of indexes for PostgreSQL too; naming them loads its dialect, 4 MB."""
    for index in outbox.indexes:
        if index.name == "uq_outbox_open":
            index.dialect_options["postgresql"]["where"] = OPEN_WRITES


@event.listens_for(outbox, "before_create")
def _before_create(_table: Table, connection: Connection, **_: Any) -> None:
    if connection.dialect.name == "postgresql":
        name_conditions_for_postgresql()


pause = Table(
    "pause",
    metadata,
    Column("scope", String(64), primary_key=True, comment="all"),
    Column("until", UtcTime, nullable=False),
    Column("reason", Text, nullable=False),
    comment="Waits that ESI asked for, kept over a restart",
)

rate_bucket = Table(
    "rate_bucket",
    metadata,
    Column("name", Text, primary_key=True, comment="rate group, and the character or public"),
    Column("tokens_limit", Integer, nullable=False, comment="tokens in a window"),
    Column("window_s", Integer, nullable=False),
    Column("spent", Integer, nullable=False, comment="tokens, those lent to jobs included"),
    Column("back_at", UtcTime, nullable=False, comment="by then the last of them has come back"),
    Column("blocked_until", UtcTime, comment="ESI refused requests until then"),
    comment="What was spent of ESI's rate limits, kept over a restart",
)

view_made = Table(
    "view_made",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("digest", String(64), nullable=False, comment="of its SQL"),
    comment="Views that this program made",
)
