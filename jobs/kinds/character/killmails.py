"""Kills and losses of a character, with what happened."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._killmails import KillmailRef, details_part
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.killmails import character_killmail

SCOPES = frozenset({"esi-killmails.read_killmails.v1"})

KIND = Kind(
    name="character.killmails",
    subject=SubjectType.CHARACTER,
    feature="killmails",
    every=timedelta(minutes=5),
    summary="Kills and losses of a character; each killmail is read once for all.",
    parts=(
        Part(
            name="recent",
            route=Route(
                "GET",
                "/characters/{character_id}/killmails/recent",
                pages=Pages.X_PAGES,
                cache_age_s=300,
                rate_group="char-killmail",
            ),
            wire=KillmailRef,
            scopes=SCOPES,
            targets=(
                Target(character_killmail, key=("character_id", "killmail_id"), write=Write.APPEND),
            ),
        ),
        details_part(character_killmail, scopes=SCOPES),
    ),
)
