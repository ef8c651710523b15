"""Public contracts of strangers, by region."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import STACKS, atlas

HOUR_S = 3_600
DAY_S = 86_400
CONTRACT_IDS = 210_000_000
CONTRACTS_EACH = 1_000_000
PAST, PERIOD_S = 40, 4 * HOUR_S
BID_S = 2 * HOUR_S
KINDS = ("item_exchange", "item_exchange", "auction", "courier")


@dataclass(frozen=True, slots=True)
class Deal:
    """One contract from its offer to its end."""

    contract_id: int
    region_id: int
    kind: str
    issued_s: int
    expires_s: int
    ended_s: int
    price_cents: int


class PublicContracts:
    """Contracts that anybody can see."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed

    def contracts(self, region_id: int, at_s: float) -> list[Row]:
        """Return the contracts of a region that are open."""
        if region_id not in atlas().regions:
            raise not_found("Region not found")
        beat = self._beat(region_id)
        deals = [
            self._deal(region_id, index, issued_s)
            for index, issued_s in beat.between(at_s - (PAST + 1) * PERIOD_S, at_s)
        ]
        return [self._row(deal) for deal in deals if deal.ended_s > at_s]

    def items(self, contract_id: int) -> list[Row]:
        """Return what a contract is about; every fourth is a large lot."""
        deal = self._of_id(contract_id)
        luck = draw(self._seed, "public items", contract_id)
        count = 25 if contract_id % 4 == 0 else luck.randrange(1, 4)
        rows: list[Row] = []
        for number in range(0 if deal.kind == "courier" else count):
            row: Row = {
                "record_id": contract_id * 100 + number,
                "type_id": luck.choice(STACKS).type_id,
                "quantity": luck.randrange(1, 90_000),
                "is_included": number < 24,
            }
            if number == 2:
                row |= {
                    "item_id": 1_046_000_000_000 + contract_id,
                    "is_blueprint_copy": True,
                    "runs": 5,
                    "material_efficiency": 10,
                    "time_efficiency": 20,
                }
            rows.append(row)
        return rows

    def bids(self, contract_id: int, at_s: float) -> list[Row]:
        """Return the bids so far, one every two hours."""
        deal = self._of_id(contract_id)
        if deal.kind != "auction":
            raise not_found("Contract is no auction")
        count = int((min(at_s, deal.ended_s) - deal.issued_s) // BID_S)
        return [
            {
                "bid_id": contract_id * 1_000 + number,
                "amount": (deal.price_cents + number * 100_001) / 100,
                "date_bid": iso(deal.issued_s + (number + 1) * BID_S),
            }
            for number in range(max(0, count))
        ]

    def _beat(self, region_id: int) -> Beat:
        name = f"public contracts {region_id}"
        return Beat(self._seed, name, self._people.start_s, PAST, PERIOD_S, 900)

    def _of_id(self, contract_id: int) -> Deal:
        regions = tuple(atlas().regions)
        place, number = divmod(contract_id - CONTRACT_IDS, CONTRACTS_EACH)
        index = number - 1_000
        if not (0 <= place < len(regions) and index >= -PAST):
            raise not_found("Contract not found!")
        region_id = regions[place]
        return self._deal(region_id, index, self._beat(region_id).at_s(index))

    def _deal(self, region_id: int, index: int, issued_s: int) -> Deal:
        luck = draw(self._seed, "public contract", region_id, index)
        lasts_s = luck.choice((3, 7, 14)) * DAY_S
        taken = luck.random() < 0.4
        first = CONTRACT_IDS + tuple(atlas().regions).index(region_id) * CONTRACTS_EACH
        return Deal(
            contract_id=first + index + 1_000,
            region_id=region_id,
            kind=luck.choice(KINDS),
            issued_s=issued_s,
            expires_s=issued_s + lasts_s,
            ended_s=issued_s + (luck.randrange(HOUR_S, lasts_s) if taken else lasts_s),
            price_cents=luck.randrange(100, 900_000_000_00),
        )

    def _row(self, deal: Deal) -> Row:
        luck = draw(self._seed, "public row", deal.contract_id)
        issuer = FIRST_STRANGER + luck.randrange(STRANGERS)
        stations = [one for one in atlas().stations if atlas().region_of(one) == deal.region_id]
        row: Row = {
            "contract_id": deal.contract_id,
            "type": deal.kind,
            "issuer_id": issuer,
            "issuer_corporation_id": self._people.pilot(issuer).corporation_id,
            "for_corporation": luck.random() < 0.2,
            "date_issued": iso(deal.issued_s),
            "date_expired": iso(deal.expires_s),
            "start_location_id": luck.choice(stations),
            "volume": luck.randrange(1, 5_000_000) / 100,
            "price": 0.0 if deal.kind == "courier" else deal.price_cents / 100,
        }
        if deal.kind == "courier":
            row |= {
                "days_to_complete": 3,
                "end_location_id": luck.choice(stations),
                "reward": deal.price_cents // 1_000 / 100,
                "collateral": deal.price_cents / 100,
            }
        if deal.kind == "auction" and luck.random() < 0.5:
            row["buyout"] = deal.price_cents * 3 / 100
        if luck.random() < 0.7:
            row["title"] = luck.choice(("", "Срочно!", "<b>cheap</b>"))
        return row
