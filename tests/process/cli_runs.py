"""Command lines as real processes, against a simulated EVE in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.process import SimulatedEve
from tests.processes import WITHIN_S, eventually

ROOT = Path(__file__).resolve().parents[2]
# How long a command line may take; the longest mirrors all of two characters.
RUN_WITHIN_S = 300.0


@dataclass(frozen=True)
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return standard output as JSON."""
        return json.loads(self.out)


class Place:
    """A folder with a configuration, and command lines that use it."""

    def __init__(self, folder: Path, eve: SimulatedEve | None) -> None:
        self.folder = folder
        self.config = folder / "config.toml"
        self.database = folder / "data" / "esisyncd.db"
        self.env = {
            **{name: value for name, value in os.environ.items() if "ESISYNCD" not in name},
            "PYTHONPATH": str(ROOT),
            "ESISYNCD_CONFIG": str(self.config),
            "COLUMNS": "120",
            "PYTHONDEVMODE": "",
        }
        lines = [f'data_dir = "{folder / "data"}"']
        if eve is not None:
            lines += [
                "[esi]",
                f'base_url = "{eve.urls.esi}"',
                "[sso]",
                f'base_url = "{eve.urls.sso}"',
                'client_id = "simulated-client"',
                "[images]",
                f'base_url = "{eve.urls.images}"',
                "[engine]",
                "workers = 2",
            ]
        self.config.write_text("\n".join(lines) + "\n")

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of a call."""
        return [sys.executable, "-P", "-m", "cli", *arguments]

    def run(self, *arguments: str, stdin: str = "", within_s: float = RUN_WITHIN_S) -> Ran:
        """Run a command line to its end."""
        done = subprocess.run(
            self.command(*arguments),
            input=stdin,
            capture_output=True,
            text=True,
            env=self.env,
            timeout=within_s,
            check=False,
            cwd=self.folder,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def start(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Start a command line in a session of its own; nothing of it is left afterwards."""
        log = (self.folder / f"{arguments[0]}.log").open("w+")
        process = subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=self.env,
            cwd=self.folder,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(WITHIN_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            if process.stdout is not None:
                process.stdout.close()
            log.seek(0)
            # Shown by pytest where the test fails.
            sys.stdout.write(log.read())
            log.close()

    @contextmanager
    def daemon(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Run the daemon until it dispatches, for as long as the block lasts."""
        with self.start("run", *arguments) as process:
            eventually("the scheduler runs", lambda: self.scheduler_state() == "running")
            yield process

    def status(self, *arguments: str) -> Any:
        """Return the status document, or None where no daemon answers."""
        ran = self.run("status", "--json", *arguments)
        return ran.json() if ran.out else None

    def scheduler_state(self) -> str:
        """Return what the scheduler does."""
        status = self.status()
        return "" if status is None else status["daemon"]["scheduler_state"]

    def import_all(self, eve: SimulatedEve) -> Ran:
        """Import every simulated character."""
        names = ("character_id", "refresh_token", "scopes", "corporations")
        tokens = [{name: token[name] for name in names} for token in eve.tokens()]
        return self.run("credential", "import", stdin="\n".join(map(json.dumps, tokens)))


@contextmanager
def place(eve: SimulatedEve | None = None) -> Iterator[Place]:
    """Make a place, and remove it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="esicli", dir="/tmp"))
    try:
        yield Place(folder, eve)
    finally:
        # What is below a killed daemon dies with it, but not in the same moment.
        shutil.rmtree(folder, ignore_errors=True)
