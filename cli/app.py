"""The command `esisyncd`: a group whose commands are imported when they are called."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping

import click

from cli.context import shared_options
from cli.errors import BadInput

# Name -> what --help says; the module is cli.commands.<name>, with _ for -.
COMMANDS: Mapping[str, str] = {
    "demo": "Mirror a simulated EVE with the real daemon, and check the result.",
    "run": "Run the daemon in the foreground.",
    "status": "Show processes, jobs, pauses and the outbox.",
    "sync": "Make the jobs of a subject due now.",
    "events": "Show what happens, as it happens.",
    "login": "Log a character in with EVE's single sign-on.",
    "credential": "Import, list or remove credentials.",
    "enroll": "Mirror a subject from now on.",
    "withdraw": "Mirror a subject no longer; its rows stay.",
    "forget": "Delete a subject, its rows and its credential.",
    "mail": "Send, mark, label or delete mail.",
    "calendar": "Answer events of the calendar.",
    "contact": "Add, edit or remove contacts.",
    "fitting": "Save or delete fittings.",
    "waypoint": "Set a waypoint of the autopilot.",
    "outbox": "List, show, retry or cancel writes to EVE.",
    "restart": "Restart the scheduler and its workers.",
    "reload": "Have the daemon read its configuration again.",
    "stop": "Stop the daemon.",
    "features": "Show which features are on.",
    "kinds": "Show every kind of job there is.",
    "schema": "Show tables, views and their columns.",
    "query": "Run a query that only reads.",
    "export": "Write a section as CSV, JSON or Parquet.",
    "config": "Check or show the configuration.",
    "db": "Upgrade the database, or see what takes room.",
    "simulate": "Run the simulated EVE alone.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name, and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names, in the order in which they are shown."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called; name the nearest one where there is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, 1, 0.6)
            hint = f"Did you mean {near[0]}?" if near else "`esisyncd --help` lists them."
            raise BadInput(f"there is no command {args[0]}", hint)
        return super().resolve_command(ctx, args)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version() -> str:
    from supervisor.installed import installed_version

    return installed_version("esisyncd") or "unknown (not installed)"


def _show_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"esisyncd {_version()}")
        ctx.exit()


def build_app() -> click.Group:
    """Return the whole command line."""
    version = click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_version,
        help="Show the version.",
    )
    return LazyGroup(
        name="esisyncd",
        help="Mirror EVE Online's ESI into a SQL database that you own.",
        epilog="`esisyncd COMMAND --help` tells more; exit codes are in docs/exit-codes.md.",
        params=[*shared_options(), version],
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
