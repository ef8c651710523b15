"""`esisyncd waypoint`: where the autopilot goes."""

from __future__ import annotations

import click

from cli.context import Command, Invocation, pass_invocation
from cli.writes.asking import How, ask, how_options
from cli.writes.names import Names

PLACES = ("system", "station", "structure")


@click.command(cls=Command, short_help="Set a waypoint of the autopilot.")
@click.argument("character", metavar="CHARACTER")
@click.argument("place", metavar="PLACE")
@click.option("--first", is_flag=True, help="Before all other waypoints.")
@click.option("--clear", is_flag=True, help="In place of all other waypoints.")
@how_options
@pass_invocation
def command(
    invocation: Invocation,
    character: str,
    place: str,
    first: bool,
    clear: bool,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Set a waypoint of CHARACTER, who must be online, at a system, station or structure.

    It is given up after ten minutes. One of which nobody knows whether it arrived is uncertain:
    see `esisyncd outbox`.
    """

    def payloads(names: Names) -> list[object]:
        (place_id,) = names.ids([place], PLACES)
        return [
            {
                "destination_id": place_id,
                "add_to_beginning": first,
                "clear_other_waypoints": clear,
            }
        ]

    return ask(invocation, character, "ui.waypoint", payloads, How(wait, timeout_s, as_json))
