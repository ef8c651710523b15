"""Rows of wallets as ESI writes them, alike for characters and corporations."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from jobs.spec import Wire


class Entry(Wire, frozen=True, rename={"entry_id": "id", "posted_at": "date"}):
    """One entry of a journal; some carry no amount, balance or party."""

    entry_id: int
    posted_at: datetime
    ref_type: str
    description: str
    amount: Decimal | None = None
    balance: Decimal | None = None
    first_party_id: int | None = None
    second_party_id: int | None = None
    context_id: int | None = None
    context_id_type: str | None = None
    tax: Decimal | None = None
    tax_receiver_id: int | None = None
    reason: str | None = None


class Trade(Wire, frozen=True, rename={"traded_at": "date"}):
    """One market transaction."""

    transaction_id: int
    traded_at: datetime
    type_id: int
    quantity: int
    unit_price: Decimal
    is_buy: bool
    client_id: int
    location_id: int
    journal_ref_id: int


class PersonalTrade(Trade, frozen=True, rename={"traded_at": "date"}):
    """One market transaction of a character, which may have been the corporation's."""

    is_personal: bool
