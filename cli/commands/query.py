"""`esisyncd query`: one query, whose answer is a table, CSV or JSON."""

from __future__ import annotations

import sys
from collections import Counter

import click

from cli.context import (
    Command,
    Invocation,
    output_painter,
    output_width,
    pass_invocation,
    piped_text,
    say,
    tell,
)
from cli.errors import BadInput
from cli.words import count


@click.command(cls=Command, short_help="Run a query that only reads.")
@click.argument("sql")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with a header.")
@pass_invocation
def command(invocation: Invocation, sql: str, as_json: bool, as_csv: bool) -> None:
    """Run a query that cannot change anything, with - from standard input.

    `esisyncd schema` shows what there is to ask; the views that begin with v_ have names in place
    of ids. The daemon may run meanwhile. A table is made to fit the terminal; without one, and with
    --csv and --json, nothing is cut. A copy of the database can be asked where nothing can be
    written. Amounts of ISK in views are doubles on SQLite, exact to the cent up to 70 trillion,
    which their sums need not be: round(sum(amount), 2).
    """
    from cli import answers
    from jobs.store.reader import QueryRefused, open_reader

    if as_json and as_csv:
        raise BadInput("--json and --csv exclude each other")
    settings = invocation.settings()
    if sql == "-":
        sql = piped_text()
    if not sql.strip():
        raise BadInput("there is no query", "As in: esisyncd query 'SELECT * FROM v_wallets'")
    with open_reader(settings.database_url) as reader:
        try:
            answer = reader.ask(sql)
            if as_csv:
                answers.write_csv(sys.stdout, answer.columns, answer.batches)
                return
            if as_json:
                _require_different(answer.columns)
                answers.write_json(sys.stdout, answer.columns, answer.batches)
                return
            rows = answers.write_table(
                say, answer.columns, answer.batches, width=output_width(), paint=output_painter()
            )
        except QueryRefused as error:
            raise BadInput(str(error), "`esisyncd schema` shows tables and columns.") from error
    if sys.stdout.isatty():
        tell(f"({count(rows, 'row')})")


def _require_different(columns: tuple[str, ...]) -> None:
    """Refuse what JSON would lose."""
    double = [name for name, times in Counter(columns).items() if times > 1]
    if double:
        raise BadInput(f"two columns are called {double[0]}", "Give one another name with AS.")
