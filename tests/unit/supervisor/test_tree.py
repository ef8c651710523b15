"""The process tree, from an invented /proc."""

from __future__ import annotations

import os
from pathlib import Path

from supervisor.tree import process_tree


def add(proc: Path, pid: int, name: str, parent: int) -> None:
    (proc / str(pid)).mkdir()
    rest = " ".join(["0"] * 19)
    (proc / str(pid) / "stat").write_text(f"{pid} ({name}) S {parent} {rest} 25 0")


def test_parents_first_and_odd_names(tmp_path: Path) -> None:
    me = os.getpid()
    add(tmp_path, me, "esisyncd", 1)
    add(tmp_path, 11, "scheduler) R 1 (", me)
    add(tmp_path, 12, "worker-1", 11)
    add(tmp_path, 10, "tracker", me)
    add(tmp_path, 13, "stranger", 1)
    (tmp_path / "14").mkdir()
    (tmp_path / "self").mkdir()
    nodes = process_tree(tmp_path)
    assert [(node.depth, node.pid, node.name) for node in nodes] == [
        (0, me, "esisyncd"),
        (1, 10, "tracker"),
        (1, 11, "scheduler) R 1 ("),
        (2, 12, "worker-1"),
    ]
    page_kb = os.sysconf("SC_PAGE_SIZE") // 1024
    assert str(nodes[-1]) == f"    12 worker-1 S {25 * page_kb} kB"
