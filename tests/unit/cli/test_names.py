"""Ids of what a person names, from the mirror; through the daemon is tested with one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert

from cli.errors import BadInput
from cli.writes.names import Names
from ipc.settings import Settings
from ipc.subject import Subject, SubjectType
from jobs.store import credentials, upgrade
from jobs.store.database import Database
from jobs.store.schema.mail import mailing_list
from jobs.store.schema.universe import name

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
KNOWN = (
    (90_000_001, "character", "Ivo Näkki"),
    (90_000_002, "character", "Twin"),
    (98_000_001, "corporation", "Twin"),
    (30_000_142, "system", "Jita"),
    (587, "type", "Rifter"),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A mirror that knows some names, one character of ours, and a mailing list."""
    url = f"sqlite:///{tmp_path_factory.mktemp('names') / 'x.db'}"
    upgrade.prepare(url)
    made = Database(url)

    def fill(connection: Connection) -> None:
        credentials.save_login(connection, 90_000_001, "c", [], "a", "r", NOW, NOW)
        rows = [
            {"id": one, "category": category, "name": text, "checked_at": NOW}
            for one, category, text in KNOWN
        ]
        connection.execute(insert(name), rows)
        connection.execute(
            insert(mailing_list).values(
                character_id=90_000_001, mailing_list_id=145_000_001, name="Haulers"
            )
        )

    made.write_now(fill)
    yield made
    made.close_now()


@pytest.fixture
def names(database: Database, tmp_path: Path) -> Names:
    """Names without a daemon."""
    return Names(Settings(data_dir=str(tmp_path)), database)


@pytest.mark.parametrize("text", ["90000001", "character:90000001", "Ivo Näkki", "ivo näkki"])
def test_one_of_ours_is_named_in_any_way(names: Names, text: str) -> None:
    assert names.character(text) == Subject(SubjectType.CHARACTER, 90_000_001)


def test_a_character_without_a_credential_is_none_of_ours(names: Names) -> None:
    with pytest.raises(BadInput, match="'Twin' is logged in"):
        names.character("Twin")


def test_numbers_and_names_keep_their_order(names: Names) -> None:
    assert names.ids(["5", "Ivo Näkki", "7"]) == [5, 90_000_001, 7]
    assert names.things(["98000001", "4", "Haulers"], ("mailing_list",)) == [
        (98_000_001, "corporation"),
        (4, ""),
        (145_000_001, "mailing_list"),
    ]


def test_the_category_tells_namesakes_apart(names: Names) -> None:
    assert names.ids(["Twin"], ("corporation",)) == [98_000_001]
    with pytest.raises(BadInput, match="names several: character 90000002, corporation 98000001"):
        names.ids(["twin"])


def test_capitals_do_not_matter(names: Names) -> None:
    assert names.ids(["JITA"], ("system", "station")) == [30_000_142]


def test_without_a_daemon_only_the_mirror_is_asked(names: Names) -> None:
    with pytest.raises(BadInput, match="does not know 'Amarr', and no daemon runs"):
        names.ids(["Jita", "Amarr"], ("system",))
    # A thing of another category is not what was meant.
    with pytest.raises(BadInput, match="does not know 'Rifter'"):
        names.ids(["Rifter"], ("system",))


@pytest.mark.parametrize("number", [str(2**63), "9" * 5000, "0", "\u0663"])
def test_a_number_that_nothing_can_have_is_refused(names: Names, number: str) -> None:
    with pytest.raises(BadInput, match="nothing has the id"):
        names.ids(["90000001", number])
    with pytest.raises(BadInput):
        names.character(number)
