"""Preloaded into a forkserver: ties its life to the process that started it.

Importing it anywhere else does nothing: only a forkserver's environment names its owner.
"""

from __future__ import annotations

import os

from ipc.parentage import die_with_parent

OWNER_VARIABLE = "ESISYNCD_FORKSERVER_OWNER"

is_armed = False


def arm(owner: int) -> None:
    """Tie the life of this process, a forkserver, to the process that started it."""
    global is_armed  # noqa: PLW0603 - a fact of the process, inherited by those forked from it
    die_with_parent(owner)
    is_armed = True


if OWNER_VARIABLE in os.environ:
    arm(int(os.environ.pop(OWNER_VARIABLE)))
