"""Signal masks and dispositions, and the three standard descriptors: what is inherited is set.

A mask outlives exec, an ignored signal too, and a closed descriptor 2 would become the database.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager

# What operators and terminals send; nothing of it may strike before its handler is there.
OPERATOR_SIGNALS = frozenset(
    {
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
    }
)


def block_operator_signals() -> None:
    """Hold operators' signals back; for the first statement of a main, and before an exec."""
    signal.pthread_sigmask(signal.SIG_BLOCK, OPERATOR_SIGNALS)


def clear_mask() -> None:
    """Let all signals through; what was held back arrives now."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@contextmanager
def operator_signals_blocked() -> Iterator[None]:
    """Hold operators' signals back while a process is started, which inherits the mask."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, OPERATOR_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def set_defaults() -> None:
    """Undo what the starter may have ignored: an ignored SIGCHLD hides every child's status."""
    for number in (signal.SIGCHLD, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def install_child_signals() -> None:
    """Set a child's dispositions, then clear its mask: it obeys its pipe, not the terminal.

    INT and TERM reach whole process groups, HUP and USR1 a mistaken pid; all are the
    supervisor's to act on. ABRT writes the stacks of all threads to standard error first.
    """
    signal.set_wakeup_fd(-1)
    set_defaults()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    enable_stack_dumps()
    clear_mask()


def enable_stack_dumps() -> None:
    """Write all stacks on ABRT and on crashes, and no core: one would hold tokens."""
    faulthandler.enable(file=2, all_threads=True)
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    # A system call filter may forbid it; the unit that does limits it by itself.
    with contextlib.suppress(OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def ensure_standard_fds() -> None:
    """Point descriptors 0, 1 and 2 to /dev/null where they are closed."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is given out, and that is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
