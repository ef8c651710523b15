"""Every document is found from the README, and what a document links to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md")]
_LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def linked_from(document: Path) -> set[Path]:
    """Return the files that a document links to."""
    text = re.sub(r"```.*?```", "", document.read_text("utf-8"), flags=re.DOTALL)
    targets = (target for target in _LINK.findall(text) if "://" not in target)
    return {(document.parent / target).resolve() for target in targets}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    assert [str(target) for target in linked_from(document) if not target.exists()] == []


def test_the_readme_lists_every_document() -> None:
    assert sorted(set(DOCUMENTS) - {README} - linked_from(README)) == []
