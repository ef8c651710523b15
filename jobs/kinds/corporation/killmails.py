"""Kills and losses of a corporation, with what happened."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._killmails import KillmailRef, details_part
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.killmails import corporation_killmail

SCOPES = frozenset({"esi-killmails.read_corporation_killmails.v1"})
DIRECTOR = frozenset({"Director"})

KIND = Kind(
    name="corporation.killmails",
    subject=SubjectType.CORPORATION,
    feature="killmails",
    every=timedelta(minutes=5),
    summary="Kills and losses of a corporation; each killmail is read once for all.",
    parts=(
        Part(
            name="recent",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/killmails/recent",
                pages=Pages.X_PAGES,
                cache_age_s=300,
                rate_group="corp-killmail",
            ),
            wire=KillmailRef,
            scopes=SCOPES,
            any_role=DIRECTOR,
            targets=(
                Target(
                    corporation_killmail, key=("corporation_id", "killmail_id"), write=Write.APPEND
                ),
            ),
        ),
        details_part(corporation_killmail, scopes=SCOPES, any_role=DIRECTOR),
    ),
)
