"""Process 1's main: checks its place, then supervises; every refusal is told in a line or two."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from ipc.child import SpawnFailed
from ipc.clock import SystemClock
from ipc.config import ConfigError, check_runnable
from ipc.dispositions import (
    block_operator_signals,
    enable_stack_dumps,
    ensure_standard_fds,
    set_defaults,
)
from ipc.exits import Exit
from ipc.inherited import hold_temporary_files
from ipc.logs import flush_logs, set_up_logging
from ipc.parentage import set_process_name
from ipc.settings import Settings
from supervisor.arbiter import Arbiter, Options
from supervisor.installed import installed_version
from supervisor.notify import Notifier
from supervisor.place import (
    StartRefused,
    bind_control_socket,
    lock_data_dir,
    lock_database,
    prepare_data_dir,
    prepare_run_dir,
    remove_control_socket,
)

SCHEDULER_ENTRY = "engine.main:main"
_OPEN_FILES = 4096
# 64 clients, the pipes to the workers, their connections and the database, with room to start.
_MIN_OPEN_FILES = 256


def run(
    load: Callable[[], Settings],
    *,
    exit_on_give_up: bool = False,
    scheduler_entry: str = SCHEDULER_ENTRY,
) -> int:
    """Be the daemon until told to stop; return its exit code.

    load: reads the configuration, now and at each reload; ConfigError if it cannot be used.
    """
    block_operator_signals()
    ensure_standard_fds()
    set_defaults()
    enable_stack_dumps()
    os.umask(0o077)
    set_process_name("esisyncd")

    def load_runnable() -> Settings:
        settings = load()
        check_runnable(settings)
        return settings

    def take_over(settings: Settings) -> None:
        set_up_logging("supervisor", settings.log_level)

    try:
        check_environment()
        raise_file_limit()
        settings = load_runnable()
        take_over(settings)
        version = installed_version("esisyncd") or "source"
        options = Options(version, scheduler_entry, exit_on_give_up, take_over)
        return _hold_place(settings, load_runnable, options)
    except ConfigError as error:
        return _refuse(Exit.CONFIG, str(error))
    except StartRefused as error:
        return _refuse(error.exit_code, str(error))
    except SpawnFailed as error:
        return _refuse(Exit.FAILURE, str(error))
    finally:
        flush_logs()


def check_environment() -> None:
    """Refuse an environment in which `import supervisor` may mean another program."""
    if installed_version("supervisor") is not None:
        raise StartRefused(
            Exit.CONFIG,
            "the package `supervisor` is installed in the same environment, under our name.",
            "Install esisyncd with pipx or uv into an environment of its own.",
        )


def raise_file_limit() -> None:
    """Allow ourselves and our children as many open files as may be; refuse too few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft < wanted:
        # A system call filter may forbid it; then what there is must do.
        with contextlib.suppress(OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft < _MIN_OPEN_FILES:
        raise StartRefused(
            Exit.CONFIG,
            f"{soft} open files are allowed, and the daemon needs {_MIN_OPEN_FILES}.",
            f"Raise the limit: `ulimit -n {_OPEN_FILES}`, or LimitNOFILE= in the unit.",
        )


def _hold_place(settings: Settings, load: Callable[[], Settings], options: Options) -> int:
    data_dir = Path(settings.data_dir)
    prepare_data_dir(settings)
    lock = lock_data_dir(data_dir)
    database_lock = lock_database(settings.database_url)
    listener = bind_control_socket(settings.socket_path)
    hold_temporary_files(prepare_run_dir(data_dir))
    notifier = Notifier.from_environ(os.environ)
    try:
        return asyncio.run(_supervise(settings, load, options, notifier, listener))
    finally:
        notifier.close()
        remove_control_socket(listener, settings.socket_path)
        if database_lock is not None:
            database_lock.release()
        lock.release()


async def _supervise(
    settings: Settings,
    load: Callable[[], Settings],
    options: Options,
    notifier: Notifier,
    listener: socket.socket,
) -> int:
    arbiter = Arbiter(settings, load, options, notifier, SystemClock())
    code = await arbiter.run(listener)
    if code != Exit.OK and arbiter.why_left:
        flush_logs()
        sys.stderr.write(f"esisyncd: {arbiter.why_left}\n")
    return code


def _refuse(code: Exit, text: str) -> int:
    sys.stderr.write(f"esisyncd: {text}\n")
    return int(code)
