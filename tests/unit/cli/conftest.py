"""A fake supervisor, and the command line run in this process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.main import main
from tests.unit.cli.fake_supervisor import FakeSupervisor


@dataclass
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str


Esisyncd = Callable[..., Ran]


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A folder whose path is short enough for a Unix socket."""
    folder = Path(tempfile.mkdtemp(prefix="esi", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def esisyncd(
    data_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Esisyncd:
    """Run a command line against data_dir and return what it did."""
    monkeypatch.setenv("ESISYNCD_CONFIG", str(data_dir / "config.toml"))
    (data_dir / "config.toml").write_text(f'data_dir = "{data_dir}"\n')
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def daemon(data_dir: Path) -> Iterator[FakeSupervisor]:
    """A supervisor that answers on data_dir's control socket."""
    with FakeSupervisor(data_dir / "control.sock") as fake:
        yield fake
