"""Which rows of the outbox went out to ESI: noted before they do, where a death leaves it.

What a process wrote into a file outlives the process, but not the machine. So a logbook tells of
one life of the scheduler and one boot of the machine, and says nothing of any other: there every
row that was claimed may have been sent.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_log = logging.getLogger("jobs.logbook")

NAME = "outbox.sent"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

Asked = TypeVar("Asked")


class CannotNote(Exception):
    """A row cannot be noted, so it must not go out; the text says why."""


class Logbook:
    """The logbook of this life, as one process writes it."""

    def __init__(self, folder: Path, descriptor: int | None, head: bytes = b"") -> None:
        """Take an open file; None: nothing is noted in this life, and so nobody believes any.

        head: what it begins with.
        """
        self._folder = folder
        self._descriptor = descriptor
        self._head = head

    @classmethod
    def unkept(cls) -> Logbook:
        """Return one in which nothing is noted."""
        return cls(Path(), None)

    def note(self, row_id: int, job_id: int) -> None:
        """Note that a row goes out for an order; job_id 0: it may have gone out long ago."""
        if self._descriptor is None:
            return
        line = b"\n%d %d\n" % (row_id, job_id)
        try:
            written = os.write(self._descriptor, line)
        except OSError as error:
            raise CannotNote(f"it cannot be noted that it goes out: {error.strerror}") from error
        if written != len(line):
            # What is there now says at most of more rows that they went out.
            raise CannotNote("it cannot be noted that it goes out: the disk is full")

    def carry_over(self, row_ids: Iterable[int]) -> None:
        """Note rows that an earlier life may have sent, or see to it that nobody believes this."""
        try:
            for row_id in row_ids:
                self.note(row_id, 0)
        except CannotNote as error:
            _log.warning("the logbook of writes is given up: %s", error)
            self.close()
            (self._folder / NAME).unlink(missing_ok=True)

    def has(self, orders: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return which rows may have gone out for which orders, whose processes are dead."""
        lines = {b"%d %d\n" % order: order for order in orders}
        return self._told_of(lines, lambda told: told)

    def tells_of(self, row_ids: Iterable[int]) -> set[int]:
        """Return which rows may have gone out for any order of this life."""
        words = {b"%d" % row_id: row_id for row_id in row_ids}
        return self._told_of(words, lambda told: (line.partition(b" ")[0] for line in told))

    def _told_of(
        self, asked: dict[bytes, Asked], words: Callable[[Iterable[bytes]], Iterable[bytes]]
    ) -> set[Asked]:
        """Return what of that is found in one walk through all lines; all, if none is believed."""
        if not asked or self._descriptor is None:
            return set(asked.values())
        try:
            with (self._folder / NAME).open("rb") as told:
                is_kept = os.path.samestat(os.fstat(told.fileno()), os.fstat(self._descriptor))
                # Workers may have noted elsewhere, or nothing, where it was replaced or emptied.
                if is_kept and told.read(len(self._head)) == self._head:
                    return {asked[word] for word in words(told) if word in asked}
        except OSError as error:
            _log.warning("the logbook of writes cannot be read: %s", error)
        return set(asked.values())

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@dataclass(frozen=True, slots=True)
class Past:
    """What the scheduler before this one left: of its own epoch it is known what went out."""

    epoch: int | None = None
    went_out: frozenset[int] = frozenset()

    def is_unsent(self, row_id: int, epoch: int | None) -> bool:
        """Tell whether a row that was claimed under an epoch surely never went out."""
        return epoch is not None and epoch == self.epoch and row_id not in self.went_out


def begin(folder: Path, life: str) -> Logbook:
    """Start the logbook of a new life, before any of its rows is claimed."""
    path = folder / NAME
    head = _head(life)
    if head is None:
        return Logbook.unkept()
    new = path.with_suffix(".new")
    try:
        descriptor = os.open(new, os.O_CREAT | os.O_TRUNC | os.O_RDWR | os.O_APPEND, 0o600)
        try:
            # Half of it is the head of no life.
            is_whole = os.write(descriptor, head) == len(head)
            # Who writes into the old one writes for the old life.
            new.rename(path)
        except BaseException:
            os.close(descriptor)
            raise
    except OSError as error:
        _log.warning("no logbook of writes: after a crash each of them is in doubt: %s", error)
        return Logbook.unkept()
    if not is_whole:
        os.close(descriptor)
        return Logbook.unkept()
    return Logbook(folder, descriptor, head)


def join(folder: Path, epoch: int) -> Logbook:
    """Open the logbook of a scheduler that has begun it; OSError where it is there and cannot be.

    Open for as long as this process lives, whose successor sees by that that it is gone.
    """
    try:
        descriptor = os.open(folder / NAME, os.O_RDWR | os.O_APPEND)
    except FileNotFoundError:
        return Logbook.unkept()
    try:
        if not os.pread(descriptor, 64, 0).startswith(b"%d " % epoch):
            # This life's scheduler could not begin one.
            os.close(descriptor)
            return Logbook.unkept()
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BaseException:
        with contextlib.suppress(OSError):
            os.close(descriptor)
        raise
    return Logbook(folder, descriptor)


def look_back(folder: Path, epoch: int, life: str) -> Past:
    """Return what the logbook tells of a life that is over; nothing where it cannot be believed."""
    head = _head(life)
    if head is None:
        return Past()
    try:
        descriptor = os.open(folder / NAME, os.O_RDWR)
    except OSError:
        return Past()
    try:
        # A process of that life that is still there holds it, and may send until it is gone.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        told = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    except OSError as error:
        _log.warning("what went out before a crash is not known: %s", error)
        return Past()
    finally:
        os.close(descriptor)
    if not told.startswith(head):
        return Past()
    lines = (line.split(b" ") for line in told[len(head) :].split(b"\n") if line)
    return Past(epoch, frozenset(int(words[0]) for words in lines))


def _head(life: str) -> bytes | None:
    """Return the first line of a life's logbook; None where the boot cannot be told."""
    try:
        boot = _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return None
    return f"{life} {boot}\n".encode() if boot and life else None
