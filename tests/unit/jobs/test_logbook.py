"""What is known of writes after the death of who sent them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobs import logbook
from jobs.logbook import NAME, CannotNote, Logbook, Past, begin, join, look_back

LIFE = "7 host 4711 2026-11-30T12:00:00+00:00"


def died(folder: Path, *notes: tuple[int, int]) -> None:
    """Note rows, and let go as a dead process does."""
    worker = join(folder, 7)
    for row_id, job_id in notes:
        worker.note(row_id, job_id)
    worker.close()


def test_what_was_noted_went_out_and_nothing_else(tmp_path: Path) -> None:
    book = begin(tmp_path, LIFE)
    died(tmp_path, (12, 1), (123, 2))
    asked = [(12, 1), (123, 2), (12, 2), (2, 1), (1, 1), (3, 2)]
    assert book.has(asked) == {(12, 1), (123, 2)}
    assert [book.has([one]) for one in asked] == [{(12, 1)}, {(123, 2)}, *[set()] * 4]
    assert book.has([]) == set()
    past = look_back(tmp_path, 7, LIFE)
    assert past == Past(7, frozenset({12, 123}))
    assert [past.is_unsent(row, 7) for row in (12, 123, 1, 23)] == [False, False, True, True]


def test_it_tells_of_every_order_for_a_row(tmp_path: Path) -> None:
    book = begin(tmp_path, LIFE)
    died(tmp_path, (12, 1))
    assert book.tells_of([12, 1, 2, 121]) == {12}


def test_half_of_a_note_is_none(tmp_path: Path) -> None:
    book = begin(tmp_path, LIFE)
    with (tmp_path / NAME).open("ab") as torn:
        torn.write(b"\n12 3")
        torn.flush()
        died(tmp_path, (4, 5))
        torn.write(b"\n1")
    died(tmp_path, (6, 7))
    assert book.has([(12, 3), (12, 34), (4, 5), (1, 6), (6, 7)]) == {(12, 3), (4, 5), (6, 7)}
    assert book.tells_of([1, 4, 6, 16]) == {4, 6}


@pytest.mark.parametrize("how", ["removed", "moved", "replaced", "emptied"])
def test_a_logbook_that_somebody_touched_is_not_believed(tmp_path: Path, how: str) -> None:
    book, path = begin(tmp_path, LIFE), tmp_path / NAME
    assert not book.has([(1, 1)])
    match how:
        case "removed":
            path.unlink()
        case "moved":
            path.rename(tmp_path / "elsewhere")
        case "replaced":
            begin(tmp_path, LIFE)
        case _:
            os.truncate(path, 0)
    assert book.has([(1, 1)]) == {(1, 1)}
    assert book.tells_of([1]) == {1}


@pytest.mark.parametrize("epoch", [None, 0, 6, 8])
def test_of_another_epoch_nothing_is_known(epoch: int | None) -> None:
    assert not Past(7, frozenset()).is_unsent(1, epoch)
    assert not Past().is_unsent(1, epoch)


def test_a_logbook_of_another_life_is_not_believed(tmp_path: Path) -> None:
    assert look_back(tmp_path, 7, LIFE) == Past()
    begin(tmp_path, LIFE)
    assert look_back(tmp_path, 7, LIFE) == Past(7)
    assert look_back(tmp_path, 7, LIFE.replace("4711", "4712")) == Past()


def test_after_a_boot_a_logbook_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(tmp_path, LIFE)
    boot = tmp_path / "boot_id"
    boot.write_text("another\n")
    monkeypatch.setattr(logbook, "_BOOT_ID", boot)
    assert look_back(tmp_path, 7, LIFE) == Past()
    boot.unlink()
    assert look_back(tmp_path, 7, LIFE) == Past()
    # Nor is one begun that could be mistaken for another's.
    assert begin(tmp_path, LIFE).has([(1, 1)])


def test_while_somebody_of_that_life_is_there_its_logbook_is_not_believed(tmp_path: Path) -> None:
    begin(tmp_path, LIFE)
    worker = join(tmp_path, 7)
    assert look_back(tmp_path, 7, LIFE) == Past()
    worker.close()
    assert look_back(tmp_path, 7, LIFE) == Past(7)


def test_who_writes_for_an_old_life_changes_nothing_in_the_new_one(tmp_path: Path) -> None:
    begin(tmp_path, LIFE)
    late = join(tmp_path, 7)
    new = LIFE.replace("7", "8", 1)
    begin(tmp_path, new)
    late.note(1, 1)
    assert look_back(tmp_path, 8, new) == Past(8)
    # And one that starts late notes nothing there.
    join(tmp_path, 7).note(2, 1)
    assert look_back(tmp_path, 8, new) == Past(8)


def test_without_a_logbook_everything_may_have_gone_out(tmp_path: Path) -> None:
    nowhere = tmp_path / "missing"
    book = begin(nowhere, LIFE)
    book.note(1, 1)
    assert book.has([(2, 1)])
    join(nowhere, 7).note(1, 1)
    assert look_back(nowhere, 7, LIFE) == Past()
    assert Logbook.unkept().has([(1, 1)])


def test_what_cannot_be_noted_must_not_go_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = begin(tmp_path, LIFE)
    worker = join(tmp_path, 7)
    write = os.write
    monkeypatch.setattr(os, "write", lambda number, data: write(number, data[:3]))
    with pytest.raises(CannotNote, match="the disk is full"):
        worker.note(123, 4)

    def refuse(_number: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(CannotNote, match="No space left"):
        worker.note(124, 4)
    monkeypatch.undo()
    worker.note(125, 5)
    worker.close()
    assert book.has([(125, 5)])
    assert 125 in look_back(tmp_path, 7, LIFE).went_out


def test_one_that_cannot_take_over_what_is_in_doubt_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = begin(tmp_path, LIFE)
    book.carry_over([1, 2])
    assert look_back(tmp_path, 7, LIFE) == Past(7, frozenset({1, 2}))
    monkeypatch.setattr(os, "write", lambda *_: 0)
    book.carry_over([3])
    assert not (tmp_path / NAME).exists()
    assert look_back(tmp_path, 7, LIFE) == Past()
    assert book.has([(4, 1)])
