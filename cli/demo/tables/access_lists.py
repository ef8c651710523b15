"""Access lists."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners

_TYPES = ("character", "corporation", "alliance")


def _lists(answer: Answer) -> Iterable[Document]:
    yield from ({**one, "allow_everyone": one["membership"]["allow_everyone"]} for one in answer)


def _members(answer: Answer) -> Iterable[Document]:
    for one in answer:
        for kind in _TYPES:
            for member in one["membership"][f"{kind}s"]:
                yield {
                    "access_list_id": one["access_list_id"],
                    "member_type": kind,
                    "member_id": member[f"{kind}_id"],
                    "access": member["access"],
                }


TABLES = (
    Mirrored(
        "character_access_list",
        "character.access_list",
        Owners.CHARACTERS,
        ("access_list_id",),
        documents=_lists,
    ),
    Mirrored(
        "character_access_list_member",
        "character.access_list",
        Owners.CHARACTERS,
        ("access_list_id", "member_type", "member_id"),
        documents=_members,
    ),
)
