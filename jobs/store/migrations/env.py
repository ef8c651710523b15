"""What Alembic executes to run or to generate a revision, on a connection handed to it."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context

from jobs.store.revisions import VERSION_TABLE
from jobs.store.schema import metadata
from jobs.store.schema.types import Isk, UtcTime


def _render_item(type_: str, item: Any, autogen: Any) -> str | Literal[False]:
    """Write the store's own column types as they are written in the schema."""
    if type_ == "type" and isinstance(item, Isk | UtcTime):
        autogen.imports.add(f"from jobs.store.schema.types import {type(item).__name__}")
        return f"{type(item).__name__}()"
    return False


def _tell(step: Any) -> None:
    """Report a revision that was applied."""
    context.config.attributes["report"](f"applied {step.up_revision_id}: {step.up_revision.doc}")


# The transaction around it is the caller's: all revisions are applied, or none.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    # SQLite cannot alter most of a table in place: it is copied.
    render_as_batch=True,
    render_item=_render_item,
    on_version_apply=lambda ctx, step, heads, run_args: _tell(step),  # noqa: ARG005 - their names
)
context.run_migrations()
