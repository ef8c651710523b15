"""Developer's tool for the schema: `python -m jobs.store.revise check|new WORDS|rewrite`.

check: does a migrated database equal the tables in jobs/store/schema? new: write a revision for
the difference. rewrite: write the newest revision anew, while nobody has it yet.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection

from jobs.store import connect, upgrade
from jobs.store.connect import open_engine
from jobs.store.migrations import versions
from jobs.store.revisions import known
from jobs.store.schema import metadata
from jobs.store.schema.core import name_conditions_for_postgresql


def differences(connection: Connection) -> list[Any]:
    """Return what a database's schema and the tables in jobs/store/schema differ in."""
    context = MigrationContext.configure(
        connection, opts={"compare_type": True, "compare_server_default": True}
    )
    return list(compare_metadata(context, metadata))


@contextmanager
def migrated(revision: str) -> Iterator[Connection]:
    """Give a connection to a throw-away SQLite database at a revision, or at none (base)."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(connect.parse(f"sqlite:///{folder}/schema.db"), create=True)
        with engine.connect() as connection:
            if revision != "base":
                with connection.begin():
                    command.upgrade(upgrade.config(connection, _say), revision)
            yield connection
        engine.dispose()


def write(number: int, words: str) -> Path:
    """Write the revision of that number, for what the tables have beyond the one before it."""
    before = f"{number - 1:04d}" if number > 1 else "base"
    name_conditions_for_postgresql()
    with migrated(before) as connection, connection.begin():
        command.revision(
            upgrade.config(connection, _say), words, autogenerate=True, rev_id=f"{number:04d}"
        )
    (path,) = Path(versions.__path__[0]).glob(f"{number:04d}_*.py")
    text = re.sub(r" *# ###.*\n", "", path.read_text("utf-8"))
    # What a table says of itself to the program is nothing to the database.
    path.write_text(re.sub(r",\s*info=\{[^}]*\}", "", text), "utf-8")
    for step in (["check", "--fix", "--quiet", "--select", "I,UP,F401"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *step, str(path)], check=True)  # noqa: S603
    return path


def main(arguments: list[str] | None = None) -> int:
    """Run the tool and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m jobs.store.revise", description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("check", help="compare a migrated database with the tables")
    what.add_parser("rewrite", help="write the newest revision anew")
    new = what.add_parser("new", help="write a revision for what changed")
    new.add_argument("words", help="what it brings, in a few words")
    options = parser.parse_args(arguments)
    if options.what == "check":
        return _check()
    path = _rewrite() if options.what == "rewrite" else write(len(known()) + 1, options.words)
    _say(f"wrote {path}: read it before you commit it")
    return 0


def _check() -> int:
    with migrated("head") as connection:
        found = differences(connection)
    for difference in found:
        _say(str(difference))
    _say(f"{len(found)} differences" if found else "the revisions make what the tables say")
    return 1 if found else 0


def _rewrite() -> Path:
    number = max(1, len(known()))
    words = "initial"
    for old in Path(versions.__path__[0]).glob(f"{number:04d}_*.py"):
        words = old.stem.partition("_")[2].replace("_", " ")
        old.unlink()
    return write(number, words)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
