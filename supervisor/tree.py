"""The process tree below this process, as /proc shows it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Node:
    """One process: how deep below us, its name, kernel state and resident memory."""

    depth: int
    pid: int
    name: str
    state: str
    rss_kb: int

    def __str__(self) -> str:
        """Return a line of the tree."""
        return f"{'  ' * self.depth}{self.pid} {self.name} {self.state} {self.rss_kb} kB"


def process_tree(proc: Path = Path("/proc")) -> list[Node]:
    """Return this process and all below it, parents first."""
    page_kb = os.sysconf("SC_PAGE_SIZE") // 1024
    below: dict[int, list[tuple[int, str, str, int]]] = {}
    own = (os.getpid(), "", "?", 0)
    for folder in proc.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            stat = (folder / "stat").read_text("utf-8", "replace")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        # The name stands in brackets and may hold any character.
        head, _, rest = stat.rpartition(")")
        words = rest.split()
        pid = int(folder.name)
        entry = (pid, head.partition("(")[2], words[0], int(words[21]) * page_kb)
        below.setdefault(int(words[1]), []).append(entry)
        if pid == own[0]:
            own = entry
    nodes: list[Node] = []
    stack = [(0, own)]
    while stack:
        depth, entry = stack.pop()
        nodes.append(Node(depth, *entry))
        stack += [(depth + 1, child) for child in sorted(below.get(entry[0], []), reverse=True)]
    return nodes
