"""Wars, and what killmails are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cli.demo.difference import Difference, Row, plain
from cli.demo.mirrored import Answer, Document, Mirrored, Owners, columns
from cli.demo.universe import Universe


def _war(answer: Answer) -> Iterable[Document]:
    sides = {
        f"{name}_{key}": value
        for name in ("aggressor", "defender")
        for key, value in answer[name].items()
    }
    yield {**answer, **sides}


def _allies(answer: Answer) -> Iterable[Document]:
    for position, one in enumerate(answer.get("allies", ())):
        yield {"position": position, **one}


def _values(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Every value is zKillboard's, or is still to come; the local one adds up."""
    prices = {one["type_id"]: one.get("average_price") for one in universe.ask("global.prices")}
    for row in found:
        killmail_id = int(str(row["killmail_id"]))
        key = f"killmail_id {killmail_id}"
        [told] = universe.ask("global.killmail_value", killmail_id)
        words = {
            "value": "totalValue",
            "destroyed_value": "destroyedValue",
            "dropped_value": "droppedValue",
            "fitted_value": "fittedValue",
        }
        for column, word in words.items():
            value = plain(told.get(word), is_money=True)
            if row[column] != value:
                what = f"{column} is {row[column]}, and {value} at zKillboard"
                yield Difference("killmail_value", key, what)
        if row["local_value"] is None:
            yield Difference("killmail_value", key, "has no local value")
    # Prices move on; the killmails valued at the present ones are not known here.
    if found and not any(prices.values()):
        yield Difference("killmail_value", "all", "there is no price at all")


TABLES = (
    Mirrored(
        "war",
        "global.war",
        Owners.ROWS,
        ("war_id",),
        words={
            "declared_at": "declared",
            "started_at": "started",
            "retracted_at": "retracted",
            "finished_at": "finished",
        },
        times=columns("declared_at", "started_at", "retracted_at", "finished_at"),
        money=columns("aggressor_isk_destroyed", "defender_isk_destroyed"),
        own=columns("read_at", "due_at", "killmails_at", "killmails_due_at"),
        documents=_war,
    ),
    Mirrored("war_ally", "global.war", Owners.ROWS, ("war_id", "position"), documents=_allies),
    Mirrored("war_killmail", "global.war_killmails", Owners.ROWS, ("war_id", "killmail_id")),
)

CHECKS = {"killmail_value": _values}
