"""Users of this machine as people know them."""

from __future__ import annotations

import pwd


def user_name(uid: int) -> str:
    """Return "user alice", or "user 1234" for one without a name here."""
    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user {uid}"
