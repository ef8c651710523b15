"""Subjects: whose data is mirrored, and the key of a job."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

# What a database column holds.
MAX_ID = 2**63 - 1


def id_of(text: str) -> int | None:
    """Return the id that a text is; None if it is no number, or none that anything can have."""
    # Python converts no number of thousands of digits.
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_ID))):
        return None
    number = int(text)
    return number if 0 < number <= MAX_ID else None


class SubjectType(StrEnum):
    """What a subject is."""

    CHARACTER = "character"
    CORPORATION = "corporation"
    ALLIANCE = "alliance"
    GLOBAL = "global"


class NotASubject(ValueError):
    """The text names no subject."""


class Subject(msgspec.Struct, frozen=True, order=True, gc=False):
    """One owner of data; the global subject has id 0."""

    type: SubjectType
    id: Annotated[int, msgspec.Meta(ge=0, le=MAX_ID)]

    def __str__(self) -> str:
        """Return the form used on the command line, as `character:90000001` or `global`."""
        return "global" if self.type is SubjectType.GLOBAL else f"{self.type}:{self.id}"

    @classmethod
    def parse(cls, text: str) -> Subject:
        """Return the subject that a command line names; NotASubject if it names none."""
        if text == "global":
            return GLOBAL
        word, _, digits = text.partition(":")
        number = id_of(digits)
        of_one = (SubjectType.CHARACTER, SubjectType.CORPORATION, SubjectType.ALLIANCE)
        if word in of_one and number is not None:
            return cls(SubjectType(word), number)
        raise NotASubject(
            f"{text!r} is no subject; write character:ID, corporation:ID, alliance:ID or global"
        )


GLOBAL = Subject(SubjectType.GLOBAL, 0)


class JobKey(msgspec.Struct, frozen=True, order=True, gc=False):
    """What is scheduled: one kind for one subject."""

    kind: str
    subject: Subject

    def __str__(self) -> str:
        """Return a short form for logs."""
        return f"{self.kind}({self.subject})"
