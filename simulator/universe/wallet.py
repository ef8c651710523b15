"""Money: wallets whose running balances add up to the hundredth of an ISK.

A wallet is fed by streams of events. A stream may feed two wallets with opposite signs: then
both hold a journal row of the same id, as with a donation or a move between divisions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from simulator.clock import iso
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import (
    FIRST_CHARACTER,
    FIRST_CORPORATION,
    FIRST_STRANGER,
    STRANGERS,
    Population,
)
from simulator.universe.static import MARKET, station_ids

DIVISIONS = range(1, 8)
JOURNAL_S = 30 * 86_400
HISTORY_S = 20 * 86_400
IDS_FROM_S = 1_704_067_200  # 2024-01-01: ids grow with the seconds since then


@dataclass(frozen=True, slots=True)
class Transaction:
    """A buy or a sale on the market."""

    transaction_id: int
    type_id: int
    quantity: int
    price_cents: int
    is_buy: bool
    client_id: int
    location_id: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One event in a wallet; an amount of None moves no money and tells no balance."""

    entry_id: int
    at_s: int
    ref_type: str
    amount_cents: int | None
    first_party_id: int
    second_party_id: int
    description: str
    transaction: Transaction | None = None
    tax: tuple[int, int] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose wallet it is; division 0 is a character's only one."""

    owner_id: int
    division: int = 0


class Ledger:
    """One wallet: entries in the order of their ids, made as far as anybody has asked."""

    def __init__(self, opening_cents: int) -> None:
        self.opening_cents = opening_cents
        self.entries: list[Entry] = []
        self.balances: list[int] = []
        self.times: list[int] = []
        self.made_until_s = -1.0

    def post(self, entry: Entry) -> None:
        """Append an event and carry the balance on."""
        before = self.balances[-1] if self.balances else self.opening_cents
        self.entries.append(entry)
        self.balances.append(before + (entry.amount_cents or 0))
        self.times.append(entry.at_s)

    def balance_cents(self, at_s: float) -> int:
        """Return what the wallet holds at a moment."""
        count = bisect_right(self.times, at_s)
        return self.balances[count - 1] if count else self.opening_cents

    def newest_first(self, after_s: float, until_s: float) -> Iterator[tuple[Entry, int]]:
        """Yield the entries of a time with the balances that they left."""
        first = bisect_right(self.times, after_s)
        for number in range(bisect_right(self.times, until_s) - 1, first - 1, -1):
            yield self.entries[number], self.balances[number]


