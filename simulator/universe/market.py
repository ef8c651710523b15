"""Trade: the orders of characters and corporations, and what everything is worth."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.clock import iso
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import Population
from simulator.universe.static import MARKET, atlas, station_ids

ORDER_IDS = 6_000_000_000
ORDERS_EACH = 100_000
HISTORY_S = 90 * 86_400
DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Order:
    """One order from its issue to its end."""

    order_id: int
    type_id: int
    issued_s: int
    closed_s: int
    duration_days: int
    state: str
    is_buy: bool
    is_corporation: bool
    price_cents: int
    volume_total: int
    range: str
    location_id: int
    drop_s: int

    def remaining(self, at_s: float) -> int:
        """Return what is left of the order at a moment; it sells in equal steps."""
        steps = int((min(at_s, self.closed_s) - self.issued_s) // self.drop_s)
        return max(1, self.volume_total - steps * max(1, self.volume_total // 40))


class Market:
    """Orders and prices."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._made: dict[int, tuple[float, list[Order]]] = {}

    def prices(self, at_s: float) -> list[Row]:
        """Return the prices of every type on the market; some have had no average lately."""
        hour = int(at_s // 3_600)
        rows: list[Row] = []
        for item in MARKET:
            drift = draw(self._seed, "price", item.type_id, hour).uniform(0.95, 1.05)
            row: Row = {"type_id": item.type_id, "adjusted_price": round(item.price * drift, 4)}
            if item.type_id % 13:
                row["average_price"] = round(item.price * (2 - drift), 2)
            rows.append(row)
        return rows

    def orders(self, character_id: int, at_s: float) -> list[Row]:
        """Return the orders of a character that are open."""
        return [
            _row(order, at_s) for order in self._orders(character_id, at_s) if order.closed_s > at_s
        ]

    def history(self, character_id: int, at_s: float) -> list[Row]:
        """Return the orders of a character that ended within 90 days."""
        return [
            {**_row(order, at_s), "state": order.state}
            for order in self._orders(character_id, at_s)
            if at_s - HISTORY_S < order.closed_s <= at_s
        ]

    def corporation_orders(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the orders of a corporation that are open."""
        return [self._company(corporation_id, row) for row in self.orders(corporation_id, at_s)]

    def corporation_history(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the orders of a corporation that ended within 90 days."""
        return [self._company(corporation_id, row) for row in self.history(corporation_id, at_s)]

    def _company(self, corporation_id: int, row: Row) -> Row:
        """Return a row in the words of a corporation's routes."""
        company = {name: value for name, value in row.items() if name != "is_corporation"}
        company["wallet_division"] = 1 + draw(self._seed, str(row["order_id"])).randrange(7)
        company["issued_by"] = self._people.corporation(corporation_id).ceo_id
        return company

    def _orders(self, owner_id: int, at_s: float) -> list[Order]:
        made_until_s, orders = self._made.get(owner_id, (-1.0, []))
        if at_s > made_until_s:
            start_s = self._people.start_s
            company = owner_id in self._people.corporation_ids
            past, period_s = (240, DAY_S // 4) if company else (60, DAY_S)
            beat = Beat(self._seed, f"orders {owner_id}", start_s, past, period_s, 1_800)
            orders += [
                self._order(owner_id, index, issued_s)
                for index, issued_s in beat.between(made_until_s, at_s)
            ]
            self._made[owner_id] = (at_s, orders)
        return [order for order in orders if order.issued_s <= at_s]

    def _order(self, owner_id: int, index: int, issued_s: int) -> Order:
        luck = draw(self._seed, "order", owner_id, index)
        item = luck.choice(MARKET)
        days = luck.choice((1, 3, 7, 14, 30, 90))
        cancelled = luck.random() < 0.3
        lasts_s = luck.randrange(600, days * DAY_S) if cancelled else days * DAY_S
        is_buy = luck.random() < 0.4
        director = 0
        if owner_id in self._people.character_ids:
            home = self._people.pilot(owner_id).corporation_id
            director = self._people.corporation(home).ceo_id
        return Order(
            order_id=ORDER_IDS + self._people.owner_index(owner_id) * ORDERS_EACH + index + 1_000,
            type_id=item.type_id,
            issued_s=issued_s,
            closed_s=issued_s + lasts_s,
            duration_days=days,
            state="cancelled" if cancelled else "expired",
            is_buy=is_buy,
            is_corporation=director == owner_id and luck.random() < 0.1,
            price_cents=item.price * luck.randrange(80, 130) + luck.randrange(100),
            volume_total=luck.randrange(1, 20_000),
            range=luck.choice(("station", "solarsystem", "5", "region")) if is_buy else "region",
            location_id=luck.choice(station_ids()),
            drop_s=luck.randrange(7_200, 90_000),
        )


def _row(order: Order, at_s: float) -> Row:
    left = order.remaining(at_s)
    row: Row = {
        "order_id": order.order_id,
        "type_id": order.type_id,
        "issued": iso(order.issued_s),
        "duration": order.duration_days,
        "is_corporation": order.is_corporation,
        "location_id": order.location_id,
        "region_id": atlas().region_of(order.location_id),
        "price": order.price_cents / 100,
        "range": order.range,
        "volume_remain": left,
        "volume_total": order.volume_total,
    }
    if order.is_buy:
        row["is_buy_order"] = True
        row["escrow"] = order.price_cents * left / 100
        row["min_volume"] = 1
    return row
