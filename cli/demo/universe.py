"""What the check asks the universe: its model, whom it concerns, each question once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from ipc.settings import MarketWatch

DIVISIONS = range(1, 8)


class NotThere(Exception):
    """The universe holds nothing of that name."""


class Model(Protocol):
    """Tells what the universe holds; SimulatedEve does, and a test's stand-in."""

    def model(
        self, section: str, subject: int | None = None, *, division: int | None = None
    ) -> Any:
        """Return a section, in ESI's words; NotThere if there is none."""


@dataclass
class Universe:
    """The model, and the subjects that were mirrored."""

    source: Model
    character_ids: tuple[int, ...]
    corporation_ids: tuple[int, ...]
    watch: MarketWatch = field(default_factory=MarketWatch)
    alliance_ids: tuple[int, ...] = ()
    _known: dict[tuple[str, int | None, int | None], Any] = field(default_factory=dict)

    def ask(self, section: str, subject: int | None = None, division: int | None = None) -> Any:
        """Return a section; NotThere if the universe has none."""
        question = (section, subject, division)
        if question not in self._known:
            self._known[question] = self.source.model(section, subject, division=division)
        return self._known[question]

    def owners(self, column: str) -> Iterator[tuple[dict[str, int], int | None, int | None]]:
        """Yield columns, subject and division of each question about such owners."""
        simple = {
            "character_id": self.character_ids,
            "corporation_id": self.corporation_ids,
            "alliance_id": self.alliance_ids,
            "region_id": self.watch.regions,
            "structure_id": self.watch.structures,
        }
        match column:
            case "division":
                for one in self.corporation_ids:
                    for division in DIVISIONS:
                        yield {"corporation_id": one, "division": division}, one, division
            case "type_id":
                for one, type_id in self.watch.types:
                    yield {"region_id": one, "type_id": type_id}, one, type_id
            case "":
                yield {}, None, None
            case _:
                yield from (({column: one}, one, None) for one in simple[column])
