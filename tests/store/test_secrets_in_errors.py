"""The text of a failed statement is shown to people, so it holds none of its values."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, insert
from sqlalchemy.exc import IntegrityError

from ipc.clock import SystemClock
from jobs.store.database import Database
from jobs.store.schema.core import credential


def test_a_failed_statement_shows_no_token(database: Database) -> None:
    now = SystemClock().now()

    def twice(connection: Connection) -> None:
        for _ in range(2):
            connection.execute(
                insert(credential).values(
                    character_id=1,
                    client_id="x",
                    scopes="",
                    refresh_token="s3cret-token",
                    generation=1,
                    created_at=now,
                    updated_at=now,
                )
            )

    with pytest.raises(IntegrityError) as caught:
        database.write_now(twice)
    assert "credential" in str(caught.value)
    assert "s3cret" not in str(caught.value)
