"""What was mirrored, in rows and in words, read with plain SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cli.demo.compare import Comparison, compare_all, open_plain, table_names
from cli.demo.session import Ran
from cli.demo.tables import OWN
from cli.demo.universe import Universe
from cli.json_documents import json_document
from cli.paint import Painter
from cli.table import Cell, Column, render
from cli.words import count

_SHOWN_DIFFERENCES = 20

QUERY = (
    "SELECT name, balance / 100.0 AS isk FROM character JOIN character_wallet "
    "USING (character_id) ORDER BY isk DESC"
)
SAMPLES: Mapping[str, str] = {
    "Richest characters": """
        SELECT name AS character, printf('%,.2f', balance / 100.0) AS isk
        FROM character JOIN character_wallet USING (character_id)
        ORDER BY balance DESC LIMIT 3""",
    "First in the skill queue": """
        SELECT character.name AS character, name.name AS skill, finished_level AS level,
            finish_at AS "done at, by the simulated clock"
        FROM character_skillqueue JOIN character USING (character_id)
        LEFT JOIN name ON name.id = skill_id
        WHERE queue_position = (
            SELECT min(queue_position) FROM character_skillqueue AS left_over
            WHERE left_over.character_id = character.character_id AND finish_at > :now)
        ORDER BY character_id LIMIT 3""",
    "Latest mail": """
        SELECT character.name AS "to", coalesce(sender.name, from_id) AS "from", subject, sent_at
        FROM mail JOIN character USING (character_id)
        LEFT JOIN name AS sender ON sender.id = from_id
        ORDER BY sent_at DESC LIMIT 3""",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the demo found."""

    ran: Ran
    rows: Mapping[str, int]
    comparison: Comparison
    not_compared: tuple[str, ...]
    samples: Mapping[str, list[dict[str, Any]]]

    @property
    def agrees(self) -> bool:
        """Tell whether every job ran and every row is as in the universe."""
        return self.comparison.agrees and not self.ran.faults


def judge(ran: Ran, universe: Universe) -> Verdict:
    """Compare the database with the universe, and read what to show of it."""
    with open_plain(ran.database) as connection:
        tables = table_names(connection)
        comparison = compare_all(connection, universe)
        rows = {name: _count(connection, name) for name in tables if name not in OWN}
        not_compared = sorted(set(rows) - comparison.rows.keys())
        samples = {
            title: [dict(row) for row in connection.execute(sql, {"now": ran.universe_now})]
            for title, sql in SAMPLES.items()
        }
    connection.close()
    return Verdict(ran, rows, comparison, tuple(not_compared), samples)


def _count(connection: sqlite3.Connection, table: str) -> int:
    found = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()  # noqa: S608
    return int(found[0])


def report_lines(verdict: Verdict, *, width: int, paint: Painter) -> list[str]:
    """Return the report for people."""
    filled = [(name, number) for name, number in verdict.rows.items() if number]
    lines = ["", f"Mirrored: {count(sum(verdict.rows.values()), 'row')} in {len(filled)} tables"]
    lines += _in_columns([f"{number:>7,} {name}" for name, number in filled], width)
    for title, rows in verdict.samples.items():
        if rows:
            lines += ["", title, *_sample(rows, width, paint)]
    lines += ["", *_judgement(verdict)]
    database = verdict.ran.database
    return [
        *lines,
        "",
        f"Database: {database}",
        f'Try: sqlite3 {database} "{QUERY}"',
        f"It is yours to delete: rm -r {verdict.ran.folder}",
    ]


def _judgement(verdict: Verdict) -> list[str]:
    lines = [f"did not go well: {fault}" for fault in verdict.ran.faults]
    comparison = verdict.comparison
    shown = comparison.differences[:_SHOWN_DIFFERENCES]
    lines += [f"differs: {difference}" for difference in shown]
    if len(comparison.differences) > len(shown):
        lines.append(f"and {len(comparison.differences) - len(shown):,} differences more")
    if verdict.not_compared:
        lines.append(f"not compared: {', '.join(verdict.not_compared)}")
    compared = count(sum(comparison.rows.values()), "row")
    if verdict.agrees:
        lines.append(f"Checked: all {compared} agree with the universe, and every kind ran.")
    elif comparison.differences:
        lines.append(f"FAILED: of {compared} compared, some do not agree with the universe.")
    else:
        lines.append(f"FAILED: all {compared} compared agree, but not every kind ran well.")
    return lines


def _in_columns(texts: list[str], width: int) -> list[str]:
    cell = max(map(len, texts), default=1) + 2
    per_line = max(1, width // cell)
    down = -(-len(texts) // per_line)
    return [
        "".join(text.ljust(cell) for text in texts[line::down]).rstrip() for line in range(down)
    ]


def _sample(rows: list[dict[str, Any]], width: int, paint: Painter) -> list[str]:
    columns = [Column(name, flexible=True) for name in rows[0]]
    cells = [[Cell("" if value is None else str(value)) for value in row.values()] for row in rows]
    return render(columns, cells, width=width, paint=paint, indent="  ")


def report_json(verdict: Verdict, seconds: float) -> dict[str, Any]:
    """Return the report for programs."""
    return json_document(
        agrees=verdict.agrees,
        seconds=round(seconds, 3),
        database=str(verdict.ran.database),
        log=str(verdict.ran.folder / "daemon.log"),
        rows=dict(verdict.rows),
        compared=dict(verdict.comparison.rows),
        not_compared=list(verdict.not_compared),
        differences=[str(difference) for difference in verdict.comparison.differences],
        faults=list(verdict.ran.faults),
        samples=dict(verdict.samples),
        query=QUERY,
    )
