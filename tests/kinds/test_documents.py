"""The pages on kinds and tables say what is declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs import catalog, document
from jobs.described import relations
from jobs.store.schema import metadata
from jobs.store.views.catalog import all_views

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", document.PAGES)
def test_a_page_is_fresh(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == document.PAGES[name](), "run python -m jobs.document"


def test_writing_is_done_once(tmp_path: Path) -> None:
    assert document.main(tmp_path) == len(document.PAGES)
    assert document.main(tmp_path) == 0
    (tmp_path / "kinds.md").write_text("changed")
    assert document.main(tmp_path) == 1


def test_every_table_view_and_column_is_there() -> None:
    page = document.schema_page(metadata)
    columns = {table.name: [c.name for c in table.columns] for table in metadata.tables.values()}
    columns |= {view.name: [f.name for f in view.fields] for view in all_views().values()}
    for relation, names in columns.items():
        _, _, section = page.partition(f"\n## {relation}\n")
        section = section.partition("\n## ")[0]
        assert all(f"{name}" in section for name in names), relation


def test_a_table_of_the_mirror_says_where_its_rows_come_from() -> None:
    known = relations(metadata, catalog.load(document.PACKAGES))
    silent = [
        one.name for one in known if one.type == "table" and not one.internal and not one.sources
    ]
    assert silent == []
