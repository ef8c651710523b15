"""What holds for all tests."""

from __future__ import annotations

import signal

import hypothesis
import pytest

# Whole process trees on a busy machine; what a test waits for has deadlines of its own.
PROCESS_TIMEOUT_S = 600


def pytest_configure() -> None:
    """Set what no machine and no run may change: how signals arrive, and which examples are tried.

    A shell that runs us in the background has SIGINT ignored, and that would be handed down to the
    processes that tests start.
    """
    # The same examples each time, and no failure because a busy machine took longer for one.
    hypothesis.settings.register_profile(
        "house",
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("house")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests on real processes more time than the others, and none of them less than that."""
    for item in items:
        if item.get_closest_marker("process"):
            own = item.get_closest_marker("timeout")
            if own is None or own.args[0] < PROCESS_TIMEOUT_S:
                item.add_marker(pytest.mark.timeout(PROCESS_TIMEOUT_S), append=False)
