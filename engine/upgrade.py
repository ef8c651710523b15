"""Upgrading the schema in a process of its own, which takes as long as it takes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket

from ipc.channel import Channel, ChannelClosed
from ipc.child import Child, ForkServer
from ipc.codec import ProtocolError
from ipc.exits import Exit
from ipc.logs import set_up_logging
from ipc.messages import PROTOCOL_VERSION, BootFailed, FromWorker, ToWorker, Welcome
from ipc.settings import decode_settings
from jobs.store import upgrade as schema
from jobs.store.errors import StoreError, StoreUnavailable

_log = logging.getLogger(__name__)

ENTRY = "engine.upgrade:main"


class UpgradeFailed(Exception):
    """The schema is not this version's, and why."""


class UpgradeCut(StoreUnavailable):
    """The process that upgraded the schema was killed; trying again may help."""


async def upgrade(forkserver: ForkServer, encoded_settings: bytes) -> None:
    """Bring the database to this version's schema.

    UpgradeFailed when only a person can help, StoreUnavailable when trying again may, and of these
    UpgradeCut when it was killed.
    """
    child = await forkserver.start_child(ENTRY, "upgrade")
    reasons: list[BootFailed] = []
    channel: Channel[FromWorker] = await Channel.open(
        child.sock,
        FromWorker,
        lambda messages: reasons.extend(m for m in messages if isinstance(m, BootFailed)),
        lambda _error: None,
    )
    try:
        with contextlib.suppress(ChannelClosed):
            channel.send(Welcome(PROTOCOL_VERSION, 0, 0, encoded_settings))
        await _judge(child, channel, reasons)
    finally:
        channel.abort()
        child.close()


async def _judge(child: Child, channel: Channel[FromWorker], reasons: list[BootFailed]) -> None:
    ended = await child.wait()
    await channel.wait_closed()
    if ended.exit_code == Exit.OK:
        return
    if reasons and reasons[0].exit_code == Exit.FAILURE:
        raise StoreUnavailable(reasons[0].reason)
    if not reasons and ended.exit_code is None:
        raise UpgradeCut(f"the upgrade of the database was cut off: {ended.describe()}")
    why = reasons[0].reason if reasons else ended.describe()
    raise UpgradeFailed(f"the database could not be upgraded: {why}")


def main(sock: socket.socket) -> int:
    """Upgrade the database that the first message names."""
    return asyncio.run(_run(sock))


async def _run(sock: socket.socket) -> int:
    welcomed: asyncio.Future[Welcome] = asyncio.get_running_loop().create_future()

    def on_messages(messages: list[ToWorker]) -> None:
        for message in messages:
            if isinstance(message, Welcome) and not welcomed.done():
                welcomed.set_result(message)

    def on_closed(_error: ProtocolError | None) -> None:
        if not welcomed.done():
            welcomed.cancel()

    channel: Channel[ToWorker] = await Channel.open(sock, ToWorker, on_messages, on_closed)
    settings = decode_settings((await welcomed).settings)
    set_up_logging("upgrade", settings.log_level)
    code = Exit.OK
    try:
        # Nothing else runs in this process; the parent waits for its end.
        url = settings.database_url
        # What becomes of a database that holds something deserves a look.
        is_new = schema.status_of(url) is schema.Schema.EMPTY
        level = logging.INFO if is_new else logging.WARNING
        schema.upgrade_now(url, lambda step: _log.log(level, "%s", step))
    except StoreUnavailable as error:
        code = Exit.FAILURE
        channel.send(BootFailed(code, str(error)))
    except StoreError as error:
        code = Exit.CONFIG
        channel.send(BootFailed(code, str(error)))
    channel.close()
    await channel.wait_closed()
    return code
