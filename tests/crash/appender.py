"""A program that asks for a mail and can be killed at it: python -m tests.crash.appender URL."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

from ipc.clock import SystemClock
from jobs.store.database import Database
from jobs.writes.mail import Recipient, Send
from jobs.writes.want import want
from tests.crash.failpoints import ANY, here
from tests.daemon.house import character


def main(url: str, sender: int, to: int, subject: str) -> None:
    """Ask for a mail, passing the points on the way."""

    def append(connection: Any, now: datetime) -> int:
        mail = Send((Recipient(to, "character"),), subject, "once")
        row_id = want(connection, character(sender), "mail.send", mail, now)
        here("append.written", ANY)
        return row_id

    now = SystemClock().now()
    Database(url).write_now(lambda connection: append(connection, now), durable=True)
    here("append.committed", ANY)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
