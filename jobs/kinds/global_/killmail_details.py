"""Killmails that are known by id and hash only: what happened is read, whoever they concern."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._killmails import details_part
from jobs.spec import Kind
from jobs.store.schema.killmails import character_killmail, corporation_killmail

KIND = Kind(
    name="global.killmail_details",
    subject=SubjectType.GLOBAL,
    feature="killmails",
    every=timedelta(hours=6),
    summary="Details of killmails that lack them; no request when none does.",
    parts=(details_part(character_killmail, corporation_killmail),),
)
