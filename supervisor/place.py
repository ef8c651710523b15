"""The daemon's place on the machine: data folder, lock and control socket, each its owner's alone.

The lock decides who is the daemon, not a file's presence; only under it is a socket replaced.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ipc.exits import Exit
from ipc.settings import MAX_SOCKET_PATH_BYTES, Settings
from ipc.users import user_name

_log = logging.getLogger("supervisor")

LOCK_NAME = "esisyncd.lock"
RUN_NAME = "run"
# One of these is in every data folder that was used.
_OURS = frozenset({LOCK_NAME, "esisyncd.db"})
# Made by whoever made the file system, and nobody's.
_NOBODYS = frozenset({"lost+found"})
# Closed to others, the machine would stand still: not even one that holds something of ours.
_SYSTEM = frozenset(
    Path(name)
    for name in (
        "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/proc",
        "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/var",  # noqa: S108 - never used
        "/usr/bin", "/usr/lib", "/usr/local", "/usr/sbin", "/usr/share",
        "/var/cache", "/var/lib", "/var/log", "/var/spool", "/var/tmp",  # noqa: S108 - as above
    )
)  # fmt: skip


class StartRefused(Exception):
    """The daemon may not start here; text says why, hint what to do."""

    def __init__(self, exit_code: Exit, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.exit_code = exit_code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.args[0]}\n{self.hint}" if self.hint else str(self.args[0])


def check_place(settings: Settings) -> None:
    """Refuse a place that the daemon could not make or use; nothing is made or changed."""
    data_dir, socket_path = Path(settings.data_dir), settings.socket_path
    check_data_dir(settings)
    check_socket_path(socket_path)
    # The data folder is made its owner's alone at the start.
    if socket_path.parent != data_dir:
        with _refusing_socket(socket_path):
            found = _nearest(socket_path.parent)
            _require_writable(found)
            if found == socket_path.parent:
                _check_socket_dir(found)


def check_data_dir(settings: Settings) -> None:
    """Refuse a data folder that others own or use, or that cannot be made or written in."""
    path = Path(settings.data_dir)
    with _refusing_data_dir(path):
        found = _nearest(path)
        if found == path and (owner := path.stat().st_uid) != os.geteuid():
            raise StartRefused(
                Exit.REFUSED,
                f"{path} belongs to {user_name(owner)}, and this is {user_name(os.geteuid())}.",
                "Run the daemon as that user, or set another data_dir.",
            )
        _require_writable(found)
        if found == path:
            _require_own(path, settings)


def check_database_place(url: str) -> None:
    """Refuse a SQLite file whose folder cannot be made or written in; nothing is made."""
    file = database_file(url)
    if file is None:
        return
    try:
        _require_writable(_nearest(file.parent))
    except OSError as error:
        raise StartRefused(
            Exit.REFUSED,
            f"the database {file} cannot be made: {error.strerror}.",
            "Set [store] url to another.",
        ) from error


def prepare_data_dir(settings: Settings) -> None:
    """Make the data folder, or check that it is ours; nobody else may look in."""
    check_data_dir(settings)
    path = Path(settings.data_dir)
    with _refusing_data_dir(path):
        path.mkdir(0o700, parents=True, exist_ok=True)
        if others_may := _open_to_others(path):
            path.chmod(0o700)
            _log.info(
                "%s was open to others (mode %o), and is closed to them now", path, others_may
            )


def prepare_run_dir(data_dir: Path) -> Path:
    """Return an empty folder for what lives as long as the processes; call it under the Lock."""
    folder = data_dir / RUN_NAME
    try:
        folder.mkdir(0o700, exist_ok=True)
        for left_over in folder.iterdir():
            left_over.unlink()
    except OSError as error:
        raise StartRefused(
            Exit.REFUSED, f"the folder {folder} cannot be used: {error.strerror}."
        ) from error
    return folder


def database_file(url: str) -> Path | None:
    """Return the file of a SQLite database by its true path; None for a database on a server."""
    scheme, _, rest = url.partition(":///")
    if scheme.partition("+")[0] != "sqlite":
        return None
    return Path(rest.partition("?")[0]).resolve()


def lock_database(url: str) -> Lock | None:
    """Lock a SQLite database by whatever path it is reached; None if there is no such file's lock.

    A folder that is not there yet, or that nobody may write in, is the scheduler's to wait for.
    """
    file = database_file(url)
    if file is None:
        return None
    try:
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    if not os.access(file.parent, os.W_OK):
        return None
    _require_one_name(file)
    return Lock(
        file.with_name(f"{file.name}.lock"), f"the database {file}", "set another [store] url"
    )


def _require_one_name(file: Path) -> None:
    """Refuse a file with hard links: by another name, another daemon would have a lock of its own.

    And SQLite another write-ahead log, which is how a database is spoilt.
    """
    with contextlib.suppress(OSError):
        names = file.stat().st_nlink
        if names > 1:
            raise StartRefused(
                Exit.REFUSED,
                f"the database {file} has {names} names, which are hard links.",
                "Remove the others; where one is needed, make it a symbolic link.",
            )


def lock_data_dir(data_dir: Path) -> Lock:
    """Lock the data folder."""
    return Lock(data_dir / LOCK_NAME, str(data_dir), "set another data_dir")


class Lock:
    """An exclusive lock by a file; it ends with this process, however that ends."""

    def __init__(self, path: Path, what: str, instead: str) -> None:
        """Take the lock; StartRefused names the one who holds it, and what to do instead."""
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self._fd = os.open(self.path, flags, 0o600)
        except OSError as error:
            raise StartRefused(
                Exit.REFUSED, f"the lock {self.path} cannot be opened: {error.strerror}."
            ) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._fd)
            raise StartRefused(
                Exit.HELD,
                f"another daemon (process {holder}) holds {what}.",
                f"Stop it with `esisyncd stop`, or {instead}.",
            ) from None
        # Only so that others can name us: on a full disk they cannot, and we are needed still.
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others have it."""
        os.close(self._fd)


