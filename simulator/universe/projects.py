"""Projects and freelance jobs of corporations: offered, worked on by the hour, and done."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import ORDER, Beat, Row, draw
from simulator.universe.people import FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import atlas
from simulator.uuids import parts_of, uuid_of

HOUR_S = 3_600
PROJECTS, JOBS = 0x0B, 0x0C
# Each costs its details and its people: few enough for one window of the rate groups.
PAST = 24
# Each step of work is one contribution.
STEPS, STEP_S = 24, 2 * HOUR_S
SHARE = 1_000
# One in so many is a crowd's, whose list of people is longer than a page.
CROWDED = 40
CROWD = 130
CAREERS = ("Explorer", "Industrialist", "Enforcer", "Soldier of Fortune")


@dataclass(frozen=True, slots=True)
class Task:
    """One project or job at a moment."""

    topic: int
    owner_id: int
    index: int
    created_s: int
    # Steps of work done, and when the last of them was.
    steps: int
    modified_s: int

    @property
    def task_id(self) -> str:
        """Return its id."""
        return uuid_of(self.topic, self.owner_id, self.index)

    @property
    def is_done(self) -> bool:
        """Tell whether all work is done."""
        return self.steps == STEPS

    @property
    def is_crowded(self) -> bool:
        """Tell whether many work on it."""
        return self.index % CROWDED == 7


class Projects:
    """The projects and freelance jobs of every corporation."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s

    # --- lists -----------------------------------------------------------------------------------

    def projects(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the projects of a corporation, the one that changed last at the end."""
        return self._listed(PROJECTS, corporation_id, at_s)

    def jobs(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the freelance jobs of a corporation, likewise."""
        return self._listed(JOBS, corporation_id, at_s)

    def public_jobs(self, at_s: float) -> list[Row]:
        """Return the freelance jobs of all corporations, likewise."""
        tasks = [
            (place, task)
            for place, one in enumerate(self._people.corporation_ids)
            for task in self._tasks(JOBS, one, at_s)
        ]
        rows: list[tuple[int, Task]] = sorted(
            ((task.modified_s << 32 | place << 20 | task.index, task) for place, task in tasks),
            key=lambda one: one[0],
        )
        return [{**self._line(task), ORDER: order} for order, task in rows]

    def jobs_of(self, character_id: int, at_s: float) -> Row:
        """Return the jobs that a character takes part in: some of its corporation's latest."""
        rows = [self._line(one) for one in self._mine(character_id, at_s)]
        return {"freelance_jobs": rows}

    # --- one each --------------------------------------------------------------------------------

    def project(self, corporation_id: int, number: int, at_s: float) -> Row:
        """Return what a project asks for."""
        task = self._of_number(PROJECTS, number, at_s)
        if task.owner_id != corporation_id:
            raise not_found("Project not found")
        luck = draw(self._seed, "project", task.owner_id, task.index)
        creator = self._people.corporation(corporation_id).ceo_id
        system_id = luck.choice(tuple(atlas().systems))
        configuration: Row = luck.choice(
            (
                {"mine_material": {"materials": [{"type_id": 34}, {"group_id": 18}]}},
                {"destroy_npc": {"locations": [{"solar_system_id": system_id}]}},
                {"manual": {}},
            )
        )
        return {
            **self._line(task),
            "details": self._details(task),
            "creator": {"id": creator, "name": self._people.pilot(creator).name},
            "configuration": configuration,
            "contribution": {"reward_per_contribution": task.index / 100, "submission_limit": 5},
        }

    def job(self, number: int, at_s: float) -> Row:
        """Return what a job asks for, to whomever asks."""
        task = self._of_number(JOBS, number, at_s)
        luck = draw(self._seed, "job", task.owner_id, task.index)
        company = self._people.corporation(task.owner_id)
        system_id = luck.choice(tuple(atlas().systems))
        values: list[Row] = [{"value_type": "type", "values": ["34", str(35 + task.index % 3)]}]
        row = {
            **self._line(task),
            "details": {
                **self._details(task),
                "creator": {
                    "character": {
                        "id": company.ceo_id,
                        "name": self._people.pilot(company.ceo_id).name,
                    },
                    "corporation": {"id": company.corporation_id, "name": company.name},
                },
            },
            "configuration": {
                "method": "DeliverItem",
                "version": 1,
                "parameters": {"item": {"matcher": {"values": values}}},
            },
            "access_and_visibility": {
                "acl_protected": task.index % 3 == 0,
                "broadcast_locations": [{"id": system_id, "name": atlas().systems[system_id].name}],
            },
        }
        if task.index % 2:
            row["contribution"] = {"max_committed_participants": 10, "submission_multiplier": 1.5}
        return row

    def contributors(self, corporation_id: int, number: int, at_s: float) -> list[Row]:
        """Return who worked on a project, the one who did so last at the end."""
        task = self._of_number(PROJECTS, number, at_s)
        if task.owner_id != corporation_id:
            raise not_found("Project not found")
        return self._workers(task)

    def participants(self, corporation_id: int, number: int, at_s: float) -> list[Row]:
        """Return who takes part in a job, likewise."""
        task = self._of_number(JOBS, number, at_s)
        if task.owner_id != corporation_id:
            raise not_found("Job not found")
        # Of who it is: whose state changed would have moved to the end of the list.
        return [
            {**row, "state": "Resigned" if str(row["id"]).endswith("4") else "Committed"}
            for row in self._workers(task)
        ]

    def participation(self, character_id: int, number: int, at_s: float) -> Row:
        """Return what a character did for a job."""
        task = self._of_number(JOBS, number, at_s)
        if task.index not in {one.index for one in self._mine(character_id, at_s)}:
            raise not_found("Job not found")
        return {
            "state": "Committed",
            "contributed": task.steps * SHARE // 4,
            "last_modified": iso(task.modified_s),
        }

    # --- how they come about ---------------------------------------------------------------------

    def _listed(self, topic: int, corporation_id: int, at_s: float) -> list[Row]:
        tasks = self._tasks(topic, corporation_id, at_s)
        return [
            {**self._line(one), ORDER: one.modified_s << 32 | one.index}
            for one in sorted(tasks, key=lambda task: (task.modified_s, task.index))
        ]

    def _mine(self, character_id: int, at_s: float) -> list[Task]:
        corporation_id = self._people.pilot(character_id).corporation_id
        latest = self._tasks(JOBS, corporation_id, at_s)[-12:]
        return [one for one in latest if (one.index + character_id) % 3]

    def _tasks(self, topic: int, corporation_id: int, at_s: float) -> list[Task]:
        beat = self._beat(topic, corporation_id)
        return [
            self._task(topic, corporation_id, index + PAST, created_s, at_s)
            for index, created_s in beat.between(beat.at_s(-PAST) - 1, at_s)
        ]

    def _of_number(self, topic: int, number: int, at_s: float) -> Task:
        found = parts_of(topic, number)
        if found is None or found[0] not in self._people.corporation_ids:
            raise not_found("not found")
        created_s = self._beat(topic, found[0]).at_s(found[1] - PAST)
        if created_s > at_s:
            raise not_found("not found")
        return self._task(topic, found[0], found[1], created_s, at_s)

    def _beat(self, topic: int, corporation_id: int) -> Beat:
        name = f"tasks {topic} {corporation_id}"
        return Beat(self._seed, name, self._start_s, PAST, 6 * HOUR_S, HOUR_S // 2)

    @staticmethod
    def _task(topic: int, corporation_id: int, index: int, created_s: int, at_s: float) -> Task:
        steps = max(0, min(STEPS, int((at_s - created_s) // STEP_S)))
        return Task(topic, corporation_id, index, created_s, steps, created_s + steps * STEP_S)

    @staticmethod
    def _line(task: Task) -> Row:
        row: Row = {
            "id": task.task_id,
            "name": f"Руда {task.index}" if task.index % 2 else f"Ore for {task.index}",
            "state": "Completed" if task.is_done else "Active",
            "last_modified": iso(task.modified_s),
            "progress": {"current": task.steps * SHARE, "desired": STEPS * SHARE},
        }
        if task.index % 4:
            whole = 24_000_000_00 + task.index
            row["reward"] = {
                "initial": whole / 100,
                "remaining": (whole - whole // STEPS * task.steps) / 100,
            }
        return row

    @staticmethod
    def _details(task: Task) -> Row:
        row: Row = {
            "description": "" if task.index % 3 else "<b>o7</b>",
            "career": CAREERS[task.index % len(CAREERS)],
            "created": iso(task.created_s),
            "expires": iso(task.created_s + 30 * 86_400),
        }
        if task.is_done:
            row["finished"] = iso(task.modified_s)
        return row

    def _workers(self, task: Task) -> list[Row]:
        """Return a row for each who did a step; a crowd has done nothing yet but the last few."""
        luck = draw(self._seed, "workers", task.topic, task.owner_id, task.index)
        first = luck.randrange(STRANGERS)
        each = 6
        done: dict[int, tuple[int, int]] = {}
        if task.is_crowded:
            done = {number: (0, number) for number in range(each, CROWD)}
        for step in range(task.steps):
            number = step % each
            steps, _ = done.pop(number, (0, 0))
            done[number] = (steps + 1, CROWD + step)
        rows: list[Row] = []
        for number, (steps, order) in sorted(done.items(), key=lambda one: one[1][1]):
            who = FIRST_STRANGER + (first + number) % STRANGERS
            name = self._people.pilot(who).name
            rows.append({"id": who, "name": name, "contributed": steps * SHARE, ORDER: order})
        return rows
