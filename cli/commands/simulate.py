"""`esisyncd simulate`: the simulated EVE alone, in the foreground."""

from __future__ import annotations

import click

from cli.context import OwnCommand


@click.command(
    cls=OwnCommand,
    short_help="Run the simulated EVE alone.",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Run a simulated ESI, single sign-on and image server on loopback until Ctrl-C.

    It prints one line of JSON with its addresses. `esisyncd simulate --help` shows its options.
    """
    from simulator.__main__ import main

    return main(list(arguments), "esisyncd simulate")
