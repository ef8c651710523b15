"""Words that ESI's contract does not list are counted, wherever they stand."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
import pytest

from jobs.esi.vocabulary import lists, unknown_words
from tests import write_vocabulary

NOTIFICATIONS = "GET /characters/{character_id}/notifications"
MEDALS = "GET /characters/{character_id}/medals"
ROLES = "GET /corporations/{corporation_id}/roles"
CLONES = "GET /characters/{character_id}/clones"


class Medal(msgspec.Struct, rename={"state": "status"}):
    state: str | None = None


class Home(msgspec.Struct):
    location_type: str | None = None


class Clones(msgspec.Struct):
    home_location: Home | None = None
    jump_clones: tuple[Home, ...] = ()


class Held(msgspec.Struct):
    roles: tuple[str, ...] = ()
    grantable_roles: frozenset[str] = frozenset()


class Silent(msgspec.Struct):
    medal_id: int = 0


@pytest.mark.parametrize(
    ("route", "value", "unknown"),
    [
        (MEDALS, [Medal("public"), Medal("private"), Medal(None)], 0),
        (MEDALS, [Medal("secret"), Medal("public"), Medal("secret"), Medal("hidden")], 3),
        (MEDALS, [], 0),
        (MEDALS, [Silent(1)], 0),
        (MEDALS, None, 0),
        ("GET /no/such/route", [Medal("secret")], 0),
        (ROLES, [Held(("Director", "Janitor")), Held((), frozenset({"Cook", "Auditor"}))], 2),
        (CLONES, Clones(Home("station"), (Home("structure"), Home("tent"))), 1),
        (CLONES, Clones(None, ()), 0),
    ],
)
def test_words_that_are_not_listed_are_counted(route: str, value: Any, unknown: int) -> None:
    assert unknown_words(route, value) == unknown


def test_a_new_word_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            unknown_words(MEDALS, [Medal("told once"), Medal("told once")])
    assert [record.getMessage() for record in caplog.records] == [
        f"{MEDALS}: 'told once' is not among the words that ESI's contract lists for [].status"
    ]


def test_the_lists_are_those_of_the_contract() -> None:
    written = write_vocabulary.PATH.read_text(encoding="utf-8")
    assert written == write_vocabulary.text(), "python -m tests.write_vocabulary"
    assert "StructureUnderAttack" in lists().lists[lists().routes[NOTIFICATIONS]["[].type"]]
