"""The report as a document with plots, made of the figures that runs have saved."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

_WIDTH, _BAR, _GAP = 820, 9, 26
_COLOURS = ("#3b6ea5", "#c46a2d", "#6a9a4b", "#8a5a9e")
_TEXT = 'font-family="sans-serif" font-size="11" fill="#333"'
_SMALL = 'font-family="sans-serif" font-size="9" fill="#333"'


_HEAD = """# Citizenship

What the daemon asks of ESI, measured by `python -m bench.budget`: the shipped schedule, dispatcher,
budgets, ramp, downtime gate and catalogue on a clock that jumps from event to event, over workers
and an ESI within the same process.

- That ESI keeps the rate groups and the error limit as the contract states them, with the simulated
  EVE's own code. 3 of 10 questions about known data find a change, one answer in 2,000 is a 502,
  one detail in 500 is a 404, and once everything is 503 for six minutes.
- Jobs with details fetch 20 in their first run, which in EVE many share; later ones mostly none.
- All jobs are due at the beginning. In the middle the scheduler is replaced by one that knows
  nothing of what was spent, with everything due again.
- Somebody presses `sync` once a minute, and a mail is sent every 30 s.
- 32 jobs run at once, each asks one thing at a time, an answer takes 60 ms. There are no rows and
  no database.

Each column is a run of its own. `python -m bench.budget` simulates 24 hours of 1,000 characters
and 50 corporations under both profiles, which takes an hour and a half of a processor core, a
quarter of it the standard profile; smaller runs are named. Buckets belong to characters, so few
characters tell as much of them as many; many tell of public routes, the error limit and the first
load. An hour in which everything is due twice is mostly first load, and its ages tell of that.

What is fetched once for all, as the details of killmails and freelance jobs, has one bucket for all
of a machine. A first load is spread over it for hours; lists do not wait for it. A character comes
to some 0.06 runs a second under the standard profile and 0.4 under the eager one, so with 450
characters and the eager profile the 180 jobs that may start in a second are all used, and with more
of them copies get older, unless `engine.workers` or `engine.jobs_per_worker` is raised.

This file is written by `python -m bench.budget --from FIGURES... --report docs`.
"""
_TOKENS = """## Tokens

The mean over all buckets of a group and the whole time, and the fullest that any bucket was.

![Tokens used of each rate group](citizenship/groups.svg)
"""
_FRESHNESS = """## Freshness

How old a copy is when it is renewed, over the cache age of its route: 1 is as fresh as ESI allows.
Below 1, the first answer came in the middle of a window. Routes without a cache age are left out.
95th percentile (and median); all routes of a section together.

