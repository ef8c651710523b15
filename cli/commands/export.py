"""`esisyncd export`: a section as CSV, JSON or Parquet."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.context import Command, Invocation, pass_invocation, tell
from cli.errors import BadInput
from cli.exporting import FORMATS
from cli.words import count

if TYPE_CHECKING:
    from jobs.catalog import Catalog
    from jobs.store.reader import Reader
    from jobs.store.sections import Section


@click.command(cls=Command, short_help="Write a section as CSV, JSON or Parquet.")
@click.argument("section")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="csv",
    show_default=True,
    help="How it is written.",
)
@click.option(
    "--output",
    type=click.Path(),
    metavar="PATH",
    help="File, or folder for a file each; else, and with -, standard output.",
)
@pass_invocation
def command(invocation: Invocation, section: str, form: str, output: str | None) -> None:
    """Write a section: a table or view as `esisyncd schema` has it, or a kind.

    A kind with several tables needs a folder as --output, and becomes a file for each. Files are
    readable for you alone, and take their place when they are whole; a FIFO or device is written to
    as it is. Amounts of ISK are exact decimals; in JSON they are texts. Tokens are never written.
    Parquet needs the extra `parquet`.
    """
    from cli import exporting
    from cli.store import open_database
    from jobs.catalog import load
    from jobs.store.reader import QueryRefused, open_reader

    settings = invocation.settings()
    chosen = _chosen(section, load(settings.kind_packages))
    exporting.require(form)
    path = None if output in (None, "-") else Path(output)
    if path is None and (len(chosen) > 1 or (form == "parquet" and sys.stdout.isatty())):
        what = f"{section} has {len(chosen)} tables" if len(chosen) > 1 else "Parquet is no text"
        raise BadInput(what, "Say where to write with --output.")
    with open_database(settings):
        # Its schema is ours.
        pass
    with open_reader(settings.database_url) as reader:
        try:
            _write_all(reader, chosen, form, path)
        except QueryRefused as error:
            raise BadInput(
                f"{section} cannot be read: {error}", "`esisyncd db upgrade` may help."
            ) from error


def _write_all(reader: Reader, chosen: list[Section], form: str, output: Path | None) -> None:
    from cli import exporting

    if output is None:
        file = exporting.standard_output()
        exporting.write(chosen[0], chosen[0].ask(reader), form, file)
        file.flush()
        return
    if len(chosen) > 1:
        _make_folder(output)
    for each in chosen:
        path = output / f"{each.name}.{form}" if output.is_dir() else output
        with exporting.open_output(path) as file:
            rows = exporting.write(each, each.ask(reader), form, file)
        tell(f"{path}: {count(rows, 'row')}")


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{path} is no folder: {error.strerror}") from error


def _chosen(name: str, catalog: Catalog) -> list[Section]:
    from jobs.store.sections import known_names, sections

    found = sections(name, catalog)
    if not found and name in catalog:
        raise BadInput(f"{name} has no tables of its own", f"What it does: {catalog[name].summary}")
    if not found:
        near = difflib.get_close_matches(name, known_names(catalog), 1, 0.6)
        hint = f"Did you mean {near[0]}?" if near else "`esisyncd schema` and `kinds` list them."
        raise BadInput(f"there is no section {name}", hint)
    return found
