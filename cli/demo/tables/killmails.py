"""Killmails."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Extra, Mirrored, Owners, columns


def _killmails(answer: Answer) -> Iterable[Document]:
    for one in answer:
        victim = one["victim"]
        yield {
            **one,
            **{f"victim_{name}": value for name, value in victim.items()},
            "damage_taken": victim["damage_taken"],
            **victim["position"],
        }


def _attackers(answer: Answer) -> Iterable[Document]:
    for one in answer:
        yield from ({**who, "position": n} for n, who in enumerate(one["attackers"]))


def _lost_items(answer: Answer) -> Iterable[Document]:
    for one in answer:
        position = 0
        for outer in one["victim"]["items"]:
            holder = position
            for item in (outer, *outer.get("items", ())):
                inside = None if item is outer else holder
                yield {**item, "position": position, "inside": inside}
                position += 1


TABLES = (
    Mirrored(
        "character_killmail",
        "character.killmails",
        Owners.CHARACTERS,
        ("killmail_id",),
        extra=Extra.OTHERS,
        age="killmail_id",
    ),
    Mirrored(
        "corporation_killmail",
        "corporation.killmails",
        Owners.CORPORATIONS,
        ("killmail_id",),
        extra=Extra.OTHERS,
        age="killmail_id",
    ),
    Mirrored(
        "killmail",
        "global.killmail",
        Owners.ROWS,
        ("killmail_id",),
        words={"killed_at": "killmail_time"},
        times=columns("killed_at"),
        documents=_killmails,
    ),
    Mirrored(
        "killmail_attacker",
        "global.killmail",
        Owners.ROWS,
        ("killmail_id", "position"),
        documents=_attackers,
    ),
    Mirrored(
        "killmail_item",
        "global.killmail",
        Owners.ROWS,
        ("killmail_id", "position"),
        documents=_lost_items,
    ),
)
