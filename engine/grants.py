"""What a subject's credentials allow of a kind: who runs each part, and what is missing; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from ipc.messages import PartBlock, PartGrant
from ipc.subject import SubjectType
from jobs.spec import Kind, Part

NEEDS_LOGIN = "needs re-authentication"
# Credentials through which a global part may ask, since what one may see another may not.
GLOBAL_READERS = 10
# What ends later was stored while the clock was ahead.
_LONGEST_REFUSAL = timedelta(days=1)


class Verdict(Enum):
    """What happens when a job is due."""

    RUN = auto()
    # Every credential that could serve it is flagged.
    SKIP = auto()
    # Scopes or roles are missing for each of its parts.
    BLOCK = auto()
    # There is no credential at all.
    LOGIN = auto()


@dataclass(frozen=True, slots=True)
class Holder:
    """A credential through which a subject is read, as far as grants go."""

    credential_id: int
    character_id: int
    scopes: frozenset[str]
    generation: int = 0
    flagged: bool = False
    # None: not known; ESI decides.
    roles: frozenset[str] | None = None
    refused_until: datetime | None = None
    # What needs one of these was refused; None: everything.
    refused_roles: frozenset[str] | None = None
    # Granted to another client than the configured one.
    foreign: bool = False
    # When a person last granted it.
    logged_in_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What runs of a kind for a subject, and under which credentials."""

    verdict: Verdict
    grants: tuple[PartGrant, ...] = ()
    blocked: tuple[PartBlock, ...] = ()
    # Those named in grants, each once; their tokens must outlive the job.
    credentials: tuple[int, ...] = ()
    # Why nothing runs.
    reason: str = ""


def plan(kind: Kind, holders: Sequence[Holder], now: datetime) -> Plan:
    """Return what runs of a kind for the subject that these credentials serve."""
    grants: list[PartGrant] = []
    blocked: list[PartBlock] = []
    optional = all(part.optional for part in kind.parts)
    runs = False
    for part in kind.parts:
        if not part.scopes and not part.any_role:
            grants.append(PartGrant(part.name))
        else:
            chosen = _choose(part, holders, now)
            if isinstance(chosen, str):
                blocked.append(PartBlock(part.name, chosen))
                continue
            several = GLOBAL_READERS if kind.subject is SubjectType.GLOBAL else 1
            grants += [PartGrant(part.name, one.credential_id) for one in chosen[:several]]
        runs = runs or optional or not part.optional
    if runs:
        ids = dict.fromkeys(grant.credential_id for grant in grants if grant.credential_id)
        return Plan(Verdict.RUN, tuple(grants), tuple(blocked), tuple(ids))
    return _withheld(holders, blocked)


def _withheld(holders: Sequence[Holder], blocked: list[PartBlock]) -> Plan:
    if not holders:
        return Plan(Verdict.LOGIN, blocked=tuple(blocked), reason="there is no usable credential")
    if all(holder.flagged for holder in holders):
        return Plan(Verdict.SKIP, blocked=tuple(blocked), reason=NEEDS_LOGIN)
    return Plan(Verdict.BLOCK, blocked=tuple(blocked), reason=blocked[0].reason)


def _choose(part: Part, holders: Sequence[Holder], now: datetime) -> list[Holder] | str:
    """Return the credentials that can run a part, the best first; or in words what is missing."""
    if not holders:
        return "no credential"
    usable = [holder for holder in holders if not holder.flagged]
    if not usable:
        return NEEDS_LOGIN
    scoped = [holder for holder in usable if part.scopes <= holder.scopes]
    if not scoped:
        nearest = min(usable, key=lambda holder: len(part.scopes - holder.scopes))
        missing = min(part.scopes - nearest.scopes)
        return f"missing scope {missing} of character {nearest.character_id}"
    fit = [holder for holder in scoped if _has_role(part, holder)]
    if not fit:
        names = " or ".join(sorted(part.any_role))
        return f"missing role {names} of character {scoped[0].character_id}"
    free = [holder for holder in fit if not _is_refused(part, holder, now)]
    if not free:
        return f"ESI refused it to character {fit[0].character_id}"
    # One of our own client comes first; then one whose roles are known to fit, before one that
    # has yet to be tried.
    return sorted(free, key=lambda one: (one.foreign, one.roles is None, one.credential_id))


def _is_refused(part: Part, holder: Holder, now: datetime) -> bool:
    """Tell whether ESI has lately refused what the part needs; less may well be allowed."""
    until = holder.refused_until
    if until is None or not now < until <= now + _LONGEST_REFUSAL:
        return False
    refused = holder.refused_roles
    return refused is None or bool(part.any_role and part.any_role <= refused)


def _has_role(part: Part, holder: Holder) -> bool:
    return not part.any_role or holder.roles is None or bool(part.any_role & holder.roles)
