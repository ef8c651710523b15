"""What every command is told on the command line, and the settings that follow from it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.errors import BadInput
from cli.paint import Painter
from ipc.plain_text import encodable
from ipc.subject import MAX_ID, NotASubject, Subject

if TYPE_CHECKING:
    from ipc.config import Loaded
    from ipc.settings import Settings

# Wider than any line: a program that reads is given the whole of each.
_ENDLESS = 1 << 20
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass
class Invocation:
    """The options that all commands share; those after the command win over those before it."""

    config: Path | None = None
    overrides: dict[str, str] = field(default_factory=dict)

    def loaded(self) -> Loaded:
        """Return the settings with their sources; ipc.config.ConfigError if they are no good."""
        from ipc.config import load_with_sources

        return load_with_sources(self.config, os.environ, self.overrides)

    def settings(self) -> Settings:
        """Return the settings; ipc.config.ConfigError if they are no good."""
        return self.loaded().settings

    def arguments(self) -> list[str]:
        """Return the options as another process of ours takes them."""
        arguments = [] if self.config is None else ["--config", str(self.config)]
        for key, value in self.overrides.items():
            arguments += ["--set", f"{key}={value}"]
        return arguments


def _invocation(context: click.Context) -> Invocation:
    return context.find_root().ensure_object(Invocation)


def _take_config(context: click.Context, _parameter: click.Parameter, value: Path | None) -> None:
    if value is not None:
        _invocation(context).config = value


def _take_sets(context: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> None:
    for value in values:
        key, equals, text = value.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{value!r} is no KEY=VALUE, as engine.workers=2")
        _invocation(context).overrides[key] = text


def _take_level(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        _invocation(context).overrides["log_level"] = value


def shared_options() -> list[click.Parameter]:
    """Return the options of every command, anew for each."""
    return [
        click.Option(
            ["--config"],
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            # The shared options come first: arguments are looked up in the database that they name.
            is_eager=True,
            expose_value=False,
            callback=_take_config,
            help="Configuration file; else ESISYNCD_CONFIG, else the platform's place.",
        ),
        click.Option(
            ["--set"],
            multiple=True,
            metavar="KEY=VALUE",
            is_eager=True,
            expose_value=False,
            callback=_take_sets,
            help="Set one key of the configuration, as engine.workers=2.",
        ),
        click.Option(
            ["--log-level"],
            type=click.Choice(LOG_LEVELS),
            is_eager=True,
            expose_value=False,
            callback=_take_level,
            help="How much is logged.",
        ),
    ]


class Command(click.Command):
    """A command that also takes the shared options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(shared_options())


class OwnCommand(click.Command):
    """A command that no configuration applies to, and that says so to whoever gives one."""

    def invoke(self, ctx: click.Context) -> Any:
        """Refuse what was set before the command's name."""
        given = _invocation(ctx).arguments()
        if given:
            raise BadInput(
                f"{ctx.info_name} takes no configuration, and was given {' '.join(given)}",
                f"`esisyncd {ctx.info_name} --help` shows what it takes.",
            )
        return super().invoke(ctx)


class Subjects(click.ParamType[Subject]):
    """The type of an argument that names a subject."""

    name = "subject"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Subject:
        """Return the subject."""
        if isinstance(value, Subject):
            return value
        try:
            return Subject.parse(value)
        except NotASubject as error:
            if ":" not in value and ctx is not None:
                return self._named(value, error, param, ctx)
            self.fail(str(error), param, ctx)

    def _named(
        self, text: str, error: NotASubject, param: click.Parameter | None, ctx: click.Context
    ) -> Subject:
        """Return the subject of ours that has this id, or is called so."""
        from cli import known

        settings = _invocation(ctx).settings()
        found = sorted(known.meant(text, known.subjects(settings), known.names(settings)))
        if not found:
            self.fail(f"{error}, or the name or id of one that is known here", param, ctx)
        if len(found) > 1:
            self.fail(f"{text!r} can be {' or '.join(map(str, found))}; write that", param, ctx)
        return found[0]


class Whole(click.IntRange):
    """A whole number in a range, called so where something else was given.

    It is never beyond what a column of the database holds.
    """

    name = "whole number"

    def __init__(self, min: int = -MAX_ID - 1, max: int = MAX_ID) -> None:  # noqa: A002 - click's
        super().__init__(min, max)


class Number(click.FloatRange):
    """A number in a range, called so where something else was given."""

    name = "number"


SUBJECT = Subjects()
pass_invocation: Callable[[Callable[..., Any]], Callable[..., Any]] = click.make_pass_decorator(
    Invocation, ensure=True
)


def say(text: str = "") -> None:
    """Print a line of the answer to standard output."""
    click.echo(text)


def tell(text: str) -> None:
    """Print a line about the answer to standard error."""
    click.echo(text, err=True)


def piped_text() -> str:
    """Return what was piped in; BadInput if it is no text in UTF-8."""
    try:
        text = sys.stdin.read()
    except UnicodeDecodeError:
        text = None
    # Some locales have Python keep such bytes.
    if text is None or encodable(text) != text:
        raise BadInput("what was piped in is no text in UTF-8")
    return text


def output_painter() -> Painter:
    """Return the painter of standard output."""
    return Painter.of(sys.stdout)


def output_width() -> int:
    """Return how wide lines may be: the terminal's width, or COLUMNS; else nothing is cut."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return _ENDLESS
    return page_width()


def page_width() -> int:
    """Return how wide a page is that is set in columns: 120 where there is no terminal."""
    return max(60, shutil.get_terminal_size((120, 24)).columns)


def confirmed(question: str, *, yes: bool) -> bool:
    """Tell whether the user agrees; without a terminal only --yes does."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise BadInput("this asks first, and there is no terminal to ask on", "Pass --yes.")
    return click.confirm(question, err=True)
