"""How users of this machine are named."""

from __future__ import annotations

from ipc.users import user_name


def test_users_are_named_as_people_know_them() -> None:
    assert user_name(0) == "user root"
    assert user_name(3_999_999_999) == "user 3999999999"
