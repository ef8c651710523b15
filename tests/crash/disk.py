"""A disk whose power can be cut: what was not flushed is not on it afterwards.

A file system in a file, by a loop device. What programs write stays in the kernel's memory until
they flush it, or for half a minute; the file holds what reached the device, and a copy of it is
what a machine finds whose power was cut at that moment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE_BYTES = 64 * 1024 * 1024
# Nothing of the file system's own reaches the device either, unless somebody flushes.
OPTIONS = "loop,noatime,commit=900"


class NoDisk(Exception):
    """This machine does not let us have one; the text says why."""


class Disk:
    """A disk, and where it is mounted."""

    def __init__(self, work: Path, path: Path) -> None:
        """Make an empty one, mounted at path."""
        self.path = path
        self._work = work
        self._image = work / "0.img"
        self._cuts = 0
        with self._image.open("wb") as image:
            image.truncate(SIZE_BYTES)
        _run("mkfs.ext4", "-q", "-F", self._image)
        self._mount()

    def flush(self) -> None:
        """Bring all that was written to the disk."""
        _run("sync", "-f", self.path)

    def cut(self) -> None:
        """Cut the power, and mount what is left. Nobody may be writing."""
        self._cuts += 1
        left = self._work / f"{self._cuts}.img"
        _run("cp", "--sparse=always", self._image, left)
        self.close()
        self._image.unlink()
        self._image = left
        self._mount()

    def close(self) -> None:
        """Let go of it."""
        _run("umount", "-l", self.path)

    def _mount(self) -> None:
        _run("mount", "-o", OPTIONS, self._image, self.path)


@contextmanager
def open_disk() -> Iterator[Disk]:
    """Give a disk; NoDisk where there can be none."""
    if os.geteuid() != 0:
        raise NoDisk("only root can mount a disk")
    # Unix socket paths end at 108 bytes.
    path = Path(tempfile.mkdtemp(prefix="d", dir="/tmp"))
    try:
        with tempfile.TemporaryDirectory() as work:
            disk = Disk(Path(work), path)
            try:
                yield disk
            finally:
                disk.close()
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _run(program: str, *arguments: str | Path) -> None:
    try:
        subprocess.run([program, *arguments], check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise NoDisk(f"there is no {program}") from error
    except subprocess.CalledProcessError as error:
        raise NoDisk(f"{program}: {error.stderr.strip()}") from error
