"""Slow observers are told what they missed, whatever the order of reading and events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ipc.codec import FrameDecoder
from ipc.control_messages import Missed, ToClient
from ipc.events import Enrolled
from ipc.scheduler_messages import Events
from ipc.subject import GLOBAL
from supervisor.observers import Observers

EVENT = Enrolled(datetime(2026, 1, 1, tzinfo=UTC), GLOBAL)


class Reader:
    """A sink that is read when the test says so."""

    def __init__(self) -> None:
        self.is_closed = False
        self.unread = bytearray()
        self.got = self.missed = 0
        self._decoder: FrameDecoder[Any] = FrameDecoder(ToClient)

    @property
    def backlog_bytes(self) -> int:
        return len(self.unread)

    def send_frame(self, frame: bytes) -> None:
        self.unread += frame

    def read(self) -> None:
        for message in self._decoder.feed(bytes(self.unread)):
            if isinstance(message, Missed):
                self.missed += message.events
            else:
                self.got += len(message.events)
        self.unread.clear()


def events(count: int) -> Events:
    return Events((EVENT,) * count)


def test_slow_one_is_told_when_it_reads_and_the_quick_one_misses_nothing() -> None:
    observers = Observers(max_unread_bytes=1000)
    slow, quick = Reader(), Reader()
    observers.add(slow)
    observers.add(quick)
    for _ in range(50):
        observers.publish(events(10))
        quick.read()
    assert (quick.got, quick.missed) == (500, 0)
    assert slow.backlog_bytes < 2000
    observers.tell_missed()
    slow.read()
    assert slow.missed == 0
    # No further event is needed for the truth to come out.
    observers.tell_missed()
    slow.read()
    assert slow.missed > 0
    assert slow.got + slow.missed == 500


@settings(deadline=None)
@given(st.lists(st.one_of(st.integers(1, 1200), st.just("read"), st.just("tell")), max_size=40))
def test_nothing_is_lost_without_a_word(steps: list[int | str]) -> None:
    observers = Observers(max_unread_bytes=5000)
    reader = Reader()
    observers.add(reader)
    sent = 0
    for step in steps:
        if step == "read":
            reader.read()
        elif step == "tell":
            observers.tell_missed()
        else:
            assert isinstance(step, int)
            observers.publish(events(step))
            sent += step
    reader.read()
    observers.tell_missed()
    reader.read()
    assert reader.got + reader.missed == sent


def test_closed_and_removed_get_nothing() -> None:
    observers = Observers()
    closed, removed = Reader(), Reader()
    closed.is_closed = True
    observers.add(closed)
    observers.add(removed)
    observers.remove(removed)
    observers.remove(removed)
    observers.publish(events(3))
    assert not closed.unread
    assert not removed.unread
    assert len(observers) == 1


def test_what_never_came_this_far_is_told_to_everybody() -> None:
    observers = Observers()
    one, two = Reader(), Reader()
    observers.add(one)
    observers.add(two)
    observers.publish(Events((), missed=7))
    observers.publish(events(1))
    observers.tell_missed()
    for reader in (one, two):
        reader.read()
        assert (reader.got, reader.missed) == (1, 7)
