"""Why a process ended, in words."""

from __future__ import annotations

import pytest

from ipc.exit_reason import ExitReason


@pytest.mark.parametrize(
    ("returncode", "said"),
    [
        (-9, "killed by signal 9 (out of memory?)"),
        (-11, "killed by signal 11 (SIGSEGV)"),
        (-63, "killed by signal 63 (unnamed)"),
        (0, "exit code 0 (ok)"),
        (81, "exit code 81 (workers lost)"),
        (5, "exit code 5"),
        (None, "died, cause unknown"),
    ],
)
def test_words(returncode: int | None, said: str) -> None:
    reason = ExitReason.of(returncode)
    assert reason.describe() == said


def test_a_signal_of_our_own_is_no_riddle() -> None:
    assert ExitReason.of(-9).describe(by_us=True) == "killed by signal 9 (our own)"
    assert ExitReason.of(0).describe(by_us=True) == "exit code 0 (ok)"
