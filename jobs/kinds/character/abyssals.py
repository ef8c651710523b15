"""What the mutated items of a character can do; derived from its assets."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._abyssals import abyssals_part
from jobs.spec import Kind
from jobs.store.schema.assets import character_asset

KIND = Kind(
    name="character.abyssals",
    subject=SubjectType.CHARACTER,
    feature="assets",
    every=timedelta(hours=1),
    summary="Attributes of the mutated items that a character owns; each is asked for once.",
    parts=(abyssals_part(character_asset),),
)
