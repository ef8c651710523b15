"""Rules of the engine that no process is needed for, and that no other test states."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import insert

from ipc.clock import SystemClock
from ipc.outcome import NeedsLogin, Token
from ipc.subject import SubjectType
from jobs.catalog import load
from jobs.errors import JobError
from jobs.reasons import verdict_of
from jobs.store import upgrade
from jobs.store.database import Database
from jobs.store.schema.core import ledger as ledger_table
from jobs.tokens import JobTokens
from supervisor.breaker import FIRST_DELAY_S, MAX_DELAY_S, delay_after_s
from tests.ledgers import load_all

OWNERS = (SubjectType.CHARACTER, SubjectType.CORPORATION, SubjectType.ALLIANCE)


def test_the_wait_before_a_respawn_doubles() -> None:
    assert [delay_after_s(deaths) / FIRST_DELAY_S for deaths in (1, 2, 3)] == [1, 2, 4]


@pytest.mark.parametrize("deaths", [6, 20, 2**32])
def test_the_wait_before_a_respawn_has_an_end(deaths: int) -> None:
    assert delay_after_s(deaths) == MAX_DELAY_S


def test_a_kind_is_of_one_owner_or_of_nobody() -> None:
    catalog = load(["jobs.kinds"])
    of_nobody = {kind.name for kind in catalog.of(SubjectType.GLOBAL)}
    of_owners = {kind.name for owner in OWNERS for kind in catalog.of(owner)}
    assert of_nobody | of_owners == set(catalog)
    assert not of_nobody & of_owners


def test_the_global_lane_holds_what_belongs_to_nobody() -> None:
    of_nobody = {kind.name for kind in load(["jobs.kinds"]).of(SubjectType.GLOBAL)}
    assert {"global.net_worth_snapshot", "global.market_prices"} <= of_nobody
    assert not of_nobody & {"character.profile", "corporation.wallet"}


async def test_a_job_whose_credential_is_gone_needs_a_login(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.db'}"
    upgrade.prepare(url)
    database = Database(url)
    try:
        tokens = JobTokens(SimpleNamespace(read=database.read, clock=SystemClock()))  # type: ignore[arg-type]
        await tokens.load([7])
        with pytest.raises(JobError) as caught:
            tokens.token(7)
    finally:
        await database.close()
    verdict = verdict_of(caught.value)
    assert (verdict.token, verdict.reaction) == (Token.FAILED, NeedsLogin(7))


def test_a_row_with_a_word_that_nobody_knows_is_passed_over(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.db'}"
    upgrade.prepare(url)
    row = {"subject_type": "character", "subject_id": 1, "last_attempt_at": SystemClock().now()}
    rows = [
        row | {"kind": "character.a", "outcome": "nonsense"},
        row | {"kind": "character.b", "outcome": "empty"},
        row | {"kind": "starbase.c", "outcome": "empty", "subject_type": "starbase"},
    ]
    database = Database(url)
    try:
        database.write_now(lambda connection: connection.execute(insert(ledger_table), rows))
        found = database.read_now(load_all)
    finally:
        database.close_now()
    assert [(each.key.kind, each.token) for each in found] == [("character.b", Token.EMPTY)]
