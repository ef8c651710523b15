"""Wars: declared one after another, fought for a while, over."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import Beat, Luck, Row, draw
from simulator.universe.killmails import Killmails
from simulator.universe.people import Population

HOUR_S = 3_600
DAY_S = 86_400
WAR_IDS = 700_000
PAST = 20
LISTED = 2_000


class Wars:
    """All wars; the first began twenty days before the start."""

    def __init__(self, people: Population, killmails: Killmails) -> None:
        self._people = people
        self._killmails = killmails
        self._seed = people.seed
        self._beat = Beat(self._seed, "wars", people.start_s, PAST, DAY_S, 1_800)

    def numbers(self, at_s: float) -> list[int]:
        """Return the newest wars."""
        indexes = [index for index, _ in self._beat.between(at_s - (PAST + 2) * DAY_S, at_s)]
        return [WAR_IDS + PAST + index for index in reversed(indexes)][:LISTED]

    def war(self, war_id: int, at_s: float) -> Row:
        """Return a war as it stands; what it has cost grows by the hour."""
        index = war_id - WAR_IDS - PAST
        declared_s = self._declared_s(war_id)
        if declared_s > at_s:
            raise not_found("War not found!")
        luck = draw(self._seed, "war", war_id)
        finished_s = self._finished_s(war_id)
        hours = int((min(at_s, finished_s) - declared_s) // HOUR_S)
        row: Row = {
            "id": war_id,
            "declared": iso(declared_s),
            "mutual": luck.random() < 0.1,
            "open_for_allies": luck.random() < 0.5,
            "aggressor": self._side(luck, hours),
            "defender": self._side(luck, hours),
            "started": iso(declared_s + DAY_S),
        }
        if index % 3 == 0:
            row["allies"] = [
                {"corporation_id": luck.choice(self._people.corporation_ids)},
                {"alliance_id": luck.choice(self._people.alliance_ids)},
            ]
        if finished_s - DAY_S <= at_s:
            row |= {"retracted": iso(finished_s - DAY_S), "finished": iso(finished_s)}
        return row

    def _finished_s(self, war_id: int) -> float:
        days = draw(self._seed, "war's end", war_id).randrange(2, 30)
        return self._declared_s(war_id) + days * DAY_S

    def killmails(self, war_id: int, at_s: float) -> list[Row]:
        """Return the losses in a war: in the first of all of them, else of one character."""
        if self._declared_s(war_id) > at_s:
            raise not_found("War not found!")
        everybody = self._people.character_ids
        some = everybody if war_id == WAR_IDS else everybody[war_id % len(everybody) :][:1]
        since_s = self._declared_s(war_id) + DAY_S
        until_s = min(at_s, self._finished_s(war_id))
        return [
            row
            for character_id in some
            for row in self._killmails.recent(character_id, until_s)
            if since_s <= at_s
        ]

    def _declared_s(self, war_id: int) -> int:
        index = war_id - WAR_IDS - PAST
        if not -PAST <= index < 100_000:
            raise not_found("War not found!")
        return self._beat.at_s(index)

    def _side(self, luck: Luck, hours: int) -> Row:
        side: Row = {
            "ships_killed": luck.randrange(5) * hours,
            "isk_destroyed": luck.randrange(10**9) * hours / 100,
        }
        if luck.random() < 0.5:
            return {**side, "corporation_id": luck.choice(self._people.corporation_ids)}
        return {**side, "alliance_id": luck.choice(self._people.alliance_ids)}
