"""Standings; what one is told: notifications, calendars."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import forbidden, not_found
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import (
    FIRST_AGENT,
    FIRST_STRANGER,
    STRANGERS,
    Population,
)
from simulator.universe.static import FACTIONS, NPC_CORPORATIONS

DAY_S = 86_400
NOTIFICATIONS = 500
NOTIFICATION_IDS = 1_800_000_000
EVENT_IDS = 2_000_000
# An event every eight hours for each character, announced ten days ahead.
EVENT_S = 8 * 3_600
AHEAD_S = 10 * DAY_S
TYPES = (
    ("StructureUnderAttack", "corporation", "structureID: &id001 1034000000123\n"),
    ("AllAnchoringMsg", "other", ""),
    ("KillReportVictim", "character", "killMailID: 1\n"),
    ("AllyJoinedWarAggressorMsg", "alliance", "text: привет\n"),
)


class Social:
    """Standings, notifications and calendars."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s
        # Answers to events that characters have given.
        self._answers: dict[tuple[int, int], str] = {}

    def standings(self, owner_id: int) -> list[Row]:
        """Return the standings towards a character or corporation."""
        luck = draw(self._seed, "standings", owner_id)
        ids = [(FIRST_AGENT + one % 1_000, "agent") for one in NPC_CORPORATIONS]
        ids += [(one, "npc_corp") for one in NPC_CORPORATIONS]
        ids += [(one, "faction") for one in FACTIONS]
        return [
            {"from_id": one, "from_type": kind, "standing": round(luck.uniform(-10, 10), 4)}
            for one, kind in ids
        ]

    def notifications(self, character_id: int, at_s: float) -> list[Row]:
        """Return the latest notifications, newest first; old ones have been read."""
        index = self._people.owner_index(character_id)
        beat = Beat(self._seed, f"notified {character_id}", self._start_s, 60, DAY_S // 4, 600)
        rows: list[Row] = []
        for number, sent_s in beat.between(at_s - 20 * DAY_S, at_s):
            luck = draw(self._seed, "notification", character_id, number)
            kind, sender, text = luck.choice(TYPES)
            row: Row = {
                "notification_id": NOTIFICATION_IDS + index * 100_000 + number + 1_000,
                "type": kind,
                "sender_type": sender,
                "sender_id": self._sender(sender, luck.randrange(STRANGERS)),
                "timestamp": iso(sent_s),
            }
            if text:
                row["text"] = text
            if at_s - sent_s > 7_200:
                row["is_read"] = True
            rows.append(row)
        return rows[::-1][:NOTIFICATIONS]

    def contact_notifications(self, character_id: int) -> list[Row]:
        """Return who has added a character as a contact."""
        luck = draw(self._seed, "added", character_id)
        return [
            {
                "notification_id": NOTIFICATION_IDS // 2 + character_id % 1_000_000 * 10 + number,
                "sender_character_id": FIRST_STRANGER + luck.randrange(STRANGERS),
                "send_date": iso(self._start_s - luck.randrange(30 * DAY_S)),
                "standing_level": luck.choice((-5.0, 0.0, 10.0)),
                "message": luck.choice(("", "fly safe", "привет")),
            }
            for number in range(3)
        ]

    def events(self, character_id: int, at_s: float) -> list[Row]:
        """Return the events to come, soonest first."""
        rows: list[Row] = []
        for slot in range(int(at_s // EVENT_S), int((at_s + AHEAD_S) // EVENT_S) + 1):
            happens_s = slot * EVENT_S
            if not at_s < happens_s <= at_s + AHEAD_S:
                continue
            luck = draw(self._seed, "event", character_id, slot)
            event_id = self._event_id(character_id, slot)
            title = luck.choice(("Mining op", "Roam <b>now</b>", "Собрание"))
            drawn = luck.choice(("accepted", "not_responded", "declined"))
            rows.append(
                {
                    "event_id": event_id,
                    "event_date": iso(happens_s),
                    "title": title,
                    "event_response": self._answers.get((character_id, event_id), drawn),
                    "importance": luck.randrange(2),
                }
            )
        return rows

    def event(self, character_id: int, event_id: int) -> Row:
        """Return what one event says."""
        slot = self._slot(character_id, event_id)
        happens_s = slot * EVENT_S
        listed = next(
            row for row in self.events(character_id, happens_s - 1.0) if row["event_id"] == event_id
        )
        luck = draw(self._seed, "event text", character_id, slot)
        corporation_id = self._people.pilot(character_id).corporation_id
        return {
            "event_id": event_id,
            "date": listed["event_date"],
            "title": listed["title"],
            "response": listed["event_response"],
            "importance": listed["importance"],
            "duration": luck.choice((0, 60, 120)),
            "text": luck.choice(("", "Be there.", "<font size=13>o7</font>")),
            "owner_id": corporation_id,
            "owner_type": "corporation",
            "owner_name": self._people.corporation(corporation_id).name,
        }

    def respond(self, character_id: int, event_id: int, response: str, at_s: float) -> None:
        """Note a character's answer to an event that is to come."""
        if self._slot(character_id, event_id) * EVENT_S <= at_s:
            raise forbidden("the event is over")
        self._answers[character_id, event_id] = response

    def attendees(self, character_id: int, event_id: int) -> list[Row]:
        """Return who was asked to an event."""
        slot = self._slot(character_id, event_id)
        luck = draw(self._seed, "invited", character_id, slot)
        strangers = luck.sample(range(STRANGERS), luck.randrange(1, 5))
        return [
            {
                "character_id": one,
                "event_response": luck.choice(("accepted", "tentative", "not_responded")),
            }
            for one in (character_id, *(FIRST_STRANGER + number for number in strangers))
        ]

    def _sender(self, kind: str, number: int) -> int:
        if kind == "corporation":
            return 1000125
        if kind == "alliance":
            return self._people.alliance_ids[0]
        return 2 if kind == "other" else FIRST_STRANGER + number

    def _event_id(self, character_id: int, slot: int) -> int:
        number = slot - int(self._start_s // EVENT_S)
        return EVENT_IDS + self._people.owner_index(character_id) * 10_000 + number + 1_000

    def _slot(self, character_id: int, event_id: int) -> int:
        number = event_id - EVENT_IDS - self._people.owner_index(character_id) * 10_000 - 1_000
        if not -1_000 <= number < 9_000:
            raise not_found("Event not found")
        return number + int(self._start_s // EVENT_S)
