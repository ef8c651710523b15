"""One rate bucket of ESI as the scheduler keeps it: tokens spent, lent out, and left; pure.

A token that was spent comes back one window later. What is lent counts as spent until it is
settled; a settled lease is charged when it is settled, which is never too early.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from jobs.rates import PERSON, ROUTINE, WORST_COST, is_limit

# Of a bucket this share is kept from routine: for writes, and for what a person waits for.
RESERVE_SHARE: Final = 0.1
# Below this share of its tokens, routine spreads its requests over what is left of the window.
LOW_SHARE: Final = 0.5
# What is left of the window is never taken for less than this share of it.
LEAST_LEFT_SHARE: Final = 0.25
# Lent tokens come back soon, mostly unspent.
LENT_LOOK_S: Final = 1.0
# A bucket of which ESI has said nothing yet is asked again after this.
UNHEARD_LOOK_S: Final = 0.25
# And asked for one request more after this, where what was lent before was lost with its worker:
# nothing else tells what is left, and a window is long.
UNHEARD_AGAIN_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Account:
    """What is to be remembered of a bucket; times are from now."""

    spent: int
    # Until the last of it has come back.
    back_in_s: float
    blocked_for_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to be had for so long; exhausted: not for want of patience, but of tokens."""

    seconds: float
    exhausted: bool
    # The wait if nothing that is lent comes back unspent.
    sure_s: float = 0.0


