"""Markets as everybody sees them: orders in regions and structures, and trade by day."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import Population
from simulator.universe.static import MARKET, TYPES, atlas
from simulator.universe.structures import FOREIGN, FOREIGN_IDS

HOUR_S = 3_600
DAY_S = 86_400
ORDER_IDS = 7_000_000_000
ORDERS_EACH = 1_000_000
SHOWN_DAYS = 30
PAST = 120


class Bazaar:
    """Orders of strangers, and what was traded."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed

    def region_orders(self, region_id: int, at_s: float) -> list[Row]:
        """Return the orders in a region."""
        if region_id not in atlas().regions:
            raise not_found("Region not found")
        stations = [one for one in atlas().stations if atlas().region_of(one) == region_id]
        place = list(atlas().regions).index(region_id)
        rows = self._orders(place, stations, at_s)
        for row in rows:
            row["system_id"] = atlas().stations[_station(row)].parent_id
        return rows

    def structure_orders(self, structure_id: int, at_s: float) -> list[Row]:
        """Return the orders in a structure."""
        if not 0 <= structure_id - FOREIGN_IDS < FOREIGN:
            raise not_found("Structure not found")
        return self._orders(100 + structure_id - FOREIGN_IDS, [structure_id], at_s)

    def _orders(self, place: int, locations: list[int], at_s: float) -> list[Row]:
        beat = Beat(self._seed, f"bazaar {place}", self._people.start_s, PAST, HOUR_S, 120)
        rows: list[Row] = []
        for index, issued_s in beat.between(at_s - (PAST + 1) * HOUR_S, at_s):
            luck = draw(self._seed, "bazaar", place, index)
            item = luck.choice(MARKET)
            if issued_s + luck.randrange(HOUR_S, PAST * HOUR_S) <= at_s:
                continue  # sold out, or taken back
            is_buy = luck.random() < 0.4
            total = luck.randrange(1, 50_000)
            rows.append(
                {
                    "order_id": ORDER_IDS + place * ORDERS_EACH + index + 1_000,
                    "type_id": item.type_id,
                    "location_id": luck.choice(locations),
                    "is_buy_order": is_buy,
                    "price": (item.price * luck.randrange(70, 140) + luck.randrange(100)) / 100,
                    "volume_total": total,
                    "volume_remain": 1 + luck.randrange(total),
                    "min_volume": 1,
                    "range": luck.choice(("station", "5")) if is_buy else "region",
                    "duration": 90,
                    "issued": iso(issued_s),
                }
            )
        return rows

    def history(self, region_id: int, type_id: int, at_s: float) -> list[Row]:
        """Return the trade of the days before today."""
        if region_id not in atlas().regions or type_id not in TYPES:
            raise not_found("Type not found!")
        today, price = int(at_s // DAY_S), TYPES[type_id].price
        rows: list[Row] = []
        for day in range(today - SHOWN_DAYS, today):
            luck = draw(self._seed, "trade", region_id, type_id, day)
            rows.append(
                {
                    "date": iso(day * DAY_S)[:10],
                    "average": round(price * luck.uniform(0.95, 1.05), 2),
                    "highest": round(price * luck.uniform(1.05, 1.2), 2),
                    "lowest": round(price * luck.uniform(0.8, 0.95), 2),
                    "order_count": luck.randrange(1, 3_000),
                    "volume": luck.randrange(1, 9_000_000_000),
                }
            )
        return rows


def _station(row: Row) -> int:
    location_id = row["location_id"]
    assert isinstance(location_id, int)  # noqa: S101 - as it was made above
    return location_id
