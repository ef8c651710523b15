"""A house of jobs with an outbox: asks for writes, claims them, carries them out."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert, select

from ipc.messages import RunWrite, WriteDone
from jobs.store import claims, credentials, outbox_rows
from jobs.store.outbox_rows import OutboxRow
from jobs.store.schema.mail import mail, mail_label_link
from jobs.writes.execute import Attempt, run_write
from jobs.writes.registry import WRITES
from jobs.writes.want import want, want_all
from tests.unit.jobs.job_house import CHARACTER, START, TOKEN_LIFE, House

SCOPES = sorted(
    {scope for kind in WRITES.values() for scope in kind.scopes}
    | {"esi-mail.read_mail.v1", "esi-characters.read_contacts.v1"}
)


class Outbox:
    """A house with mail 7 (unread, labels 1 and 4), and its outbox."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.esi = house.esi
        self.clock = house.clock

    async def want(self, kind: str, payload: Any) -> int:
        now = self.clock.now()
        found: int = await self.house.write(lambda c: want(c, CHARACTER, kind, payload, now))
        return found

    async def claim(self) -> list[OutboxRow]:
        now, epoch = self.clock.now(), self.house.tools.epoch
        rows: list[OutboxRow] = await self.house.write(
            lambda c: claims.claim(c, claims.find_due(c, now, 16), now, epoch)
        )
        return rows

    async def send(self, *, in_doubt: bool = False, deadline_s: float = 60.0) -> WriteDone:
        """Claim the one row that is due, and carry it out."""
        (row,) = await self.claim()
        return await self.carry_out(row, in_doubt=in_doubt, deadline_s=deadline_s)

    async def carry_out(
        self, row: OutboxRow, *, in_doubt: bool = False, deadline_s: float = 60.0
    ) -> WriteDone:
        order = RunWrite(1, self.house.tools.epoch, row.id, row.revision, deadline_s, in_doubt)
        return await run_write(self.house.tools, order, Attempt())

    async def row(self, row_id: int = 1) -> OutboxRow:
        found = await self.house.tools.read(lambda c: outbox_rows.get(c, row_id))
        assert found is not None
        return found

    async def mail(self) -> tuple[bool | None, bool, list[int]]:
        """Return read mark, whether deleted, and labels of mail 7 in the mirror."""

        def query(connection: Connection) -> tuple[bool | None, bool, list[int]]:
            row = connection.execute(select(mail).where(mail.c.mail_id == 7)).one()
            labels = connection.scalars(
                select(mail_label_link.c.label_id).order_by(mail_label_link.c.label_id)
            )
            return row.is_read, row.deleted_at is not None, list(labels)

        return await self.house.tools.read(query)

    def sent(self) -> list[str]:
        return [name for name, *_ in self.esi.asked]

    def headers(self, *headers: dict[str, Any]) -> Any:
        """Return a page of mail headers."""
        return self.esi.good(list(headers))

    def header(self, mail_id: int = 50, **changes: Any) -> dict[str, Any]:
        """Return the header that LETTER has when it was sent now."""
        return {
            "mail_id": mail_id,
            "from": 9,
            "subject": "Hello",
            "timestamp": self.clock.now().isoformat(),
            "recipients": [
                {"recipient_id": 6, "recipient_type": "corporation"},
                {"recipient_id": 5, "recipient_type": "character"},
            ],
            "labels": [2],
        } | changes

    async def want_all(self, kind: str, payload: Any) -> list[int]:
        now = self.clock.now()
        found: list[int] = await self.house.write(
            lambda c: want_all(c, CHARACTER, kind, payload, now)
        )
        return found

    async def rows(self) -> list[OutboxRow]:
        return await self.house.tools.read(outbox_rows.list_rows)

    async def fill(self, table: Any, *rows: dict[str, Any]) -> None:
        """Put rows of character 9 into the mirror."""
        values = [{"character_id": 9, **row} for row in rows]
        await self.house.write(lambda c: c.execute(insert(table), values))


async def box_in(house: House) -> Outbox:
    """Return the outbox of a house whose character 9 may write everything."""

    def fill(connection: Connection) -> None:
        credentials.save_login(
            connection, 9, "client", SCOPES, "A0", "R0", START + TOKEN_LIFE, START
        )
        connection.execute(
            insert(mail).values(character_id=9, mail_id=7, subject="x", is_read=False)
        )
        links = [{"character_id": 9, "mail_id": 7, "label_id": each} for each in (1, 4)]
        connection.execute(insert(mail_label_link), links)

    await house.write(fill)
    return Outbox(house)
