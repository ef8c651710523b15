"""Commands on their way: in order, once, bounded, sent again when they may be lost."""

from __future__ import annotations

from ipc.commands import Discover, Drain
from ipc.scheduler_messages import DoneCommand
from supervisor.pending import MAX_DEATHS, MAX_REMEMBERED, Pending


def test_taken_once_in_order_and_answered_to_the_asker() -> None:
    pending: Pending[str] = Pending()
    assert pending.add("a", Discover(), "client 1") == "new"
    assert pending.add("b", Drain(), "client 2") == "new"
    assert pending.take_unsent() == [("a", Discover()), ("b", Drain())]
    assert pending.take_unsent() == []
    done = DoneCommand("a", ok=True)
    assert pending.done(done) == "client 1"
    assert pending.done(done) is None
    assert pending.result("a") == done
    assert len(pending) == 1


def test_what_a_dead_scheduler_had_is_sent_again_and_told_once() -> None:
    pending: Pending[str] = Pending()
    pending.add("a", Discover(), "client")
    pending.take_unsent()
    assert pending.lost() == [("a", "client")]
    assert pending.lost() == []
    assert pending.take_unsent() == [("a", Discover())]
    assert pending.done(DoneCommand("a", ok=True)) is None


def test_command_that_engine_after_engine_dies_with_is_given_up() -> None:
    pending: Pending[str] = Pending()
    pending.add("poison", Discover(), "client")
    for _ in range(MAX_DEATHS - 1):
        pending.take_unsent()
        pending.lost()
    pending.add("poison", Discover(), "another client")
    pending.add("late", Drain(), "client")
    assert [command_id for command_id, _ in pending.take_unsent()] == ["poison", "late"]
    assert pending.lost() == [("poison", "another client"), ("late", "client")]
    assert [command_id for command_id, _ in pending.take_unsent()] == ["late"]
    result = pending.result("poison")
    assert result is not None
    assert not result.ok


def test_command_is_not_held_guilty_of_what_it_had_no_part_in() -> None:
    pending: Pending[str] = Pending()
    pending.add("a", Discover(), "client")
    for _ in range(2 * MAX_DEATHS):
        # Not sent to one, and sent to the other, which was asked to leave.
        pending.lost()
        pending.take_unsent()
        pending.lost(by_death=False)
    assert len(pending) == 1


def test_same_id_again_is_the_same_command_with_a_new_asker() -> None:
    pending: Pending[str] = Pending()
    pending.add("a", Discover(), "old")
    pending.take_unsent()
    assert pending.add("a", Discover(), "new") == "known"
    assert pending.take_unsent() == []
    assert pending.done(DoneCommand("a", ok=True)) == "new"


def test_full_is_told_and_room_comes_back() -> None:
    pending: Pending[str] = Pending(limit=2)
    assert [pending.add(name, Drain(), "c") for name in "abc"] == ["new", "new", "full"]
    pending.done(DoneCommand("a", ok=True))
    assert pending.add("c", Drain(), "c") == "new"


def test_client_that_left_is_not_answered_but_its_command_stays() -> None:
    pending: Pending[str] = Pending()
    pending.add("a", Drain(), "gone")
    pending.forget_asker("gone")
    assert pending.take_unsent() == [("a", Drain())]
    assert pending.done(DoneCommand("a", ok=True)) is None


def test_memory_of_results_is_bounded() -> None:
    pending: Pending[str] = Pending()
    for number in range(MAX_REMEMBERED + 1):
        pending.add(str(number), Drain(), "c")
        pending.done(DoneCommand(str(number), ok=True))
        if number == 0:
            assert pending.result("0") is not None
    assert pending.result("0") is None
    assert pending.result("1") is not None
