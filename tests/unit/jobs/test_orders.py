"""What a worker was told to do is answered, whatever its answer holds."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from ipc import outcome as reactions
from ipc.codec import FrameDecoder, FrameTooLarge, encode
from ipc.messages import (
    FromWorker,
    JobDone,
    Message,
    RefreshDone,
    ResolveDone,
    RunRefresh,
    RunResolve,
    RunWrite,
    WriteDone,
)
from ipc.outcome import Outcome, PauseBucket, Token
from jobs.catalog import Catalog
from jobs.orders import Order, Orders
from tests.unit.jobs.item_parts import ITEMS
from tests.unit.jobs.job_house import House, kind_of

KIND = kind_of(ITEMS)


class Pipe:
    """Takes messages as a channel does, and refuses the first of them."""

    def __init__(self) -> None:
        """Start without any."""
        self.tried: list[Message] = []
        self.sent: list[Message] = []

    def send(self, message: Message) -> None:
        """Encode a message, as for a peer."""
        self.tried.append(message)
        if len(self.tried) == 1:
            raise FrameTooLarge("of so many bytes")
        self.sent += FrameDecoder[Message](FromWorker).feed(encode(message))


@pytest.mark.parametrize("what", ["job", "write", "refresh", "resolve"])
async def test_an_answer_that_cannot_be_sent_gives_way_to_one_that_can(
    house: House, what: str
) -> None:
    epoch = house.tools.epoch
    orders: dict[str, Order] = {
        "job": house.order(KIND, job_id=7),
        "write": RunWrite(7, epoch, 3, 1, 30.0),
        "refresh": RunRefresh(7, epoch, 5, 2, 30.0),
        "resolve": RunResolve(7, epoch, ("Jita",), 30.0),
    }
    pipe = Pipe()
    house.esi.say(house.esi.good({}))
    catalog = Catalog([KIND])
    running = Orders(house.tools, catalog, pipe.send, pipe.send)

    running.take(orders[what])
    async with asyncio.timeout(20):
        while running.running or not pipe.sent:
            await asyncio.sleep(0.01)

    (answer,) = pipe.sent
    assert isinstance(answer, JobDone | WriteDone | RefreshDone | ResolveDone)
    assert (answer.job_id, answer.epoch) == (7, epoch)
    match answer:
        case JobDone():
            assert answer.outcome.token is Token.FAILED
            assert isinstance(answer.reaction, reactions.Bug)
            assert "of so many bytes" in answer.outcome.reason
        case WriteDone():
            assert (answer.status, answer.outbox_id) == ("pending", 3)
        case RefreshDone():
            assert (answer.status, answer.credential_id) == ("trouble", 5)
        case ResolveDone():
            assert "of so many bytes" in answer.trouble


def test_a_text_that_is_no_unicode_costs_those_characters_alone() -> None:
    until = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    outcome = Outcome(Token.FAILED, 0, "the limit \udcff is spent")
    done = JobDone(1, 2, 3, outcome, 0.5, PauseBucket("\udcff:9", until, 4), fresh_until=until)

    (read,) = FrameDecoder[JobDone](FromWorker).feed(encode(done))

    assert read == JobDone(
        1,
        2,
        3,
        Outcome(Token.FAILED, 0, "the limit \ufffd is spent"),
        0.5,
        PauseBucket("\ufffd:9", until, 4),
        fresh_until=until,
    )
