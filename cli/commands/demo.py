"""`esisyncd demo`: the whole thing against a simulated EVE, and a check of the result."""

from __future__ import annotations

import json
import sys
import time

import click

from cli.context import Number, OwnCommand, Whole, output_painter, page_width, say, tell
from ipc.exits import Exit


@click.command(cls=OwnCommand, short_help="Mirror a simulated EVE, and check the result.")
@click.option(
    "--characters",
    type=Whole(1, 500),
    default=5,
    show_default=True,
    help="How many characters the simulated EVE has.",
)
@click.option(
    "--seconds",
    type=Number(1, 86_400),
    default=20.0,
    show_default=True,
    help="How long to mirror before the check.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
def command(characters: int, seconds: float, as_json: bool) -> int:
    """Mirror a simulated EVE with the real daemon, and check the result.

    Everything runs on this machine and in a temporary folder; nothing is sent to EVE Online. At
    the end the simulated universe is stopped, all is mirrored once more, and every row is compared
    with the universe itself: exit code 0 only if all agree and every kind ran for every subject.
    The daemon's six processes are shown with their ids: kill any of them and watch it go on.
    Time in the simulated EVE runs 60 times as fast, so that there is something new to mirror. The
    folder stays when the demo ends, and may be deleted.
    """
    from rich.console import Console

    from cli.demo.report import judge, report_json, report_lines
    from cli.demo.session import SPEED, clean_up, play
    from cli.demo.stage import make_folder, prepare
    from cli.demo.views import LiveView, PlainView
    from cli.foreign import refuse_foreign_supervisor
    from simulator.process import SimulatedEve

    refuse_foreign_supervisor()
    started = time.monotonic()
    folder = make_folder()
    # Its limits belong to its own time, as its caches do.
    scale = str(1 / SPEED)
    arguments = ("--characters", str(characters), "--speed", str(SPEED), "--window-scale", scale)
    view: LiveView | PlainView
    if as_json or not sys.stdout.isatty():
        view = PlainView(tell if as_json else _say_now)
    else:
        view = LiveView(Console())
    verdict = None
    try:
        with SimulatedEve(*arguments, own_group=True) as eve:
            stage = prepare(eve, folder, seconds)
            with view:
                ran = play(stage, seconds, view)
            verdict = judge(ran, stage.universe())
    finally:
        clean_up(folder)
        if verdict is None:
            tell(f"What there is lies in {folder}, and is yours to delete.")
    if as_json:
        say(json.dumps(report_json(verdict, time.monotonic() - started), indent=2))
    else:
        for line in report_lines(verdict, width=page_width(), paint=output_painter()):
            say(line)
    return Exit.OK if verdict.agrees else Exit.FAILURE


def _say_now(text: str) -> None:
    say(text)
    sys.stdout.flush()
