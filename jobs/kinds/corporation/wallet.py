"""A corporation's money: seven divisions, each with a balance, a journal and trades.

A transfer between divisions writes one id into two journals, so the division is in every key.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.kinds._wallet import Entry, Trade
from jobs.spec import Kind, Pages, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.wallet import (
    corporation_division,
    corporation_wallet,
    corporation_wallet_journal,
    corporation_wallet_transaction,
)

SCOPES = frozenset({"esi-wallet.read_corporation_wallets.v1"})
ROLES = frozenset({"Accountant", "Junior_Accountant"})
DIVISIONS = tuple({"division": number} for number in range(1, 8))


class Division(Wire, frozen=True):
    """A division; one that was never renamed has no name."""

    division: int | None = None
    name: str | None = None


class Divisions(Wire, frozen=True):
    """What GET /corporations/{corporation_id}/divisions tells."""

    hangar: tuple[Division, ...] = ()
    wallet: tuple[Division, ...] = ()


class Balance(Wire, frozen=True):
    """What one division holds."""

    division: int
    balance: Decimal


def division_rows(answer: Divisions, params: Params) -> Iterator[Row]:
    """Yield a row for each division that says which one it is."""
    for kind, divisions in (("hangar", answer.hangar), ("wallet", answer.wallet)):
        for one in divisions:
            if one.division is not None:
                yield {"kind": kind, **asdict(one)}


KIND = Kind(
    name="corporation.wallet",
    subject=SubjectType.CORPORATION,
    feature="wallet",
    every=timedelta(hours=1),
    summary="Balances, journals and market transactions of a corporation's seven divisions.",
    triggers=("global.market_prices", "global.wallet_journal_reconcile"),
    parts=(
        Part(
            name="divisions",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/divisions",
                cache_age_s=3600,
                rate_group="corp-wallet",
            ),
            wire=Divisions,
            many=False,
            scopes=frozenset({"esi-corporations.read_divisions.v1"}),
            any_role=frozenset({"Director"}),
            targets=(
                Target(
                    corporation_division,
                    key=("corporation_id", "kind", "division"),
                    write=Write.REPLACE,
                    rows=division_rows,
                ),
            ),
        ),
        Part(
            name="balances",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/wallets",
                cache_age_s=300,
                rate_group="corp-wallet",
            ),
            wire=Balance,
            scopes=SCOPES,
            any_role=ROLES,
            targets=(
                Target(
                    corporation_wallet,
                    key=("corporation_id", "division"),
                    write=Write.UPSERT,
                ),
            ),
        ),
        Part(
            name="journal",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/wallets/{division}/journal",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="corp-wallet",
            ),
            wire=Entry,
            fan_out=DIVISIONS,
            scopes=SCOPES,
            any_role=ROLES,
            targets=(
                Target(
                    corporation_wallet_journal,
                    key=("corporation_id", "division", "entry_id"),
                    write=Write.APPEND,
                ),
            ),
        ),
        Part(
            name="transactions",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/wallets/{division}/transactions",
                pages=Pages.FROM_ID,
                cache_age_s=3600,
                rate_group="corp-wallet",
            ),
            wire=Trade,
            fan_out=DIVISIONS,
            scopes=SCOPES,
            any_role=ROLES,
            targets=(
                Target(
                    corporation_wallet_transaction,
                    key=("corporation_id", "division", "transaction_id"),
                    write=Write.APPEND,
                ),
            ),
        ),
    ),
)
