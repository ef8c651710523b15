"""Access tokens as the scheduler knows them: when each must be refreshed, and who waits for it.

One refresh runs for a credential at a time. No token is known here, only its generation and its
end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Generic, TypeVar

from engine.policy import failure_backoff_s

if TYPE_CHECKING:
    from jobs.store.credentials import Credential

T = TypeVar("T")

# A token that lives shorter than this twice over is used for the half of its life.
_USUAL_LIFE_S = 1200.0
_UNKNOWN_LIFE_S = 120.0


class Access(Generic[T]):
    """One credential's access token."""

    __slots__ = (
        "again_s",
        "character_id",
        "client_id",
        "credential_id",
        "expires_at",
        "failures",
        "generation",
        "life_s",
        "needs_reauth",
        "rejected",
        "running",
        "stalled",
        "waiting",
    )

    def __init__(self, credential: Credential) -> None:
        """Take what the database says."""
        self.credential_id = credential.id
        self.character_id = credential.character_id
        self.client_id = credential.client_id
        self.generation = credential.generation
        self.expires_at = credential.expires_at
        self.life_s = _USUAL_LIFE_S
        # Flagged: only a login helps.
        self.needs_reauth = credential.needs_reauth
        # ESI refused this generation.
        self.rejected = False
        # Work id of the refresh that runs; 0: none.
        self.running = 0
        # After trouble: monotonic, not tried before then.
        self.again_s = 0.0
        self.failures = 0
        # Jobs that wait for it.
        self.waiting: list[T] = []
        # Jobs that were put off because it could not be refreshed.
        self.stalled: set[T] = set()


@dataclass(slots=True)
class Changes(Generic[T]):
    """What a look at the database brought."""

    # Jobs that waited for a refresh of a credential that was removed.
    waited: list[T] = field(default_factory=list)
    # Jobs that were put off for a credential that was removed or stored anew, as by a login.
    stalled: list[T] = field(default_factory=list)
    # Characters with a credential that is new or was stored anew.
    renewed: set[int] = field(default_factory=set)


class Refreshes(Generic[T]):
    """All credentials' tokens."""

    def __init__(self) -> None:
        """Start without credentials."""
        self._access: dict[int, Access[T]] = {}
        self._of: dict[int, list[Access[T]]] = {}

    def update(self, credentials: Iterable[Credential]) -> Changes[T]:
        """Take over what the database says; return what that means for jobs."""
        old, self._access = self._access, {}
        changes: Changes[T] = Changes()
        for credential in credentials:
            access = old.pop(credential.id, None)
            if access is None:
                access = Access(credential)
                changes.renewed.add(credential.character_id)
            elif credential.generation > access.generation:
                access.generation = credential.generation
                access.expires_at = credential.expires_at
                access.rejected = False
                access.again_s, access.failures = 0.0, 0
                changes.renewed.add(credential.character_id)
                changes.stalled += access.stalled
                access.stalled.clear()
            access.needs_reauth = credential.needs_reauth
            self._access[credential.id] = access
        self._of = {}
        for access in self._access.values():
            self._of.setdefault(access.character_id, []).append(access)
        for access in old.values():
            changes.waited += access.waiting
            changes.stalled += access.stalled
        return changes

    def forgive(self, client_id: str) -> list[T]:
        """Let the tokens of a client be refreshed at once; return the jobs put off for them."""
        jobs: list[T] = []
        for access in self._access.values():
            if access.client_id == client_id:
                access.again_s, access.failures = 0.0, 0
                jobs += access.stalled
                access.stalled.clear()
        return jobs

    def get(self, credential_id: int) -> Access[T] | None:
        """Return a credential's token; None when there is no such credential."""
        return self._access.get(credential_id)

    def unready(self, character_id: int, now: datetime, within_s: float) -> list[Access[T]]:
        """Return a character's tokens if each must be refreshed before work this long.

        None of them where one is good, or where a login is all that helps.
        """
        own = [one for one in self._of.get(character_id, ()) if not one.needs_reauth]
        return own if all(_is_due(one, now, within_s) for one in own) else []

    def blocking(
        self, credential_ids: tuple[int, ...], now: datetime, within_s: float
    ) -> Access[T] | None:
        """Return the first of these tokens that must be refreshed before a job this long."""
        for credential_id in credential_ids:
            access = self._access.get(credential_id)
            if access is not None and _is_due(access, now, within_s):
                return access
        return None

    def reject(self, credential_id: int, generation: int) -> None:
        """Note that ESI refused this generation of a token."""
        access = self._access.get(credential_id)
        if access is not None and access.generation == generation:
            access.rejected = True

    def fresh(
        self, access: Access[T], generation: int, expires_at: datetime | None, now: datetime
    ) -> list[T]:
        """Note a new token; return the jobs that waited for it."""
        access.generation = max(generation, access.generation)
        # Without a time it is trusted for a while, or it would be refreshed for ever.
        access.expires_at = expires_at or now + timedelta(seconds=_UNKNOWN_LIFE_S)
        access.rejected = False
        access.running = 0
        access.again_s, access.failures = 0.0, 0
        access.life_s = max(0.0, (access.expires_at - now).total_seconds())
        return self._freed(access)

    def failed(self, access: Access[T], now_s: float, at_least_s: float = 0.0) -> list[T]:
        """Note that a refresh did not work; return the jobs that waited for it."""
        access.running = 0
        access.failures += 1
        access.again_s = now_s + max(at_least_s, failure_backoff_s(access.failures))
        return self._freed(access)

    @staticmethod
    def _freed(access: Access[T]) -> list[T]:
        waiting, access.waiting = access.waiting, []
        return waiting


def _is_due(access: Access[T], now: datetime, within_s: float) -> bool:
    if access.rejected or access.running or access.expires_at is None:
        return True
    left_s = (access.expires_at - now).total_seconds()
    return left_s < min(within_s, access.life_s / 2)
