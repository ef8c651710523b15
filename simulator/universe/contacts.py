"""Contacts: who is liked, and what clients do about it."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.errors import Refusal, bad_request, not_found
from simulator.universe.draw import Row, draw
from simulator.universe.people import FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import FACTIONS, NPC_CORPORATIONS

LABELS = {1: "Друзья", 2: "blue", 4: "Trade partners"}
MOST = 1_000


class Contacts:
    """The contacts of characters, which can be changed, of corporations and of alliances."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._changed: dict[int, dict[int, Row]] = {}
        # Who charges strangers, and how much; who cannot be reached at all.
        self.charges: dict[int, int] = {}
        self.unreachable: set[int] = set()
        # Characters whose labels ESI takes and does not put on.
        self.without_labels: set[int] = set()

    def behave(self) -> None:
        """Charge nothing, reach everybody, put labels on."""
        self.charges.clear()
        self.unreachable.clear()
        self.without_labels.clear()

    def of(self, owner_id: int) -> list[Row]:
        """Return the contacts of a character, corporation or alliance."""
        changed = self._changed.get(owner_id)
        return self._made(owner_id) if changed is None else list(changed.values())

    def labels(self) -> list[Row]:
        """Return the labels that contacts can have."""
        return [{"label_id": one, "label_name": name} for one, name in LABELS.items()]

    def charge(self, ids: Sequence[int], character_id: int) -> int:
        """Return what it costs a character to write to these."""
        for one in ids:
            if not self._people.exists(one):
                raise bad_request(f"{one} is no character")
        return sum(self.charges.get(one, 0) for one in ids if one != character_id)

    def add(
        self,
        character_id: int,
        ids: Sequence[int],
        standing: float,
        labels: Sequence[int],
        *,
        watched: bool,
    ) -> list[int]:
        """Add contacts, all or none; return those that are there now."""
        kinds = {one: self._kind(one) for one in ids}
        box = self._box(character_id)
        if len(box.keys() | kinds.keys()) > MOST:
            raise bad_request(f"a character has at most {MOST} contacts")
        self._refuse_unreachable(ids)
        for one, kind in kinds.items():
            box[one] = self._row(character_id, one, kind, standing, labels, watched=watched)
        return list(ids)

    def edit(
        self,
        character_id: int,
        ids: Sequence[int],
        standing: float,
        labels: Sequence[int],
        *,
        watched: bool,
    ) -> None:
        """Change contacts, all or none."""
        box = self._box(character_id)
        for one in ids:
            if one not in box:
                raise not_found(f"{one} is no contact")
        for one in ids:
            kind = str(box[one]["contact_type"])
            box[one] = self._row(character_id, one, kind, standing, labels, watched=watched)

    def remove(self, character_id: int, ids: Sequence[int]) -> None:
        """Remove contacts, all or none."""
        box = self._box(character_id)
        for one in ids:
            if one not in box:
                raise not_found(f"{one} is no contact")
        for one in ids:
            del box[one]

    def _row(
        self,
        character_id: int,
        contact_id: int,
        kind: str,
        standing: float,
        labels: Sequence[int],
        *,
        watched: bool,
    ) -> Row:
        unknown = [one for one in labels if one not in LABELS]
        if unknown:
            raise bad_request(f"label {unknown[0]} does not exist")
        row: Row = {"contact_id": contact_id, "contact_type": kind, "standing": standing}
        row["is_watched"] = watched
        row["is_blocked"] = False
        if labels and character_id not in self.without_labels:
            row["label_ids"] = list(labels)
        return row

    def _refuse_unreachable(self, ids: Sequence[int]) -> None:
        for one in ids:
            if one in self.unreachable:
                raise Refusal(520, f"{{'error_label': 'ContactOwnerUnreachable', 'id': {one}}}")

    def _kind(self, contact_id: int) -> str:
        people = self._people
        if contact_id in NPC_CORPORATIONS or contact_id in people.corporation_ids:
            return "corporation"
        if contact_id in people.alliance_ids:
            return "alliance"
        if contact_id in FACTIONS:
            return "faction"
        if people.exists(contact_id):
            return "character"
        raise bad_request(f"{contact_id} is nobody")

    def _box(self, character_id: int) -> dict[int, Row]:
        box = self._changed.get(character_id)
        if box is None:
            rows = {_id_of(row): row for row in self._made(character_id)}
            box = self._changed[character_id] = rows
        return box

    def _made(self, owner_id: int) -> list[Row]:
        luck = draw(self._seed, "contacts", owner_id)
        alone = owner_id in self._people.character_ids
        ids = [(FIRST_STRANGER + one, "character") for one in luck.sample(range(STRANGERS), 20)]
        ids += [(one, "corporation") for one in luck.sample(tuple(NPC_CORPORATIONS), 5)]
        ids += [(one, "alliance") for one in self._people.alliance_ids[:1]]
        ids += [(one, "faction") for one in FACTIONS]
        rows: list[Row] = []
        for contact_id, kind in ids:
            row: Row = {
                "contact_id": contact_id,
                "contact_type": kind,
                "standing": luck.choice((-10.0, -5.0, 0.0, 5.0, 10.0, 2.5)),
            }
            if owner_id not in self._people.alliance_ids and luck.random() < 0.5:
                row["is_watched"] = luck.random() < 0.5
                if alone:
                    row["is_blocked"] = luck.random() < 0.2
            if luck.random() < 0.6:
                row["label_ids"] = luck.sample(tuple(LABELS), 1 + luck.randrange(2))
            rows.append(row)
        return rows


def _id_of(row: Row) -> int:
    """Return the contact that a row is about."""
    found = row["contact_id"]
    assert isinstance(found, int)  # noqa: S101 - the rows are made above
    return found