def check_socket_path(path: Path) -> None:
    """Refuse a path that no socket can have."""
    if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
        raise StartRefused(
            Exit.CONFIG,
            f"the control socket's path is longer than {MAX_SOCKET_PATH_BYTES} bytes: {path}",
            "Set [control] socket to a shorter one.",
        )


def bind_control_socket(path: Path) -> socket.socket:
    """Return the listening control socket; call it only under the Lock."""
    check_socket_path(path)
    with _refusing_socket(path):
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        _check_socket_dir(path.parent)
        _remove_stale(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        before = os.umask(0o177)
        try:
            listener.bind(os.fspath(path))
        except OSError:
            listener.close()
            raise
        finally:
            os.umask(before)
        listener.listen(64)
    listener.setblocking(False)
    return listener


def remove_control_socket(listener: socket.socket, path: Path) -> None:
    """Close the socket and remove its name."""
    listener.close()
    path.unlink(missing_ok=True)


@contextmanager
def _refusing_data_dir(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StartRefused(
            Exit.REFUSED,
            f"the data folder {path} cannot be used: {error.strerror}.",
            "Set data_dir to another.",
        ) from error


@contextmanager
def _refusing_socket(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StartRefused(
            Exit.REFUSED,
            f"the control socket {path} cannot be made: {error.strerror}.",
            "Set [control] socket to a path in a folder of your own.",
        ) from error


def _nearest(path: Path) -> Path:
    """Return the path itself, or the nearest folder above it that is there."""
    found = path
    while not found.exists() and found != found.parent:
        found = found.parent
    return found


def _require_own(folder: Path, settings: Settings) -> None:
    """Refuse a folder that others use: it would be closed to them, and its `run` be emptied."""
    if folder.resolve() in _SYSTEM:
        raise StartRefused(
            Exit.REFUSED,
            f"{folder} is the system's, and would be closed to all others.",
            "Set data_dir to a folder of its own.",
        )
    there = {entry.name for entry in folder.iterdir()} - _NOBODYS
    if there & _OURS:
        return
    if RUN_NAME in there:
        raise StartRefused(
            Exit.REFUSED,
            f"{folder / RUN_NAME} is not esisyncd's, and would be emptied.",
            "Set data_dir to a folder of its own.",
        )
    mode = _open_to_others(folder)
    if not mode or (not mode & 0o022 and all(_is_named(folder / name, settings) for name in there)):
        return
    if there:
        raise StartRefused(
            Exit.REFUSED,
            f"{folder} holds other things, nothing of esisyncd's, and would be closed to others.",
            f"Set data_dir to a folder of its own; or, if that is meant, chmod 700 {folder}.",
        )


def _is_named(path: Path, settings: Settings) -> bool:
    """Tell whether a file is this user's, and the one of the settings or of the database."""
    database = database_file(settings.database_url)
    named = {Path(settings.config_path).resolve()} if settings.config_path else set()
    if database is not None:
        named |= {database.with_name(database.name + end) for end in ("", "-wal", "-shm", ".lock")}
    return path.resolve() in named and path.lstat().st_uid == os.geteuid()


def _open_to_others(folder: Path) -> int:
    """Return the mode of a folder that others may do anything with; else 0."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    return mode if mode & 0o077 else 0


def _require_writable(folder: Path) -> None:
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if not os.access(folder, os.W_OK | os.X_OK):
        read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
        number = errno.EROFS if read_only else errno.EACCES
        raise OSError(number, os.strerror(number), str(folder))


def _check_socket_dir(folder: Path) -> None:
    facts = folder.stat()
    if facts.st_uid not in (os.geteuid(), 0) or facts.st_mode & 0o022:
        raise StartRefused(
            Exit.REFUSED,
            f"the control socket's folder {folder} can be written by others.",
            "Set [control] socket to a path in a folder of your own.",
        )


def _remove_stale(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise StartRefused(
            Exit.REFUSED,
            f"{path} is no socket, and is left alone.",
            "Remove it, or set another [control] socket.",
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise StartRefused(
        Exit.HELD,
        f"a process listens on {path} already.",
        "Stop it, or set another [control] socket.",
    )
