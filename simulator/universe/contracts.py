"""Contracts: offered, taken or run out, with what they are about and who bid."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import STACKS, station_ids

DAY_S = 86_400
CONTRACT_IDS = 190_000_000
CONTRACTS_EACH = 100_000
SHOWN_S = 30 * DAY_S
BID_S = 3 * 3_600
KINDS = ("item_exchange", "auction", "courier")


@dataclass(frozen=True, slots=True)
class Deal:
    """One contract from its offer to its end."""

    contract_id: int
    kind: str
    issued_s: int
    expires_s: int
    # When somebody took it; None: nobody did.
    taken_s: int | None
    price_cents: int

    @property
    def ended_s(self) -> int:
        """Return when it was over."""
        return self.expires_s if self.taken_s is None else self.taken_s


class Contracts:
    """The contracts of every character and corporation."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s

    def contracts(self, owner_id: int, at_s: float) -> list[Row]:
        """Return the contracts that are open, or were until 30 days ago."""
        beat = Beat(self._seed, f"contracts {owner_id}", self._start_s, 40, DAY_S, 1_800)
        deals = [
            self._deal(owner_id, index, issued_s)
            for index, issued_s in beat.between(at_s - 45 * DAY_S, at_s)
        ]
        return [self._row(owner_id, one, at_s) for one in deals if at_s - one.ended_s < SHOWN_S]

    def items(self, owner_id: int, contract_id: int) -> list[Row]:
        """Return what a contract is about; a courier carries a sealed package."""
        deal = self._of_id(owner_id, contract_id)
        if deal.kind == "courier":
            return []
        luck = draw(self._seed, "contract items", contract_id)
        return [
            {
                "record_id": contract_id * 10 + number,
                "type_id": luck.choice(STACKS).type_id,
                "quantity": luck.randrange(1, 5_000),
                "is_included": number < 2,
                "is_singleton": False,
            }
            for number in range(luck.randrange(1, 5))
        ]

    def bids(self, owner_id: int, contract_id: int, at_s: float) -> list[Row]:
        """Return the bids so far, one every three hours."""
        deal = self._of_id(owner_id, contract_id)
        if deal.kind != "auction":
            raise not_found("Contract is no auction")
        until_s = min(at_s, deal.ended_s)
        rows: list[Row] = []
        for number in range(max(0, int((until_s - deal.issued_s) // BID_S))):
            luck = draw(self._seed, "bid", contract_id, number)
            rows.append(
                {
                    "bid_id": contract_id * 1_000 + number,
                    "bidder_id": FIRST_STRANGER + luck.randrange(STRANGERS),
                    "amount": (deal.price_cents + number * 100_001) / 100,
                    "date_bid": iso(deal.issued_s + (number + 1) * BID_S),
                }
            )
        return rows

    def _of_id(self, owner_id: int, contract_id: int) -> Deal:
        first = CONTRACT_IDS + self._people.owner_index(owner_id) * CONTRACTS_EACH
        index = contract_id - first - 1_000
        if not -40 <= index < CONTRACTS_EACH - 1_000:
            raise not_found("Contract not found")
        beat = Beat(self._seed, f"contracts {owner_id}", self._start_s, 40, DAY_S, 1_800)
        return self._deal(owner_id, index, beat.at_s(index))

    def _deal(self, owner_id: int, index: int, issued_s: int) -> Deal:
        luck = draw(self._seed, "contract", owner_id, index)
        lasts_s = luck.choice((1, 3, 7, 14)) * DAY_S
        taken = luck.random() < 0.5
        first = CONTRACT_IDS + self._people.owner_index(owner_id) * CONTRACTS_EACH
        return Deal(
            contract_id=first + index + 1_000,
            kind=luck.choice(KINDS),
            issued_s=issued_s,
            expires_s=issued_s + lasts_s,
            taken_s=issued_s + luck.randrange(600, lasts_s) if taken else None,
            price_cents=luck.randrange(100, 900_000_000_00),
        )

    def _row(self, owner_id: int, deal: Deal, at_s: float) -> Row:
        luck = draw(self._seed, "contract row", deal.contract_id)
        company = owner_id in self._people.corporation_ids
        issuer = self._people.corporation(owner_id).ceo_id if company else owner_id
        row: Row = {
            "contract_id": deal.contract_id,
            "type": deal.kind,
            "status": "outstanding",
            "availability": "public",
            "issuer_id": issuer,
            "issuer_corporation_id": self._people.pilot(issuer).corporation_id,
            "for_corporation": company,
            "assignee_id": 0,
            "acceptor_id": 0,
            "date_issued": iso(deal.issued_s),
            "date_expired": iso(deal.expires_s),
            "start_location_id": luck.choice(station_ids()),
            "volume": luck.randrange(1, 5_000_000) / 100,
            "price": 0.0 if deal.kind == "courier" else deal.price_cents / 100,
        }
        if deal.kind == "courier":
            row |= {
                "days_to_complete": 3,
                "end_location_id": luck.choice(station_ids()),
                "reward": deal.price_cents / 1_000 // 1 / 100,
                "collateral": deal.price_cents / 100,
            }
        if luck.random() < 0.7:
            row["title"] = luck.choice(("", "Срочно!", "<b>cheap</b>"))
        if deal.taken_s is not None and deal.taken_s <= at_s:
            row |= {
                "status": "finished",
                "acceptor_id": FIRST_STRANGER + luck.randrange(STRANGERS),
                "date_accepted": iso(deal.taken_s),
                "date_completed": iso(deal.taken_s),
            }
        return row
