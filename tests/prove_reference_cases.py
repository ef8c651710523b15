"""Proves tests/reference_cases.toml: each named test is green, and each edit turns its test red.

Edits are made in copies of the tree, never in the tree itself. Run from anywhere:

    python tests/prove_reference_cases.py [--only WORD] [--jobs 2]
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CASES_FILE = ROOT / "tests" / "reference_cases.toml"
HOW_MANY = 64
# pytest's exit code for failed tests; others mean that nothing was proved.
RED = 1
RUN_LIMIT_S = 900.0
ALL_LIMIT_S = 2400.0
# Seconds that a test waits in vain for what its edit prevents.
RED_WITHIN_S = "8"
_NOT_COPIED = (".git", ".tox", ".venv", "__pycache__", ".*_cache", "*.egg-info", "*.db")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to one file, which must break what the case is about."""

    file: str
    old: str
    new: str

    def fault(self) -> str | None:
        """Return why it cannot be applied to the tree, or None."""
        path = ROOT / self.file
        if not path.is_file():
            return f"{self.file} does not exist"
        found = path.read_text("utf-8").count(self.old)
        return None if found == 1 else f"the old text is found {found} times in {self.file}"


@dataclass(frozen=True, slots=True)
class Case:
    """One case: a test and the edit that turns it red, or why it cannot apply here."""

    name: str
    behaviour: str
    test: str = ""
    edit: Edit | None = None
    cannot_apply: str = ""

    @classmethod
    def of(cls, table: dict[str, Any]) -> Case:
        """Return a case as its table in the file says."""
        edit = Edit(table["file"], table["old"], table["new"]) if "file" in table else None
        return cls(
            table["name"],
            table["behaviour"],
            table.get("test", ""),
            edit,
            table.get("cannot_apply", ""),
        )

    def fault(self) -> str | None:
        """Return what is wrong with the case itself, or None."""
        if self.cannot_apply:
            return "has a test and a reason to have none" if self.test or self.edit else None
        if not self.test or self.edit is None:
            return "has neither a test with an edit nor a reason to have none"
        if self.edit.old == self.edit.new:
            return "its edit changes nothing"
        return self.edit.fault()


def load(path: Path = CASES_FILE) -> tuple[list[str], list[Case]]:
    """Return the names that must be there, and the cases that are."""
    content = tomllib.loads(path.read_text("utf-8"))
    return content["names"], [Case.of(table) for table in content["case"]]


def faults_of_file(names: Sequence[str], cases: Sequence[Case]) -> list[str]:
    """Return what is wrong before anything is run."""
    counts = Counter(case.name for case in cases)
    faults = [f"{name}: missing" for name in names if not counts[name]]
    faults += [f"{name}: unknown" for name in counts if name not in names]
    faults += [f"{name}: there {count} times" for name, count in counts.items() if count > 1]
    if len(set(names)) != HOW_MANY:
        faults.append(f"{len(set(names))} names, but there are {HOW_MANY}")
    return faults + [f"{case.name}: {fault}" for case in cases if (fault := case.fault())]


def copy_tree(folder: Path) -> Path:
    """Return a fresh copy of the tree, without what tools left in it."""
    return Path(
        shutil.copytree(
            ROOT, folder, ignore=shutil.ignore_patterns(*_NOT_COPIED), ignore_dangling_symlinks=True
        )
    )


def run_tests(
    tree: Path, *options: str, limit_s: float = RUN_LIMIT_S, **variables: str
) -> tuple[int, str]:
    """Run pytest in a copy, with the copy's own code; return its exit code and what it said."""
    # Compiled once for each tree, which halves the time; an edit changes a file's time.
    own = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""}
    environment = {**os.environ, **own, **variables}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, f"took longer than {limit_s:.0f} s"
    return done.returncode, done.stdout + done.stderr


def prove_green(tree: Path, tests: Sequence[str]) -> list[str]:
    """Run all tests without an edit; return what is not green."""
    if not tests:
        return []
    report = tree / "green.xml"
    code, said = run_tests(tree, f"--junitxml={report}", *tests, limit_s=ALL_LIMIT_S)
    if code != 0:
        return [f"not green without any edit (pytest ended {code}):\n{said[-3000:]}"]
    suite = ET.parse(report).getroot().find("testsuite")  # noqa: S314 - our own report
    assert suite is not None
    counts = {word: int(suite.get(word, "0")) for word in ("tests", "skipped")}
    if counts["skipped"] or counts["tests"] < len(tests):
        return [f"{len(tests)} tests are named, but {counts} were run"]
    return []


def prove_red(case: Case, tree: Path) -> str | None:
    """Apply a case's edit to a copy, run its test, take the edit back; return what is wrong."""
    assert case.edit is not None
    path = tree / case.edit.file
    before = path.read_text("utf-8")
    path.write_text(before.replace(case.edit.old, case.edit.new), "utf-8")
    try:
        code, said = run_tests(tree, "-x", case.test, REFERENCE_WITHIN_S=RED_WITHIN_S)
    finally:
        path.write_text(before, "utf-8")
    if code == RED:
        return None
    what = "stays green under its edit" if code == 0 else f"proves nothing (pytest ended {code})"
    return f"{case.name}: {case.test} {what}\n{said[-2000:]}"


def prove(cases: Sequence[Case], jobs: int) -> list[str]:
    """Run everything; return what is wrong."""
    with tempfile.TemporaryDirectory(prefix="cases-") as folder:
        trees = [copy_tree(Path(folder) / str(number)) for number in range(jobs)]
        tests = sorted({case.test for case in cases})
        with ThreadPoolExecutor(jobs) as pool:
            shares = [tests[number::jobs] for number in range(jobs)]
            faults = list(chain.from_iterable(pool.map(prove_green, trees, shares)))
        if faults:
            return faults
        free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for tree in trees:
            free.put(tree)

        def one(case: Case) -> str | None:
            tree = free.get()
            began_s = time.monotonic()
            try:
                return prove_red(case, tree)
            finally:
                free.put(tree)
                sys.stderr.write(f"{time.monotonic() - began_s:5.1f} s  {case.name}\n")

        with ThreadPoolExecutor(jobs) as pool:
            return [fault for fault in pool.map(one, cases) if fault]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove the file; 1 if anything in it does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs at a time")
    options = parser.parse_args(arguments)
    began_s = time.monotonic()
    names, cases = load()
    faults = faults_of_file(names, cases)
    chosen = [case for case in cases if case.edit is not None and options.only in case.name]
    if not chosen:
        faults.append(f"no case with an edit is named like {options.only!r}")
    if not faults:
        faults = prove(chosen, options.jobs)
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(
        f"{len(chosen)} edits, {len(cases) - len([c for c in cases if c.edit])} cases that cannot "
        f"apply, {len(faults)} faults, {time.monotonic() - began_s:.0f} s\n"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
