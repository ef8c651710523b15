"""Lists of roles by place, as members and titles of corporations have them."""

from __future__ import annotations

from collections.abc import Iterator

from jobs.spec import Row, Wire


class HeldRoles(Wire, frozen=True):
    """Roles by the place where they hold; every list can be absent."""

    roles: tuple[str, ...] = ()
    roles_at_base: tuple[str, ...] = ()
    roles_at_hq: tuple[str, ...] = ()
    roles_at_other: tuple[str, ...] = ()
    grantable_roles: tuple[str, ...] = ()
    grantable_roles_at_base: tuple[str, ...] = ()
    grantable_roles_at_hq: tuple[str, ...] = ()
    grantable_roles_at_other: tuple[str, ...] = ()


def held_rows(held: HeldRoles) -> Iterator[Row]:
    """Yield a row for each role, the place where it holds, and whether it can be passed on."""
    for grantable, lists in (
        (False, (held.roles, held.roles_at_base, held.roles_at_hq, held.roles_at_other)),
        (
            True,
            (
                held.grantable_roles,
                held.grantable_roles_at_base,
                held.grantable_roles_at_hq,
                held.grantable_roles_at_other,
            ),
        ),
    ):
        for place, roles in zip(("all", "base", "hq", "other"), lists, strict=True):
            for role in roles:
                yield {"place": place, "role": role, "grantable": grantable}
