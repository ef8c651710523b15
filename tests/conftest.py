"""What holds for all tests."""

from __future__ import annotations

import signal

import pytest

# Whole process trees on a busy machine; what a test waits for has deadlines of its own.
PROCESS_TIMEOUT_S = 180


def pytest_configure() -> None:
    """Let SIGINT through to the processes that tests start.

    A shell that runs us in the background has it ignored, and that would be handed down.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests on real processes more time than the others."""
    for item in items:
        if item.get_closest_marker("process") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(PROCESS_TIMEOUT_S))
