"""zKillboard: what killmails are worth; some it has never heard of."""

from __future__ import annotations

import re

from simulator.answers import UNKNOWN_ROUTE, Answer, Question, error_body, json_answer
from simulator.errors import Refusal
from simulator.universe.draw import Row, draw
from simulator.universe.world import World

_PATH = re.compile(r"/api/killID/(\d{1,18})/")


class Zkillboard:
    """Answers questions to zKillboard."""

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, question: Question) -> Answer:
        """Answer with a list of one killmail, or of none."""
        found = _PATH.fullmatch(question.path)
        if question.method != "GET" or found is None:
            return Answer(404, error_body("not found"), route=UNKNOWN_ROUTE)
        killmail_id = int(found[1])
        worth = worth_of(self._world, killmail_id)
        rows = [{"killmail_id": killmail_id, "zkb": worth}] if worth else []
        return json_answer(200, rows, "GET /api/killID/{killmail_id}/")


def worth_of(world: World, killmail_id: int) -> Row:
    """Return what a killmail is worth; nothing for one that is not known here."""
    try:
        world.killmails.killmail(killmail_id)
    except Refusal:
        return {}
    if killmail_id % 7 == 0:
        return {}
    luck = draw(world.people.seed, "worth", killmail_id)
    destroyed, dropped = luck.randrange(10**11), luck.randrange(10**9)
    return {
        "locationID": 40_000_000,
        "hash": world.killmails.hash_of(killmail_id),
        "fittedValue": luck.randrange(10**9) / 100,
        "droppedValue": dropped / 100,
        "destroyedValue": destroyed / 100,
        "totalValue": (destroyed + dropped) / 100,
        "points": luck.randrange(1, 90),
        "npc": False,
        "solo": killmail_id % 2 == 0,
        "awox": False,
    }
