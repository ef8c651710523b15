"""`python -P -m supervisor` as the front door starts it: what it reads, and what it refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.process.daemon import client_of
from tests.processes import WITHIN_S, eventually, open_files

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="x", dir="/tmp", ignore_cleanup_errors=True) as name:
        yield Path(name)


def run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "supervisor", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder), **environ},
    )


@pytest.mark.parametrize(
    ("arguments", "environ", "said"),
    [
        (["--set", "esi.contcat=x"], {}, "unknown key esi.contcat (in flag); did you mean"),
        (["--set", "nonsense"], {}, "--set nonsense: write it as section.key=value"),
        (["--config", "none.toml"], {}, "none.toml: there is no such configuration file"),
        ([], {"ESISYNCD_ENGINE_WORKERS": "99"}, "engine.workers: must be 1 to 32, not 99"),
        ([], {}, "esi.contact is empty"),
    ],
)
def test_mistakes_are_told_in_two_lines_with_exit_code_78(
    folder: Path, arguments: list[str], environ: dict[str, str], said: str
) -> None:
    ended = run(folder, *arguments, **environ)
    assert ended.returncode == 78
    assert said in ended.stderr
    assert ended.stderr.startswith("esisyncd: ")
    assert len(ended.stderr.splitlines()) <= 2


@pytest.mark.parametrize(
    "line", ['data_dir = "/nowhere/é"', '[store]\nurl = "sqlite:////nowhere/é.db"']
)
def test_path_that_the_locale_has_no_letters_for_is_refused(folder: Path, line: str) -> None:
    (folder / "x.toml").write_text(f"{line}\n", "utf-8")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = run(folder, "--config", "x.toml", **ascii_only)
    assert ended.returncode == 78
    assert "names no file in this locale (ascii); set LC_ALL=C.UTF-8" in ended.stderr
    assert len(ended.stderr.splitlines()) <= 2


def test_too_few_open_files_are_refused_with_the_remedy(folder: Path) -> None:
    command = f'ulimit -n 100; exec "{sys.executable}" -P -m supervisor'
    ended = subprocess.run(
        ["sh", "-c", command],
        check=False,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder)},
    )
    assert ended.returncode == 78
    assert "100 open files are allowed" in ended.stderr
    assert "ulimit -n" in ended.stderr


def test_folder_of_the_user_is_not_imported(folder: Path) -> None:
    for name in ("ipc", "supervisor", "engine", "jobs"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise SystemExit('planted')")
    ended = run(folder)
    assert "planted" not in ended.stderr
    assert ended.returncode == 78


@pytest.mark.parametrize("program", ["-m supervisor", "-m cli"])
def test_closed_standard_streams_do_not_become_the_lock(folder: Path, program: str) -> None:
    # The shell closes what the daemon then must find open.
    options = f"--set data_dir={folder}/d --set esi.base_url=http://127.0.0.1:1"
    words = f"{program} {options}" if program == "-m supervisor" else f"{program} {options} run"
    command = f"exec {sys.executable} -P {words} 0<&- 1>&- 2>&-"
    process = subprocess.Popen(
        ["sh", "-c", command],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder)},
        start_new_session=True,
    )
    try:
        lock = folder / "d" / "esisyncd.lock"
        eventually("lock", lambda: lock.exists() and lock.read_text() == f"{process.pid}\n")
        files = open_files(process.pid)
        assert [files[number] for number in (0, 1, 2)] == ["/dev/null"] * 3
        process.send_signal(signal.SIGTERM)
        assert process.wait(WITHIN_S) == 0
    finally:
        process.kill()
        process.wait()


def test_a_daemon_whose_current_folder_was_removed_starts_its_scheduler(folder: Path) -> None:
    lost = folder / "lost"
    lost.mkdir()
    command = (
        f"rmdir {lost}; exec {sys.executable} -P -m supervisor --set data_dir={folder}/d"
        " --set esi.base_url=http://127.0.0.1:1"
    )
    process = subprocess.Popen(
        ["sh", "-c", command],
        cwd=lost,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder)},
        start_new_session=True,
    )
    try:
        with closing(client_of(folder / "d" / "control.sock")) as client:
            eventually("a scheduler", lambda: client.status().scheduler_state == "running")
        process.send_signal(signal.SIGTERM)
        assert process.wait(WITHIN_S) == 0
    finally:
        process.kill()
        process.wait()