![Age of copies](citizenship/ages.svg)
"""


def write_report(folder: Path, days: Sequence[dict[str, Any]]) -> None:
    """Write citizenship.md and its plots into a folder."""
    plots = folder / "citizenship"
    plots.mkdir(parents=True, exist_ok=True)
    (plots / "groups.svg").write_text(_bars(
        days,
        "Tokens used of each rate group: mean (bar) and fullest bucket (mark), share of the limit",
        lambda day: {n: (g["mean_share"], g["peak_share"]) for n, g in day["groups"].items()},
        1.0, "{:.0%}",
    ))  # fmt: skip
    (plots / "ages.svg").write_text(_bars(
        days,
        "Age of a copy when renewed over its cache age: median (bar), 95th percentile (mark)",
        lambda day: {n: (k["p50"], k["p95"]) for n, k in day["kinds"].items()},
        16.0, "{:.1f}",
    ))  # fmt: skip
    (plots / "requests.svg").write_text(_lines(days))
    (folder / "citizenship.md").write_text(_document(days))


def _document(days: Sequence[dict[str, Any]]) -> str:
    lines = [
        _HEAD,
        "| | " + " | ".join(_label(day) for day in days) + " |",
        "|---|" + "---:|" * len(days),
    ]
    lines += [
        f"| {name} | " + " | ".join(str(value(day)) for day in days) + " |" for name, value in _ROWS
    ]
    lines += [
        "",
        _TOKENS,
        *_table(days, "rate group", "groups", _share),
        "",
        _FRESHNESS,
        *_table(days, "section", "kinds", lambda kind: f"{kind['p95']:.2f} ({kind['p50']:.2f})"),
        "",
        "## Requests",
        "",
        "![Requests a second](citizenship/requests.svg)",
        "",
    ]
    return "\n".join(lines)


def _share(group: dict[str, Any]) -> str:
    return f"{group['mean_share']:.1%}, at most {group['peak_share']:.0%}"


def _label(day: dict[str, Any]) -> str:
    """Return what tells a run from the others."""
    return f"{day['profile']}, {day['characters']:,} characters"


def _trouble(day: dict[str, Any]) -> str:
    return f"{day['statuses'].get('503', 0):,}, {day['statuses'].get('502', 0):,}"


def _busiest(day: dict[str, Any]) -> str:
    """Return when most jobs started in one second, and the kinds of most of them."""
    second = day["busiest_second"]
    kinds = ", ".join(f"{n} {kind}" for kind, n in list(second["kinds"].items())[:3])
    return f"{second['at_s'] / 3600:.2f} h: {kinds}"


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else 0.0


_ROWS = (
    ("characters, corporations", lambda d: f"{d['characters']:,}, {d['corporations']}"),
    ("hours simulated", lambda d: f"{d['hours']:g}"),
    ("jobs enrolled", lambda d: f"{d['jobs']:,}"),
    ("runs of jobs", lambda d: f"{d['jobs_done']:,}"),
    ("of them cut short for want of tokens", lambda d: f"{d['jobs_waited']:,}"),
    ("requests", lambda d: f"{d['requests']:,}"),
    ("**answers 420**", lambda d: d["statuses"].get("420", 0)),
    ("**answers 429**", lambda d: d["statuses"].get("429", 0)),
    ("answers 503 in the downtime, and 502", _trouble),
    ("fewest errors left of 100", lambda d: d["least_errors_left"]),
    ("mails sent, and kept waiting", lambda d: f"{d['writes']:,}, {d['writes_denied']}"),
    ("downtimes noticed", lambda d: d["downtimes"]),
    ("most jobs started in one second", lambda d: d["most_starts_a_second"]),
    ("when, and most of which kinds", _busiest),
    ("in the two minutes after the restart", lambda d: max(d["starts_after_restart"])),
    ("jobs failing at the end", lambda d: d["failing_at_the_end"]),
    ("jobs overdue, median of all minutes", lambda d: f"{_median(d['overdue_each_minute']):,.0f}"),
)


def _table(days: Sequence[dict[str, Any]], word: str, field: str, text: Any) -> list[str]:
    names = sorted({name for day in days for name in day[field]})
    lines = [
        f"| {word} | " + " | ".join(_label(day) for day in days) + " |",
        "|---|" + "---:|" * len(days),
    ]
    for name in names:
        cells = [text(day[field][name]) if name in day[field] else "" for day in days]
        limit = next((day[field][name].get("limit") for day in days if name in day[field]), None)
        label = name if limit is None else f"{name} ({limit})"
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return lines


def _bars(
    days: Sequence[dict[str, Any]], title: str, values: Any, longest: float, form: str
) -> str:
    """Return bars with marks, a row for each name and a bar for each day."""
    tables = [(_label(day), values(day)) for day in days]
    names = sorted({name for _, table in tables for name in table})
    left, right = 200, 60
    scale = (_WIDTH - left - right) / longest
    height = 40 + len(names) * (_GAP + (len(tables) - 2) * (_BAR + 1))
    parts = [f'<text x="10" y="18" {_TEXT} font-weight="bold">{escape(title)}</text>']
    y = 34.0
    for name in names:
        parts.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end" {_TEXT}>{name}</text>')
        for place, (_, table) in enumerate(tables):
            if name not in table:
                continue
            bar, mark = table[name]
            top = y + place * (_BAR + 1)
            end = left + min(bar, longest) * scale
            at = left + min(mark, longest) * scale
            colour = _COLOURS[place % len(_COLOURS)]
            parts.append(
                f'<rect x="{left}" y="{top}" width="{max(0.5, end - left):.1f}" height="{_BAR}"'
                f' fill="{colour}"/><rect x="{at:.1f}" y="{top}" width="2" height="{_BAR}"'
                f' fill="{colour}"/><text x="{max(at, end) + 6:.1f}" y="{top + 8}" {_SMALL}'
                f">{form.format(mark)}</text>"
            )
        y += _GAP + (len(tables) - 2) * (_BAR + 1)
    return _svg(height, [*parts, _legend(tables)])


def _lines(days: Sequence[dict[str, Any]]) -> str:
    """Return requests a second over the time, a line for each day."""
    left, top, width, height = 60, 34, _WIDTH - 80, 180
    most = max((max(day["requests_each_minute"], default=0) for day in days), default=1) / 60
    hours = max(day["hours"] for day in days)
    end = f"{hours:g} h"
    parts = [
        f'<text x="10" y="18" {_TEXT} font-weight="bold">Requests a second, by minute</text>',
        f'<text x="{left - 6}" y="{top + 8}" text-anchor="end" {_TEXT}>{most:.0f}</text>',
        f'<text x="{left - 6}" y="{top + height}" text-anchor="end" {_TEXT}>0</text>',
        f'<text x="{left + width}" y="{top + height + 16}" text-anchor="end" {_TEXT}>{end}</text>',
        f'<path d="M{left},{top}V{top + height}H{left + width}" fill="none" stroke="#999"/>',
    ]
    for place, day in enumerate(days):
        minutes = day["requests_each_minute"]
        points = " ".join(
            f"{left + n / 60 / hours * width:.1f},{top + height - value / 60 / most * height:.1f}"
            for n, value in enumerate(minutes)
        )
        colour = _COLOURS[place % len(_COLOURS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    return _svg(top + height + 24, [*parts, _legend([(_label(day), None) for day in days])])


def _legend(tables: Sequence[tuple[str, Any]]) -> str:
    parts = []
    for place, (profile, _) in enumerate(tables):
        x = _WIDTH - 200 * (len(tables) - place)
        colour = _COLOURS[place % len(_COLOURS)]
        parts.append(
            f'<rect x="{x}" y="22" width="9" height="9" fill="{colour}"/>'
            f'<text x="{x + 13}" y="30" {_TEXT}>{profile}</text>'
        )
    return "".join(parts)


def _svg(height: float, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height:.0f}"'
        f' viewBox="0 0 {_WIDTH} {height:.0f}"><rect width="100%" height="100%" fill="#fff"/>'
    )
    return head + "\n".join(parts) + "</svg>\n"
