"""Training: skills, a queue that runs, and the attributes that set its pace."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.clock import iso
from simulator.universe.draw import Row, draw
from simulator.universe.people import FIRST_CHARACTER, Population
from simulator.universe.static import SKILLS, ItemType

LEVEL_SP = (0, 250, 1_415, 8_000, 45_255, 256_000)
SHOWN = 50
KEEP_FINISHED_S = 3_600


@dataclass(frozen=True, slots=True)
class Training:
    """One step of the queue, with the time that it takes."""

    skill: ItemType
    level: int
    from_s: int
    until_s: int


class Skills:
    """Skills and queues of every character."""

    def __init__(self, people: Population) -> None:
        self._seed = people.seed
        self._start_s = people.start_s
        self._plans: dict[int, tuple[dict[int, int], tuple[Training, ...]]] = {}

    def attributes(self, character_id: int) -> Row:
        """Return the attributes of a character."""
        luck = draw(self._seed, "attributes", character_id)
        row: Row = {
            name: luck.randrange(17, 28)
            for name in ("charisma", "intelligence", "memory", "perception", "willpower")
        }
        row["bonus_remaps"] = luck.randrange(3)
        if luck.random() < 0.5:
            row["last_remap_date"] = iso(self._start_s - luck.randrange(400, 900) * 86_400)
        return row

    def skills(self, character_id: int, at_s: float) -> Row:
        """Return what has been learnt; the total is the sum of the rows."""
        levels, plan = self._plan(character_id)
        learnt = dict(levels)
        if not self._paused(character_id):
            for step in plan:
                if step.until_s <= at_s:
                    learnt[step.skill.type_id] = step.level
        ranks = {skill.type_id: skill.rank for skill in SKILLS}
        rows: list[Row] = [
            {
                "skill_id": skill_id,
                "trained_skill_level": level,
                "active_skill_level": level,
                "skillpoints_in_skill": LEVEL_SP[level] * ranks[skill_id],
            }
            for skill_id, level in sorted(learnt.items())
        ]
        total = sum(LEVEL_SP[level] * ranks[skill_id] for skill_id, level in learnt.items())
        row: Row = {"skills": rows, "total_sp": total}
        if character_id % 2:
            row["unallocated_sp"] = character_id % 7 * 10_000
        return row

    def queue(self, character_id: int, at_s: float) -> list[Row]:
        """Return the queue: steps lately finished, the one in training, those to come."""
        _, plan = self._plan(character_id)
        paused = self._paused(character_id)
        shown = plan if paused else [s for s in plan if s.until_s > at_s - KEEP_FINISHED_S]
        rows: list[Row] = []
        for position, step in enumerate(shown[:SHOWN]):
            begin = LEVEL_SP[step.level - 1] * step.skill.rank
            row: Row = {
                "queue_position": position,
                "skill_id": step.skill.type_id,
                "finished_level": step.level,
                "level_start_sp": begin,
                "level_end_sp": LEVEL_SP[step.level] * step.skill.rank,
                "training_start_sp": begin,
            }
            if not paused:
                row["start_date"] = iso(step.from_s)
                row["finish_date"] = iso(step.until_s)
            rows.append(row)
        return rows

    def _paused(self, character_id: int) -> bool:
        return character_id % 7 == 3

    def _plan(self, character_id: int) -> tuple[dict[int, int], tuple[Training, ...]]:
        plan = self._plans.get(character_id)
        if plan is None:
            plan = self._plans[character_id] = self._draw_plan(character_id)
        return plan

    def _draw_plan(self, character_id: int) -> tuple[dict[int, int], tuple[Training, ...]]:
        luck = draw(self._seed, "skills", character_id)
        known = luck.sample(SKILLS, 14)
        levels = {skill.type_id: luck.randrange(6) for skill in known}
        wanted = [
            (skill, level) for skill in known for level in range(levels[skill.type_id] + 1, 6)
        ]
        # Lowest levels first, so that each skill is learnt in order and something ends soon.
        wanted.sort(key=lambda step: (step[1], step[0].rank, step[0].type_id))
        ends_in_s = 20 + (character_id - FIRST_CHARACTER) % 5 * 15 + luck.randrange(10)
        plan: list[Training] = []
        until_s = self._start_s + ends_in_s
        for number, (skill, level) in enumerate(wanted):
            points = (LEVEL_SP[level] - LEVEL_SP[level - 1]) * skill.rank
            pace_s = points * 60 // 30
            from_s = until_s if number else until_s - pace_s
            until_s = from_s + pace_s
            plan.append(Training(skill, level, from_s, until_s))
        return levels, tuple(plan)
