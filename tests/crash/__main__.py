"""The whole crash test with a report: python -m tests.crash [--kills 200] [--seed 1]."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from jobs.store import upgrade
from tests.crash.house import crash_house
from tests.crash.storm import storm
from tests.crash.walk import walk


def main() -> int:
    """Run it; 1 if a write was lost, made twice, or ended otherwise than it may."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="so many kills at random")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn at random")
    options = parser.parse_args()
    began_s = time.monotonic()

    def say(text: str) -> None:
        sys.stderr.write(f"{time.monotonic() - began_s:6.1f} s  {text}\n")

    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        template = Path(folder) / "empty.db"
        upgrade.prepare(f"sqlite:///{template}")
        with crash_house(template) as writer:
            told, wrong = walk(writer, say)
            sys.stdout.write("\n".join(told) + "\n")
            toll = storm(writer, options.kills, options.seed, say)
            sys.stdout.write(f"{toll.text()}\n")
    return 1 if wrong or toll.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
