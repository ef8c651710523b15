"""Sections as files: CSV, JSON or Parquet, for their owner alone, whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from cli import answers
from cli.errors import BadInput, CliError
from ipc.exits import Exit

if TYPE_CHECKING:
    from jobs.store.reader import Answer
    from jobs.store.sections import Section
    from jobs.store.views.view import Field

FORMATS = ("csv", "json", "parquet")
# Rows of one group of a Parquet file: what is in memory at once.
GROUP = 50_000


class NoParquet(CliError):
    """What writes Parquet is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Parquet needs pyarrow, which is not installed",
            "Install the extra `parquet` from the checkout: `pip install '.[parquet]'`; or choose "
            "csv or json.",
        )


def require(form: str) -> None:
    """Raise NoParquet unless what a format needs is there."""
    if form == "parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise NoParquet from None


@contextmanager
def open_output(path: Path) -> Iterator[IO[bytes]]:
    """Give what a path names to write to: a file is private, and takes its place when it is whole.

    What is no file, as a FIFO or a device, is written to and stays what it is; so does a link.
    """
    with _telling(path), _straight(path) if _is_no_file(path) else _beside(path) as file:
        yield file


def _is_no_file(path: Path) -> bool:
    # Descriptors of ours: a file among them has its writers already.
    parent = Path(os.path.realpath(path.parent))
    if parent == Path("/dev") or parent.is_relative_to("/proc"):
        return True
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


@contextmanager
def _straight(path: Path) -> Iterator[IO[bytes]]:
    with os.fdopen(os.open(path, os.O_WRONLY), "wb") as file:
        yield file


@contextmanager
def _beside(path: Path) -> Iterator[IO[bytes]]:
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error
    except OSError as error:
        told = CliError(f"{path} cannot be written: {error.strerror}")
        if isinstance(error, PermissionError):
            told.exit_code = Exit.REFUSED
        raise told from error


def write(section: Section, answer: Answer, form: str, file: IO[bytes]) -> int:
    """Write a section's rows; return how many."""
    if form == "parquet":
        return _write_parquet(section.fields, answer, file)
    names = [field.name for field in section.fields]
    out = io.TextIOWrapper(file, "utf-8", newline="\n", write_through=False)
    if form == "csv":
        rows = answers.write_csv(out, names, answer.batches)
    else:
        rows = answers.write_json(out, names, answer.batches, {"section": section.name})
    out.flush()
    # The caller closes the file.
    out.detach()
    return rows


def standard_output() -> IO[bytes]:
    """Return standard output for bytes."""
    sys.stdout.flush()
    return sys.stdout.buffer


def _write_parquet(fields: tuple[Field, ...], answer: Answer, file: IO[bytes]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([pa.field(f.name, _arrow_type(pa, f)) for f in fields])
    count = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in _groups(answer):
            columns = list(zip(*rows, strict=True))
            arrays = [
                pa.array(column, kind.type) for column, kind in zip(columns, schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            count += len(rows)
    return count


def _groups(answer: Answer) -> Iterator[list[tuple[Any, ...]]]:
    rows: list[tuple[Any, ...]] = []
    for batch in answer.batches:
        rows += batch
        if len(rows) >= GROUP:
            yield rows
            rows = []
    if rows:
        yield rows


def _arrow_type(pa: Any, field: Field) -> Any:
    from jobs.store.views.view import Shape

    return {
        Shape.INTEGER: pa.int64(),
        Shape.DOUBLE: pa.float64(),
        Shape.TEXT: pa.string(),
        Shape.BOOLEAN: pa.bool_(),
        Shape.TIME: pa.timestamp("us", "UTC"),
        Shape.DAY: pa.date32(),
        # Exact, and wider than what is stored.
        Shape.ISK: pa.decimal128(38, 2),
    }[field.shape]
