"""Writes that wait for a token: of whom none is ready, and whose token ESI refused."""

from __future__ import annotations

from collections.abc import Iterable

from engine.tokens import Tokens
from ipc.outcome import TokenRejected
from jobs.store.outbox_rows import OutboxRow


class TokenWaits:
    """Who waits, and what has got a newer token."""

    def __init__(self, tokens: Tokens, within_s: float) -> None:
        """Take the tokens, and how long one must still last for a write to go out."""
        self._tokens = tokens
        self._within_s = within_s
        # Characters whose writes wait for a token.
        self.held: set[int] = set()
        # Of the rows whose token was refused, what has got a newer one: to be made due at once.
        self.renewed: set[int] = set()
        # Rows whose token was refused, and of whom.
        self._refused: dict[int, int] = {}
        # What was renewed since it last ended otherwise: refused again, it keeps its own wait.
        self._hurried: set[int] = set()

    def look_again(self) -> None:
        """Let go who is ready; also starts the refreshes that could not be started before."""
        self.held = self._unready(self.held)

    def hold(self, characters: Iterable[int]) -> None:
        """Hold the writes of those of whom no token is ready."""
        self.held |= self._unready(set(characters))

    def on_refused(self, row: OutboxRow, rejected: TokenRejected) -> bool:
        """Have a row's token refreshed; tell whether something is to be sent because of it.

        The row is due when that has ended.
        """
        is_newer = self._tokens.renew(rejected.credential_id, rejected.generation)
        if row.id in self._hurried:
            return False
        self._refused[row.id] = row.subject.id
        return is_newer and self.on_renewed(row.subject.id)

    def on_other_end(self, row_id: int) -> None:
        """Note that a row ended, or will be sent again, for another reason."""
        self._refused.pop(row_id, None)
        self._hurried.discard(row_id)

    def on_renewed(self, character_id: int) -> bool:
        """Note a character's newer token; tell whether something waited for it."""
        waited = {id_ for id_, number in self._refused.items() if number == character_id}
        for id_ in waited:
            del self._refused[id_]
        self._hurried |= waited
        self.renewed |= waited
        return bool(waited) or character_id in self.held

    def _unready(self, characters: set[int]) -> set[int]:
        is_ready = self._tokens.is_ready
        return {number for number in characters if not is_ready(number, self._within_s)}
