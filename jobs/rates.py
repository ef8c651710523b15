"""ESI's rate limits, as the contract states them; pure.

A group has a bucket for each owner: the character whose token is used, or, for public routes,
this machine. What a request costs is known only from its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

WINDOW_S: Final = 15 * 60
# A limit of a longer window, or of more tokens, is not believed: arithmetic and columns have ends.
LONGEST_WINDOW_S: Final = 86_400
MOST_TOKENS: Final = 1_000_000
# Tokens in a window, by rate group; each comes back one window after it was spent.
GROUPS: Final[Mapping[str, int]] = {
    "activity": 30,
    "alliance-social": 300,
    "char-access": 600,
    "char-activity": 150,
    "char-asset": 1800,
    "char-contract": 600,
    "char-detail": 600,
    "char-freelance-job": 300,
    "char-industry": 600,
    "char-killmail": 30,
    "char-location": 1200,
    "char-notification": 15,
    "char-social": 600,
    "char-structure": 30,
    "char-wallet": 150,
    "corp-asset": 1800,
    "corp-contract": 600,
    "corp-detail": 300,
    "corp-freelance-job": 300,
    "corp-industry": 600,
    "corp-killmail": 30,
    "corp-member": 300,
    "corp-project": 600,
    "corp-social": 300,
    "corp-structure": 300,
    "corp-wallet": 300,
    "factional-warfare": 150,
    "fitting": 150,
    "fleet": 1800,
    "freelance-job": 900,
    "incursion": 150,
    "industry": 150,
    "insurance": 150,
    "killmail": 3600,
    "market-order": 12000,
    "meta": 150,
    "routes": 3600,
    "sovereignty": 600,
    "status": 600,
    "ui": 900,
}
# Of a group that the contract did not name when this was written.
UNKNOWN_TOKENS: Final = 150
# Public routes of groups that have others too; all routes of PUBLIC_GROUPS are public.
_PUBLIC_ROUTES: Final = frozenset(
    {
        "GET /characters/{character_id}/portrait",
        "GET /fw/leaderboards",
        "GET /fw/leaderboards/characters",
        "GET /fw/leaderboards/corporations",
        "GET /fw/stats",
        "GET /fw/systems",
        "GET /fw/wars",
    }
)
_PUBLIC_GROUPS: Final = frozenset(
    {
        "activity",
        "freelance-job",
        "incursion",
        "industry",
        "insurance",
        "killmail",
        "market-order",
        "meta",
        "routes",
        "sovereignty",
        "status",
    }
)

# The dearest answer, a 4xx; so much is set aside for a request until it is answered.
WORST_COST: Final = 5
USUAL_COST: Final = 2

# How urgent a request is: what is asked by the clock, by a person, and for the outbox.
ROUTINE: Final = 0
PERSON: Final = 1
WRITE: Final = 2

# The lease that is the turn to write to SQLite; one holder at a time over all processes.
TURN: Final = "write"
# Resources of leases that are rate buckets begin with this.
PREFIX: Final = "rate:"
# Stands for a bucket where routes without a group share the error limit.
ERRORS: Final = "errors"
# Of its hundred errors a minute: the scheduler is told from here on, and holds jobs back;
ERRORS_WATCHED_FROM: Final = 60
# and so many are left to what is no fault of the routes that share the limit.
ERRORS_KEPT: Final = 20
# A wait for tokens that is longer than this ends the job: it goes on when there are some.
PATIENCE_S: Final = 5.0
# The owner of the buckets of public routes.
PUBLIC: Final = "public"


def cost_of(status: int) -> int:
    """Return the tokens that an answer costs."""
    match status // 100:
        case 2:
            return USUAL_COST
        case 3:
            return 1
        case 4:
            return 0 if status == 429 else WORST_COST
        case _:
            return 0


def is_public(route_name: str, group: str) -> bool:
    """Tell whether a route needs no token, so that this machine's bucket pays."""
    return group in _PUBLIC_GROUPS or route_name in _PUBLIC_ROUTES


def bucket_name(group: str, character_id: int) -> str:
    """Return the name of a rate bucket: a group, and who spends from it; 0: nobody's token."""
    return f"{group}:{character_id or PUBLIC}"


def limit_of(text: str | None) -> tuple[int, int] | None:
    """Return tokens and seconds of a limit as ESI writes it, `150/15m`; None if it can be none."""
    tokens, _, window = (text or "").partition("/")
    factor = {"s": 1, "m": 60, "h": 3600}.get(window[-1:])
    if factor is None or not _is_number(tokens) or not _is_number(window[:-1]):
        return None
    found = int(tokens), int(window[:-1]) * factor
    return found if is_limit(*found) else None


def is_limit(tokens: int, window_s: int) -> bool:
    """Tell whether ESI can mean so many tokens in so many seconds."""
    return 0 < tokens <= MOST_TOKENS and 0 < window_s <= LONGEST_WINDOW_S


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 9
