"""The kinds that belong to nobody, on real processes."""

from __future__ import annotations

import msgspec
import pytest

from ipc.events import Finished, Started
from ipc.outcome import Token
from tests.reference.house import FIRST, WALLET_SCOPE, House, character, key

pytestmark = pytest.mark.process

SNAPSHOT = key("global.net_worth_snapshot")
STATUS = key("global.server_status")
WALLET = key("character.wallet", character())


async def test_the_snapshot_is_off_with_what_it_adds_up(house: House) -> None:
    house.settings = msgspec.structs.replace(
        house.settings, features={"wallet": False, "assets": False}
    )
    await house.log_in()
    await house.start()
    await house.scheduled(STATUS)
    await house.scheduled(key("character.profile", character()))
    await house.heartbeats()
    assert not house.of(Started, SNAPSHOT)
    assert await house.count("net_worth") == 0


async def test_a_wallet_that_was_mirrored_brings_the_snapshot_forward(house: House) -> None:
    # By their own time they are not due for an hour.
    for job in (SNAPSHOT, key("global.market_prices")):
        await house.remember(job, Token.SYNCED, due_in_s=3600, succeeded_ago_s=60)
    await house.log_in(scopes=[WALLET_SCOPE])
    await house.start()
    await house.finished(WALLET)
    finished = await house.finished(SNAPSHOT)
    assert finished.outcome.token is Token.SYNCED
    order = [event.key for event in house.of(Finished) if event.key in (WALLET, SNAPSHOT)]
    assert order == [WALLET, SNAPSHOT]
    assert await house.count("net_worth") >= 1
    assert house.asked(f"/characters/{FIRST}/wallet") == 1


async def test_the_snapshot_runs_at_the_first_launch(house: House) -> None:
    await house.start()
    await house.finished(SNAPSHOT)
