"""Tokens under the whole daemon: one refresh, none lost, none flagged without a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from ipc.commands import Restart, RunNow
from tests.daemon.house import House, character

pytestmark = pytest.mark.process

FIRST = 90_000_001
TOKEN_PATH = "/v2/oauth/token"
PRIVATE = ("character.telemetry", "character.wallet", "character.skills")
LONG_AGO = "2026-01-01T00:00:00.000Z"
# The access token has ended, as far as the daemon knows.
ENDED = f"UPDATE credential SET expires_at = '{LONG_AGO}', generation = generation + 1"


def test_all_jobs_of_a_character_share_one_refresh(house: House) -> None:
    house.eve.order("/sso", single_use=True)
    try:
        house.log_in(access=False)
        before = {number: house.credential(number) for number in house.characters}
        house.run()
        house.mirrored()
        assert _refreshes(house) == {"200": len(before)}
        for number, old in before.items():
            new = house.credential(number)
            assert new["generation"] == old["generation"] + 1
            assert new["refresh_token"] != old["refresh_token"]
            # The stored one is the one that works: the next refresh does.
        house.write(lambda connection, _: connection.exec_driver_sql(ENDED).rowcount)
        house.goes_on()
        assert _refreshes(house) == {"200": 2 * len(before)}
        _nobody_is_flagged(house)
    finally:
        house.eve.order("/sso", single_use=False)


def test_a_kill_before_ssos_answer_arrives_loses_no_login(house: House) -> None:
    house.log_in([FIRST], access=False)
    house.eve.fault(path=TOKEN_PATH, service="sso", apply=True, delay_s=15.0)
    house.run()
    house.until("SSO has been asked", lambda: house.eve.ask("/faults")[0]["met"])  # type: ignore[index]
    for pid in house.workers():
        house.kill(pid)
    house.eve.clear_faults()
    house.mirrored()
    _nobody_is_flagged(house)


def test_a_kill_between_ssos_answer_and_the_commit_loses_no_login(house: House) -> None:
    house.run()
    house.mirrored()
    asked = _refreshes(house).get("200", 0)
    before = house.credential(FIRST)
    # Nobody's answer comes before the lock is held again.
    house.eve.fault(path=TOKEN_PATH, service="sso", apply=True, delay_s=4.0)
    with house.write_lock() as lock:
        lock.execute(ENDED)
        lock.execute("COMMIT")
        # Held from here on, so that no answer of SSO can be stored.
        lock.execute("BEGIN IMMEDIATE")
        house.until("SSO has answered", lambda: _refreshes(house).get("200", 0) > asked)
        for pid in house.workers():
            house.kill(pid)
        lock.execute("ROLLBACK")
    house.eve.clear_faults()
    assert house.credential(FIRST)["refresh_token"] == before["refresh_token"]
    house.goes_on()
    assert house.credential(FIRST)["refresh_token"] != before["refresh_token"]
    _nobody_is_flagged(house)


def test_an_outage_of_sso_flags_nobody(make_house: Callable[..., House]) -> None:
    house = make_house(logged_in=False)
    house.log_in([FIRST], access=False)
    for spoilt in (
        {"status": 503},
        {"status": 400, "body": "<html>maintenance</html>"},
        {"status": 400, "body": '{"error":"invalid_request"}'},
    ):
        house.eve.fault(path=TOKEN_PATH, service="sso", times=1, **spoilt)
    house.run()
    house.mirrored()
    assert _refreshes(house) == {"503": 1, "400": 2, "200": 1}
    assert house.credential(FIRST)["refused_at"] is None
    _nobody_is_flagged(house)


def test_a_revoked_login_is_flagged_at_the_second_refusal_and_a_new_one_revives(
    make_house: Callable[..., House],
) -> None:
    house = make_house(logged_in=False)
    house.log_in([FIRST])
    house.run()
    house.mirrored()
    house.eve.revoke(FIRST)
    house.write(lambda connection, _: connection.exec_driver_sql(ENDED).rowcount)
    house.until("the first refusal", lambda: house.credential(FIRST)["refused_at"])
    assert not house.credential(FIRST)["needs_reauth"]
    assert _refreshes(house).get("400", 0) == 1

    # A minute passes: for the database at once, for the scheduler by starting anew.
    house.write(
        lambda connection, _: (
            connection.exec_driver_sql(f"UPDATE credential SET refused_at = '{LONG_AGO}'").rowcount
        )
    )
    house.ask(Restart())
    house.ready(generation=2)
    house.ask(RunNow(character(FIRST)))
    house.until("the second refusal flags", lambda: house.credential(FIRST)["needs_reauth"])
    house.until("it needs a login", lambda: character(FIRST) in house.summary().needs_login)
    house.until(
        "its private jobs wait for a login",
        lambda: all(
            (row := house.job(kind, FIRST))["parked_reason"] or row["outcome"] == "skipped"
            for kind in PRIVATE
        ),
    )
    # What needs no login goes on.
    house.ask(RunNow(character(FIRST), "character.profile"))
    asked = _refreshes(house).get("400", 0)

    house.eve.order("/grant", character_id=FIRST)
    house.log_in([FIRST])
    house.goes_on()
    house.until("nobody needs a login", lambda: not house.summary().needs_login)
    assert _refreshes(house).get("400", 0) == asked
    _nobody_is_flagged(house)


def test_a_refused_access_token_costs_one_refresh_and_one_repeat(house: House) -> None:
    house.run()
    house.mirrored()
    house.eve.order("/sso", expire_access=True)
    house.until(
        "ESI refused it",
        lambda: "401" in str(house.eve.requests()["counts"]["esi"]),  # type: ignore[index]
    )
    house.goes_on()
    assert _refreshes(house) == {"200": len(house.characters)}
    _nobody_is_flagged(house)


def test_another_client_is_one_trouble_until_the_characters_log_in_with_it(house: House) -> None:
    house.write(
        lambda connection, _: connection.execute(
            text(
                "UPDATE credential SET client_id = 'an-old-client', access_token = NULL, "
                f"expires_at = '{LONG_AGO}'"
            )
        )
    )
    before = house.run()
    trouble = "SSO does not take the client an-old-client (SSO answered 4"
    house.until("the trouble", lambda: house.summary().sso_trouble.startswith(trouble))
    # Each job tells when it comes to it; the second one's corporation does as well.
    house.until(
        "all who need a login",
        lambda: set(house.characters) < {one.id for one in house.summary().needs_login},
    )
    # What is asked for every second asks SSO no more: one at most for each character.
    house.synced("global.server_status", after=house.synced("global.server_status"))
    assert sum(_refreshes(house).values()) <= len(house.characters)
    assert house.log().count("SSO does not take the client") == 1
    house.log_in(access=False)
    house.goes_on()
    assert house.rows("SELECT DISTINCT client_id FROM credential") == [
        {"client_id": house.settings.sso.client_id}
    ]
    house.until("nothing fails any more", lambda: house.summary().failing == 0)
    house.until(
        "nothing is wrong any more",
        lambda: ((now := house.summary()).sso_trouble, now.needs_login, now.failing) == ("", (), 0),
    )
    assert house.status().generation == before.generation
    house.database.close_now()
    house.end()
    path = Path(house.settings.database_url.removeprefix("sqlite:///"))
    assert not list(path.parent.glob(f"{path.name}-*"))


def _refreshes(house: House) -> dict[str, int]:
    """Return how often SSO's token endpoint answered how."""
    last = house.eve.requests(last=5000)["last"]
    assert isinstance(last, list)
    answers = Counter(str(one["status"]) for one in last if one["path"] == TOKEN_PATH)
    return dict(answers)


def _nobody_is_flagged(house: House) -> None:
    assert (
        house.rows(
            "SELECT character_id FROM credential WHERE needs_reauth OR refused_at IS NOT NULL"
        )
        == []
    )
    # A park stands in the ledger until the job has run.
    house.until(
        "nothing is parked",
        lambda: not house.rows("SELECT kind FROM ledger WHERE parked_reason IS NOT NULL"),
    )
