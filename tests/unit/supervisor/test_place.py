"""Folder, lock and socket: who gets them and who does not."""

from __future__ import annotations

import errno
import logging
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ipc.exits import Exit
from ipc.settings import Control, Settings, Store
from supervisor import place
from supervisor.place import (
    StartRefused,
    bind_control_socket,
    database_file,
    lock_data_dir,
    lock_database,
    remove_control_socket,
)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="x", dir="/tmp") as name:
        yield Path(name)


def refused(code: Exit, text: str) -> pytest.RaisesExc[StartRefused]:
    return pytest.RaisesExc(StartRefused, match=text, check=lambda e: e.exit_code is code)


def prepare_data_dir(path: Path, url: str = "", config: str = "") -> None:
    place.prepare_data_dir(
        Settings(data_dir=str(path), store=Store(url=url), config_path=str(config))
    )


def check_place(path: Path, socket_path: Path) -> None:
    place.check_place(Settings(data_dir=str(path), control=Control(socket=str(socket_path))))


def test_folder_is_made_and_closed_to_others(folder: Path) -> None:
    made = folder / "a" / "b"
    prepare_data_dir(made)
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    made.chmod(0o755)
    prepare_data_dir(made)
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_what_others_have_in_a_folder_is_not_emptied(folder: Path) -> None:
    there = folder / "var"
    (there / "run").mkdir(parents=True)
    pid_file = there / "run" / "theirs.pid"
    pid_file.write_text("1")
    there.chmod(0o755)
    with refused(Exit.REFUSED, "var/run is not esisyncd's, and would be emptied"):
        prepare_data_dir(there)
    assert stat.S_IMODE(there.stat().st_mode) == 0o755
    assert pid_file.exists()
    # In a folder that was used it is what the last daemon left.
    (there / "esisyncd.lock").touch()
    prepare_data_dir(there)
    assert stat.S_IMODE(there.stat().st_mode) == 0o700


