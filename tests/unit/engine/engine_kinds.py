"""Kinds, grants and ledger rows for tests of the engine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from engine.entry import Entry
from engine.grants import Holder, Plan, Verdict
from engine.schedule import Schedule
from ipc.outcome import Token
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.catalog import Catalog
from jobs.spec import Kind, Part
from jobs.store.ledger import LedgerRow
from jobs.store.schema.profile import character as character_table

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
ONE = Subject(SubjectType.CHARACTER, 90_000_001)
TWO = Subject(SubjectType.CHARACTER, 90_000_002)
CORP = Subject(SubjectType.CORPORATION, 98_000_001)
RUN = Plan(Verdict.RUN)


def part(name: str = "all", scope: str = "", **more: Any) -> Part:
    """Return a part that needs a scope, or none."""
    return Part(name=name, scopes=frozenset({scope} if scope else ()), **more)


def kind(name: str, *, every_s: float = 3600, scope: str = "", **more: Any) -> Kind:
    """Return a kind of one part."""
    values: dict[str, Any] = {
        "name": name,
        "subject": SubjectType(name.partition(".")[0]),
        "feature": None,
        "every": timedelta(seconds=every_s),
        "parts": (part(scope=scope),),
    }
    return Kind(**(values | more))


PROFILE = kind("character.profile", triggers=("character.wallet",), parent=character_table)
WALLET = kind("character.wallet", scope="wallet", feature="wallet", triggers=("global.net_worth",))
SKILLS = kind("character.skills", every_s=60, scope="skills", feature="skills")
ORDERS = kind(
    "character.orders", every_s=1200, scope="orders", feature="orders", due_at_launch=True
)
ASSETS = kind(
    "corporation.assets",
    scope="corp_assets",
    parts=(Part(name="all", scopes=frozenset({"corp_assets"}), any_role=frozenset({"Director"})),),
)
CORP_PROFILE = kind("corporation.info")
NET_WORTH = kind("global.net_worth", every_s=86_400, feature=("wallet", "assets"))
PRICES = kind("global.prices", every_s=6 * 3600)

CATALOG = Catalog([PROFILE, WALLET, SKILLS, ORDERS, ASSETS, CORP_PROFILE, NET_WORTH, PRICES])


def key(of: Kind, subject: Subject | None = None) -> JobKey:
    """Return the job of a kind, for the first character or for all."""
    if subject is None:
        subject = {SubjectType.GLOBAL: GLOBAL, SubjectType.CORPORATION: CORP}.get(of.subject, ONE)
    return JobKey(of.name, subject)


def enroll(schedule: Schedule, due_s: float, subject: Subject = ONE, of: Kind = WALLET) -> Entry:
    """Put a job into a schedule."""
    entry = schedule.enroll(JobKey(of.name, subject), of, RUN, due_s)
    assert entry is not None
    return entry


def holder(
    credential_id: int = 1, scopes: str = "wallet skills", *, flagged: bool = False, **more: Any
) -> Holder:
    """Return a credential as grants see it."""
    return Holder(
        credential_id,
        90_000_000 + credential_id,
        frozenset(scopes.split()),
        flagged=flagged,
        **more,
    )


def row(of: Kind, token: Token = Token.SYNCED, **more: Any) -> LedgerRow:
    """Return the ledger row of a job that ended a minute and a half ago."""
    values: dict[str, Any] = {
        "key": key(of),
        "token": token,
        "last_attempt_at": NOW - timedelta(seconds=90),
    }
    return LedgerRow(**(values | more))
