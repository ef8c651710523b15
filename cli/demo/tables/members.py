"""Members, roles and titles of corporations."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cli.demo.mirrored import Answer, Document, Extra, Mirrored, Owners, columns


def _roles(answer: Answer) -> Iterable[Document]:
    places = {
        "all": "roles",
        "base": "roles_at_base",
        "hq": "roles_at_hq",
        "other": "roles_at_other",
    }
    for place, word in places.items():
        yield from ({"place": place, "role": role} for role in answer.get(word, ()))


def _divisions(answer: Answer) -> Iterable[Document]:
    for kind in ("hangar", "wallet"):
        yield from ({"kind": kind, **one} for one in answer.get(kind, ()))


def _held(name: str) -> Callable[..., Iterable[Document]]:
    """Return what makes a row of each role of each row that has a number of this name."""

    def documents(answer: Answer) -> Iterable[Document]:
        for one in answer:
            for prefix, grantable in (("", False), ("grantable_", True)):
                for row in _roles({key.removeprefix(prefix): one[key] for key in one
                                   if key.startswith(f"{prefix}roles")}):  # fmt: skip
                    yield {name: one[name], "grantable": grantable, **row}

    return documents


def _member_titles(answer: Answer) -> Iterable[Document]:
    for one in answer:
        yield from (
            {"character_id": one["character_id"], "title_id": title} for title in one["titles"]
        )


def _role_changes(answer: Answer) -> Iterable[Document]:
    """Entries that are alike are told apart by their number."""
    seen: dict[str, int] = {}
    for one in answer:
        said = repr(sorted(one.items()))
        seen[said] = seen.get(said, -1) + 1
        yield {
            **one,
            "occurrence": seen[said],
            "old_roles": " ".join(sorted(one["old_roles"])),
            "new_roles": " ".join(sorted(one["new_roles"])),
        }


TABLES = (
    Mirrored(
        "character_role", "character.roles", Owners.CHARACTERS, ("place", "role"), documents=_roles
    ),
    Mirrored(
        "corporation_division",
        "corporation.divisions",
        Owners.CORPORATIONS,
        ("kind", "division"),
        documents=_divisions,
    ),
    Mirrored(
        "corporation_member",
        "corporation.members",
        Owners.CORPORATIONS,
        ("character_id",),
        extra=Extra.CLOSED,
        documents=lambda answer: [{"character_id": one} for one in answer],
    ),
    Mirrored(
        "corporation_member_limit",
        "corporation.member_limit",
        Owners.CORPORATIONS,
        (),
        documents=lambda answer: [{"member_limit": answer}],
    ),
    Mirrored(
        "corporation_member_tracking",
        "corporation.member_tracking",
        Owners.CORPORATIONS,
        ("character_id",),
        words={"start_at": "start_date", "logon_at": "logon_date", "logoff_at": "logoff_date"},
        times=columns("start_at", "logon_at", "logoff_at"),
    ),
    Mirrored(
        "corporation_member_role",
        "corporation.member_roles",
        Owners.CORPORATIONS,
        ("character_id", "place", "role", "grantable"),
        documents=_held("character_id"),
    ),
    Mirrored(
        "corporation_member_title",
        "corporation.member_titles",
        Owners.CORPORATIONS,
        ("character_id", "title_id"),
        documents=_member_titles,
    ),
    Mirrored("corporation_title", "corporation.titles", Owners.CORPORATIONS, ("title_id",)),
    Mirrored(
        "corporation_title_role",
        "corporation.titles",
        Owners.CORPORATIONS,
        ("title_id", "place", "role", "grantable"),
        documents=_held("title_id"),
    ),
    Mirrored(
        "corporation_role_history",
        "corporation.role_history",
        Owners.CORPORATIONS,
        ("changed_at", "character_id", "role_type", "old_roles", "new_roles", "occurrence"),
        times=columns("changed_at"),
        own=columns("digest"),
        extra=Extra.OLDER,
        age="changed_at",
        documents=_role_changes,
    ),
)