def test_a_folder_that_others_use_is_not_closed_to_them(folder: Path) -> None:
    shared = folder / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "lost+found").mkdir()
    prepare_data_dir(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o700
    shared.chmod(0o755)
    (shared / "report.txt").touch()
    for refuse in (prepare_data_dir, lambda path: check_place(path, path / "s")):
        with refused(Exit.REFUSED, "shared holds other things, nothing of esisyncd's"):
            refuse(shared)
        assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    # Closed already, there is nothing to lose; and what was used is ours.
    shared.chmod(0o700)
    prepare_data_dir(shared)
    shared.chmod(0o755)
    (shared / "esisyncd.lock").touch()
    prepare_data_dir(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o700


@pytest.fixture
def made(folder: Path) -> Path:
    """Return a folder as `mkdir` and an editor leave it: others may look in."""
    made = folder / "made"
    made.mkdir()
    made.chmod(0o755)
    (made / "my.toml").touch()
    for end in ("", "-wal", "-shm", ".lock"):
        (made / f"my.db{end}").touch()
    return made


def test_a_folder_with_nothing_but_what_the_settings_name_is_closed_to_others(
    made: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url, config = f"sqlite:///{made}/my.db", f"{made}/../made/my.toml"
    (made.parent / "link").symlink_to(made)
    caplog.set_level(logging.INFO)
    for path in (made, made.parent / "link"):
        made.chmod(0o755)
        prepare_data_dir(path, url, config)
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
        assert caplog.messages == [
            f"{path} was open to others (mode 755), and is closed to them now"
        ]
        caplog.clear()
        prepare_data_dir(path, url, config)
        assert caplog.messages == []


@pytest.mark.parametrize("what", ["url", "config", "file", "folder", "mode"])
def test_what_the_settings_do_not_name_keeps_a_folder_open(made: Path, what: str) -> None:
    url, config = f"sqlite:///{made}/my.db", f"{made}/my.toml"
    match what:
        case "url":
            url = "postgresql://localhost/x"
        case "config":
            config = ""
        case "file":
            (made / "report.txt").touch()
        case "folder":
            (made / "photos").mkdir()
        case _:
            # Whoever may write in it may have put them there.
            made.chmod(0o775)
    mode = made.stat().st_mode
    with refused(Exit.REFUSED, "made holds other things, nothing of esisyncd's"):
        prepare_data_dir(made, url, config)
    assert made.stat().st_mode == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_is_not_ours_though_the_settings_name_it(made: Path) -> None:
    os.chown(made / "my.toml", 65534, 65534)
    with refused(Exit.REFUSED, "made holds other things, nothing of esisyncd's"):
        prepare_data_dir(made, f"sqlite:///{made}/my.db", f"{made}/my.toml")


def test_a_folder_of_the_system_is_refused_whatever_is_in_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "esisyncd.lock").touch()
    (folder / "link").symlink_to(folder)
    monkeypatch.setattr(place, "_SYSTEM", frozenset({folder}))
    for path in (folder, folder / "link", folder / "link" / "link"):
        with refused(Exit.REFUSED, "is the system's, and would be closed to all others"):
            check_place(path, folder / "s")


@pytest.mark.skipif(os.geteuid() != 0, reason="for others it is not theirs")
@pytest.mark.parametrize("path", ["/", "/etc", "/var/lib", "/tmp"])
def test_the_system_of_root_is_left_alone(path: str) -> None:
    with refused(Exit.REFUSED, "is the system's"):
        check_place(Path(path), Path("/tmp/s"))


def test_a_full_disk_keeps_nobody_from_the_lock(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    lock = lock_data_dir(folder)
    with refused(Exit.HELD, r"process unknown"):
        lock_data_dir(folder)
    lock.release()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_is_refused(folder: Path) -> None:
    os.chown(folder, 65534, 65534)
    with refused(Exit.REFUSED, "belongs to user (nobody|65534), and this is user root"):
        prepare_data_dir(folder)


def test_a_check_refuses_what_a_start_would_and_makes_nothing(folder: Path) -> None:
    (folder / "f").write_text("")
    with refused(Exit.REFUSED, "data folder .* cannot be used: Not a directory"):
        check_place(folder / "f" / "d", folder / "s")
    with refused(Exit.CONFIG, "longer than 107 bytes"):
        check_place(folder / "d", folder / ("s" * 108))
    with refused(Exit.REFUSED, "control socket .* cannot be made: Not a directory"):
        check_place(folder / "d", folder / "f" / "s")
    (folder / "open").mkdir()
    (folder / "open").chmod(0o777)
    with refused(Exit.REFUSED, "can be written by others"):
        check_place(folder / "d", folder / "open" / "s")
    # In the data folder itself it is made private at the start.
    check_place(folder / "open", folder / "open" / "s")
    check_place(folder / "d" / "e", folder / "c" / "s")
    assert {entry.name for entry in folder.iterdir()} == {"f", "open"}


def test_a_folder_that_may_not_be_written_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with refused(Exit.REFUSED, "cannot be used: Permission denied"):
        check_place(folder / "d", folder / "s")


def test_file_instead_of_a_folder(folder: Path) -> None:
    (folder / "f").write_text("")
    with refused(Exit.REFUSED, "cannot be used"):
        prepare_data_dir(folder / "f")


def test_lock_names_its_holder_and_is_free_afterwards(folder: Path) -> None:
    lock = lock_data_dir(folder)
    with refused(Exit.HELD, f"process {os.getpid()}"):
        lock_data_dir(folder)
    assert lock.path.read_text() == f"{os.getpid()}\n"
    lock.release()
    lock_data_dir(folder).release()


def test_lock_is_not_followed_elsewhere(folder: Path) -> None:
    (folder / "esisyncd.lock").symlink_to(folder / "victim")
    with refused(Exit.REFUSED, "cannot be opened"):
        lock_data_dir(folder)
    assert not (folder / "victim").exists()


def test_a_database_is_one_whatever_leads_to_it(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "link").symlink_to(folder / "data")
    held = lock_database(f"sqlite:///{folder}/data/x.db")
    assert held is not None
    for url in (
        f"sqlite:///{folder}/link/x.db",
        f"sqlite+pysqlite:///{folder}/data/../data/x.db?a=b",
    ):
        with refused(Exit.HELD, f"process {os.getpid()}"):
            lock_database(url)
    other = lock_database(f"sqlite:///{folder}/data/y.db")
    assert other is not None
    other.release()
    held.release()
    assert not (folder / "data" / "x.db").exists()


def test_a_database_with_a_second_name_is_refused(folder: Path) -> None:
    """Each name would have a lock and a write-ahead log of its own."""
    (folder / "x.db").write_text("")
    (folder / "other").mkdir()
    (folder / "other" / "y.db").hardlink_to(folder / "x.db")
    for url in (f"sqlite:///{folder}/x.db", f"sqlite:///{folder}/other/y.db"):
        with refused(Exit.REFUSED, "has 2 names"):
            lock_database(url)
    (folder / "other" / "y.db").unlink()
    held = lock_database(f"sqlite:///{folder}/x.db")
    assert held is not None
    held.release()


def test_what_cannot_hold_a_database_yet_is_waited_for(folder: Path) -> None:
    assert lock_database("postgresql://localhost/x") is None
    (folder / "file").write_text("")
    assert lock_database(f"sqlite:///{folder}/file/x.db") is None
    assert database_file("sqlite:///x.db") == Path.cwd() / "x.db"


def test_socket_is_its_owners_alone_whatever_the_umask(folder: Path) -> None:
    before = os.umask(0)
    try:
        listener = bind_control_socket(folder / "s")
        assert os.umask(0) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "s").stat().st_mode) == 0o600
    remove_control_socket(listener, folder / "s")
    assert not (folder / "s").exists()


def test_stale_socket_is_replaced_and_a_live_one_is_not(folder: Path) -> None:
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(folder / "s"))
    stale.close()
    listener = bind_control_socket(folder / "s")
    with refused(Exit.HELD, "listens on"):
        bind_control_socket(folder / "s")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(folder / "s"))
    remove_control_socket(listener, folder / "s")


def test_symlink_in_the_sockets_place_is_left_alone(folder: Path) -> None:
    (folder / "s").symlink_to(folder / "elsewhere")
    with refused(Exit.REFUSED, "is no socket"):
        bind_control_socket(folder / "s")


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_folder_that_others_may_write_is_refused(folder: Path, mode: int) -> None:
    (folder / "open").mkdir()
    (folder / "open").chmod(mode)
    with refused(Exit.REFUSED, "can be written by others"):
        bind_control_socket(folder / "open" / "s")


def test_path_length_is_checked(folder: Path) -> None:
    longest = folder / ("s" * (107 - len(str(folder)) - 1))
    listener = bind_control_socket(longest)
    remove_control_socket(listener, longest)
    with refused(Exit.CONFIG, "longer than 107 bytes"):
        bind_control_socket(folder / ("s" * (107 - len(str(folder)))))
