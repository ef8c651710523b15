"""A character's money: balance, and every journal entry and trade ever seen.

ESI shows 30 days of the journal; what an outage of more than that hides is lost.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from ipc.subject import SubjectType
from jobs.kinds._wallet import Entry, PersonalTrade
from jobs.spec import Kind, Pages, Params, Part, Route, Row, Target, Write
from jobs.store.schema.wallet import (
    character_wallet,
    character_wallet_journal,
    character_wallet_transaction,
)

SCOPES = frozenset({"esi-wallet.read_character_wallet.v1"})


def balance_rows(answer: Decimal, params: Params) -> list[Row]:
    """Return the one row: the answer is a bare number."""
    return [{"balance": answer}]


KIND = Kind(
    name="character.wallet",
    subject=SubjectType.CHARACTER,
    feature="wallet",
    every=timedelta(hours=1),
    summary="Balance, journal and market transactions of a character.",
    triggers=("global.market_prices", "global.wallet_journal_reconcile"),
    parts=(
        Part(
            name="balance",
            route=Route(
                "GET",
                "/characters/{character_id}/wallet",
                cache_age_s=120,
                rate_group="char-wallet",
            ),
            wire=Decimal,
            many=False,
            scopes=SCOPES,
            targets=(
                Target(
                    character_wallet,
                    key=("character_id",),
                    write=Write.UPSERT,
                    rows=balance_rows,
                ),
            ),
        ),
        Part(
            name="journal",
            route=Route(
                "GET",
                "/characters/{character_id}/wallet/journal",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="char-wallet",
            ),
            wire=Entry,
            scopes=SCOPES,
            targets=(
                Target(
                    character_wallet_journal,
                    key=("character_id", "entry_id"),
                    write=Write.APPEND,
                ),
            ),
        ),
        Part(
            name="transactions",
            route=Route(
                "GET",
                "/characters/{character_id}/wallet/transactions",
                pages=Pages.FROM_ID,
                cache_age_s=3600,
                rate_group="char-wallet",
            ),
            wire=PersonalTrade,
            scopes=SCOPES,
            targets=(
                Target(
                    character_wallet_transaction,
                    key=("character_id", "transaction_id"),
                    write=Write.APPEND,
                ),
            ),
        ),
    ),
)