class Budget:
    """The bucket of one owner in one rate group."""

    __slots__ = (
        "_assumed",
        "_blocked_until_s",
        "_ever",
        "_heard",
        "_lent",
        "_low",
        "_next_s",
        "_noted",
        "_spent",
        "_used",
        "limit",
        "name",
        "reserve",
        "window_s",
    )

    def __init__(self, name: str, limit: int, window_s: float) -> None:
        """Start without knowing what an earlier life, or another program, has spent."""
        self.name = name
        self.window_s = window_s
        self._spent: deque[tuple[float, int]] = deque()
        self._used = 0
        self._lent = 0
        # Routine waits until then while tokens are low.
        self._next_s = 0.0
        self._blocked_until_s = 0.0
        self._heard = False
        self.set_limit(limit)
        # Tokens ever spent; and with what was lent and the block, as last remembered elsewhere.
        self._ever = 0
        self._noted: tuple[int, int, float] = (0, 0, 0.0)
        # Until ESI tells what is left, only the reserve is believed in.
        self._assumed = self.limit - self.reserve

    def set_limit(self, limit: int) -> None:
        """Take over how many tokens a window has."""
        self.limit = limit
        self.reserve = max(WORST_COST, int(limit * RESERVE_SHARE))
        self._low = int(limit * LOW_SHARE)

    def left(self, now_s: float) -> int:
        """Return the tokens that are neither spent nor lent; below zero when more was spent."""
        self._give_back(now_s)
        return self.limit - self._used - self._lent - (0 if self._heard else self._assumed)

    @property
    def is_heard(self) -> bool:
        """Tell whether ESI, or an earlier life, has said what is left."""
        return self._heard

    @property
    def lent(self) -> int:
        """Return the tokens that are lent out."""
        return self._lent

    def wait(self, tokens: int, priority: int, now_s: float) -> Wait | None:
        """Return None when the tokens can be lent now, else how long to wait."""
        if now_s < self._blocked_until_s:
            return Wait(self._blocked_until_s - now_s, exhausted=True)
        left = self.left(now_s)
        kept = self._kept(priority)
        if not self._heard:
            # What is not spent yet by anybody is the reserve, and that is asked for bit by bit.
            is_quiet = not self._spent or now_s - self._spent[-1][0] >= UNHEARD_AGAIN_S
            enough = left >= tokens or (not self._lent and (left > 0 or is_quiet))
            return None if enough else Wait(UNHEARD_LOOK_S, exhausted=False)
        missing = self._clamped(tokens, kept) + kept - left
        if missing > 0:
            sure_s = self._until(missing, now_s)
            seconds = min(LENT_LOOK_S, sure_s) if self._lent >= missing else sure_s
            return Wait(seconds, exhausted=True, sure_s=sure_s)
        if priority == ROUTINE and now_s < self._next_s and left - tokens < self._low:
            return Wait(self._next_s - now_s, exhausted=False)
        return None

    def lend(self, tokens: int, priority: int, now_s: float) -> int:
        """Lend tokens after wait() has agreed; return how many: never more than a bucket allows."""
        tokens = self._clamped(tokens, self._kept(priority))
        left = self.left(now_s)
        if not self._heard:
            tokens = min(tokens, max(WORST_COST, left))
        elif priority == ROUTINE and left - tokens < self._low:
            self._next_s = now_s + self._left_s(now_s) * tokens / max(1, left - self.reserve)
        self._lent += tokens
        return tokens

    def settle(self, lent: int, spent: int, now_s: float) -> None:
        """Take a lease back, of which so much was spent."""
        self._give_back(now_s)
        self._lent -= lent
        if spent > 0:
            self._charge(now_s, spent)

    def hear(self, remaining: int, limit: int, window_s: int, now_s: float) -> None:
        """Take over what ESI said of the bucket, at the end of a lease that was settled."""
        if is_limit(limit, window_s):
            self.set_limit(limit)
            self.window_s = window_s
        self._heard = True
        if remaining < 0:
            return
        # Of what is lent an unknown part is spent already, so only what goes beyond it is foreign.
        foreign = self.limit - remaining - self._used - self._lent
        if foreign > 0:
            self._charge(now_s, foreign)

    def block(self, until_s: float) -> None:
        """Lend nothing before then: ESI said so; the longest stands."""
        self._blocked_until_s = max(self._blocked_until_s, until_s)

    # --- over a restart ---

    def to_remember(self, now_s: float) -> Account | None:
        """Return what has changed since the last time, if anything; what is lent is as spent."""
        state = (self._ever, self._lent, self._blocked_until_s)
        if state == self._noted:
            return None
        self._noted = state
        self._give_back(now_s)
        blocked_s = max(0.0, self._blocked_until_s - now_s)
        newest_s = self._spent[-1][0] if self._spent else now_s - self.window_s
        from_s = now_s if self._lent else newest_s
        back_s = max(from_s + self.window_s - now_s, blocked_s)
        return Account(self._used + self._lent, back_s, blocked_s)

    def remember(self, account: Account, now_s: float) -> None:
        """Take over what an earlier life spent, all of it as if at the latest time."""
        self._heard = True
        at_s = now_s - self.window_s + min(account.back_in_s, self.window_s)
        if account.spent > 0 and at_s > now_s - self.window_s:
            self._charge(at_s, account.spent)
        if account.blocked_for_s > 0:
            self.block(now_s + account.blocked_for_s)
        self._noted = (self._ever, self._lent, self._blocked_until_s)

    # --- parts ---

    def _charge(self, at_s: float, tokens: int) -> None:
        self._spent.append((at_s, tokens))
        self._used += tokens
        self._ever += tokens

    def _kept(self, priority: int) -> int:
        """Return the tokens that a request of this priority must leave to more urgent ones."""
        if priority == ROUTINE:
            return self.reserve
        return self.reserve // 2 if priority == PERSON else 0

    def _clamped(self, tokens: int, kept: int) -> int:
        return min(tokens, max(WORST_COST, self.limit - kept))

    def _left_s(self, now_s: float) -> float:
        """Return what is left of the window that began with the oldest spent token."""
        began_s = self._spent[0][0] if self._spent else now_s
        return max(began_s + self.window_s - now_s, self.window_s * LEAST_LEFT_SHARE)

    def _until(self, missing: int, now_s: float) -> float:
        """Return how long until so many spent tokens have come back."""
        for at_s, tokens in self._spent:
            missing -= tokens
            if missing <= 0:
                return max(0.001, at_s + self.window_s - now_s)
        return self.window_s

    def _give_back(self, now_s: float) -> None:
        spent = self._spent
        oldest = now_s - self.window_s
        while spent and spent[0][0] <= oldest:
            self._used -= spent.popleft()[1]
