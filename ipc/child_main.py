"""What runs first in a child, and last: the entry point of whoever started it in between."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import socket
import sys
from collections.abc import Callable

from ipc import deathwatch
from ipc.dispositions import install_child_signals
from ipc.exits import Exit
from ipc.logs import flush_logs
from ipc.parentage import die_with_parent, set_process_name

_log = logging.getLogger("ipc.child")


def run(entry: str, name: str, parent_pid: int, forked: bool, sock: socket.socket) -> None:
    """Run an entry point as this process's main, and end the process with its exit code.

    Leaves by _exit: a thread that hangs in a name look-up must not hold the exit up.
    """
    code = int(Exit.INTERNAL)
    try:
        die_with_parent(parent_pid)
        set_process_name(name)
        sock.set_inheritable(False)
        install_child_signals()
        if forked and not deathwatch.is_armed:
            raise RuntimeError("the forkserver could not load ipc.deathwatch")  # noqa: TRY301
        module_name, _, attribute = entry.partition(":")
        main: Callable[[socket.socket], int] = getattr(
            importlib.import_module(module_name), attribute
        )
        code = int(main(sock))
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:  # noqa: BLE001 - top of the process
        _log.exception("%s ends by an error nobody foresaw", name)
    finally:
        flush_logs()
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
