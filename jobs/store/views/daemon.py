"""Views of the daemon's own tables: what runs, and what was granted."""

from __future__ import annotations

from collections.abc import Mapping

from jobs.store.views.fields import flag, integer, text, time
from jobs.store.views.view import Branch, View


def _subject(b: Branch, kind: str, of: str) -> str:
    return (
        f"CASE {kind} WHEN 'character' THEN {b.character(of)}"
        f" WHEN 'corporation' THEN {b.corporation(of)} ELSE {b.name(of, '')} END"
    )


def _jobs(b: Branch) -> Mapping[str, str]:
    return {
        "subject_type": "o.subject_type",
        "subject_id": "o.subject_id",
        "subject": _subject(b, "o.subject_type", "o.subject_id"),
        "kind": "o.kind",
        "state": "CASE WHEN o.parked_reason IS NOT NULL THEN 'parked' ELSE o.outcome END",
        "reason": "COALESCE(o.parked_reason, o.last_reason)",
        "rows_touched": "o.rows_touched",
        "to_fetch": "o.to_fetch",
        "last_attempt_at": "o.last_attempt_at",
        "last_success_at": "o.last_success_at",
        "last_changed_at": "o.last_changed_at",
        "next_eligible_at": "o.next_eligible_at",
        "consecutive_failures": "o.consecutive_failures",
    }


JOBS = View(
    "v_jobs",
    "How fresh each section of each subject is",
    (
        text("subject_type"),
        integer("subject_id", "0: global"),
        text("subject"),
        text("kind"),
        text("state", "synced, empty, not_ready, blocked, skipped, failed or parked"),
        text("reason"),
        integer("rows_touched", "by the last run"),
        integer("to_fetch", "things that a long job goes on with soon"),
        time("last_attempt_at"),
        time("last_success_at"),
        time("last_changed_at"),
        time("next_eligible_at"),
        integer("consecutive_failures"),
    ),
    (("ledger AS o", _jobs),),
)


def _credentials(b: Branch) -> Mapping[str, str]:
    return {
        "credential_id": "o.id",
        "character_id": "o.character_id",
        "character": b.character("o.character_id"),
        "client_id": "o.client_id",
        "scopes": "o.scopes",
        "needs_reauth": "o.needs_reauth",
        "expires_at": "o.expires_at",
        "refreshed_at": "o.refreshed_at",
        "created_at": "o.created_at",
    }


CREDENTIALS = View(
    "v_credentials",
    "What was granted, without the tokens",
    (
        integer("credential_id"),
        integer("character_id"),
        text("character"),
        text("client_id", "the application it was granted to"),
        text("scopes", "sorted, apart by blanks"),
        flag("needs_reauth", "only a new login helps"),
        time("expires_at", "of the access token"),
        time("refreshed_at"),
        time("created_at"),
    ),
    (("credential AS o", _credentials),),
)

VIEWS = (JOBS, CREDENTIALS)