class Wallets:
    """Every wallet of a universe."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s
        self._own = people.count + people.corporation_count * len(DIVISIONS)
        streams = self._own + people.count + people.corporation_count
        self._spread = 2 * max(10_000, streams)
        self._ledgers: dict[Owner, Ledger] = {}

    def balance_cents(self, owner: Owner, at_s: float) -> int:
        """Return what a wallet holds at a moment."""
        return self._ledger(owner, at_s).balance_cents(at_s)

    def journal(self, owner: Owner, at_s: float) -> list[Row]:
        """Return the journal rows of the last 30 days, newest first."""
        entries = self._ledger(owner, at_s).newest_first(at_s - JOURNAL_S, at_s)
        return [_journal_row(entry, balance) for entry, balance in entries]

    def transactions(self, owner: Owner, at_s: float) -> list[Row]:
        """Return the market transactions of the last 30 days, newest first."""
        entries = self._ledger(owner, at_s).newest_first(at_s - JOURNAL_S, at_s)
        return [
            _transaction_row(entry, entry.transaction, personal=owner.division == 0)
            for entry, _ in entries
            if entry.transaction
        ]

    def _ledger(self, owner: Owner, at_s: float) -> Ledger:
        ledger = self._ledgers.get(owner)
        if ledger is None:
            luck = draw(self._seed, "opening", owner.owner_id, owner.division)
            ledger = self._ledgers[owner] = Ledger(luck.randrange(60_000_000_000, 900_000_000_000))
        if at_s > ledger.made_until_s:
            entries = self._entries(owner, ledger.made_until_s, at_s)
            for entry in sorted(entries, key=lambda e: (e.at_s, e.entry_id)):
                ledger.post(entry)
            ledger.made_until_s = at_s
        return ledger

    def _entries(self, owner: Owner, after_s: float, until_s: float) -> list[Entry]:
        made: list[Entry] = []
        slot = self._slot(owner)
        beat = self._beat(f"wallet {slot}", 10_800 if owner.division < 2 else 43_200, 600)
        for index, at_s in beat.between(after_s, until_s):
            if owner.division == 0:
                made.extend(self._trade(owner, slot, index, at_s))
            else:
                made.append(self._company(owner, slot, index, at_s))
        for name, slot_id, sign, parties in self._shared(owner):
            for index, at_s in self._beat(name, 5 * 86_400, 3_600).between(after_s, until_s):
                made.append(self._transfer(name, slot_id, sign, parties, index, at_s))
        return made

    def _slot(self, owner: Owner) -> int:
        if owner.division == 0:
            return owner.owner_id - FIRST_CHARACTER
        corporation = owner.owner_id - FIRST_CORPORATION
        return self._people.count + corporation * len(DIVISIONS) + owner.division - 1

    def _beat(self, name: str, past_period_s: int, live_period_s: int) -> Beat:
        past = HISTORY_S // past_period_s
        return Beat(self._seed, name, self._start_s, past, past_period_s, live_period_s)

    def _id(self, slot: int, at_s: int) -> int:
        return (at_s - IDS_FROM_S) * self._spread + slot * 2

    def _shared(self, owner: Owner) -> list[tuple[str, int, int, tuple[int, int]]]:
        """Return the streams that a wallet shares: name, id slot, sign, and both parties."""
        if owner.division in (1, 2):
            corporation = owner.owner_id - FIRST_CORPORATION
            slot = self._own + self._people.count + corporation
            sign = -1 if owner.division == 1 else 1
            return [(f"division {corporation}", slot, sign, (owner.owner_id, owner.owner_id))]
        count = self._people.count
        if owner.division or count < 2:
            return []
        index = owner.owner_id - FIRST_CHARACTER
        before = (index - 1) % count
        other = FIRST_CHARACTER + (index + 1) % count
        return [
            (f"gift {index}", self._own + index, -1, (owner.owner_id, other)),
            (f"gift {before}", self._own + before, 1, (FIRST_CHARACTER + before, owner.owner_id)),
        ]

    def _transfer(
        self, name: str, slot: int, sign: int, parties: tuple[int, int], index: int, at_s: int
    ) -> Entry:
        luck = draw(self._seed, name, index)
        own = parties[0] == parties[1]
        return Entry(
            self._id(slot, at_s),
            at_s,
            "corporation_account_withdrawal" if own else "player_donation",
            sign * luck.randrange(100_000, 50_000_000),
            *parties,
            "Moved between divisions" if own else "Donation between pilots",
            reason=luck.choice(("", "rent", "u'\\u0442'")),
        )

    def _trade(self, owner: Owner, slot: int, index: int, at_s: int) -> list[Entry]:
        luck = draw(self._seed, "trade", owner.owner_id, index)
        entry_id, roll = self._id(slot, at_s), luck.random()
        if roll < 0.6:
            return self._market(owner, slot, index, at_s)
        npc = luck.choice((1000125, 1000035, 1000051))
        if roll < 0.97:
            cents = luck.randrange(5_000_000, 900_000_000)
            tax = (cents // 20, self._people.pilot(owner.owner_id).corporation_id)
            kind = luck.choice(("bounty_prizes", "agent_mission_reward"))
            return [Entry(entry_id, at_s, kind, cents - tax[0], npc, owner.owner_id, kind, tax=tax)]
        quiet = "market_fine_paid"
        return [Entry(entry_id, at_s, quiet, None, npc, owner.owner_id, "Nothing was due")]

    def _market(self, owner: Owner, slot: int, index: int, at_s: int) -> list[Entry]:
        luck = draw(self._seed, "market", owner.owner_id, index)
        item = luck.choice(MARKET)
        is_buy = luck.random() < 0.4
        price = item.price * 100 + luck.randrange(100)
        quantity = max(1, min(luck.randrange(1, 5000), 3_000_000_000 // price))
        entry_id = self._id(slot, at_s)
        client = FIRST_STRANGER + luck.randrange(STRANGERS)
        station = luck.choice(station_ids())
        deal = Transaction(entry_id // 2, item.type_id, quantity, price, is_buy, client, station)
        total = price * quantity
        parties = (owner.owner_id, client) if is_buy else (client, owner.owner_id)
        amount = -total if is_buy else total
        made = [Entry(entry_id, at_s, "market_transaction", amount, *parties, "Market", deal)]
        if not is_buy:
            tax = -max(1, total * 36 // 1000)
            commission = (owner.owner_id, 1000132)
            made.append(Entry(entry_id + 1, at_s, "transaction_tax", tax, *commission, "Sales tax"))
        return made

    def _company(self, owner: Owner, slot: int, index: int, at_s: int) -> Entry:
        luck = draw(self._seed, "company", owner.owner_id, owner.division, index)
        entry_id = self._id(slot, at_s)
        if owner.division == 1 and luck.random() < 0.3:
            return self._market(owner, slot, index, at_s)[0]
        if luck.random() < 0.5:
            cents = -luck.randrange(1_000_000, 80_000_000)
            parties = (owner.owner_id, 1000035)
            return Entry(entry_id, at_s, "office_rental_fee", cents, *parties, "Office rent")
        cents = luck.randrange(1_000_000, 200_000_000)
        parties = (1000125, owner.owner_id)
        return Entry(entry_id, at_s, "bounty_prize_corporation_tax", cents, *parties, "Bounty tax")


def _journal_row(entry: Entry, balance_cents: int) -> Row:
    row: Row = {
        "id": entry.entry_id,
        "date": iso(entry.at_s),
        "ref_type": entry.ref_type,
        "description": entry.description,
        "first_party_id": entry.first_party_id,
        "second_party_id": entry.second_party_id,
        "reason": entry.reason,
    }
    if entry.amount_cents is not None:
        row["amount"] = entry.amount_cents / 100
        row["balance"] = balance_cents / 100
    if entry.transaction:
        row["context_id"] = entry.transaction.transaction_id
        row["context_id_type"] = "market_transaction_id"
    if entry.tax:
        row["tax"] = entry.tax[0] / 100
        row["tax_receiver_id"] = entry.tax[1]
    return row


def _transaction_row(entry: Entry, deal: Transaction, *, personal: bool) -> Row:
    row: Row = {
        "transaction_id": deal.transaction_id,
        "journal_ref_id": entry.entry_id,
        "date": iso(entry.at_s),
        "type_id": deal.type_id,
        "quantity": deal.quantity,
        "unit_price": deal.price_cents / 100,
        "is_buy": deal.is_buy,
        "client_id": deal.client_id,
        "location_id": deal.location_id,
    }
    if personal:
        row["is_personal"] = True
    return row
