"""SSO as the command line asks it: one session, closed at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ipc.clock import SystemClock

if TYPE_CHECKING:
    from ipc.settings import Settings
    from jobs.esi.sso import SsoClient
    from jobs.esi.transport import Transport


@asynccontextmanager
async def open_transport(settings: Settings) -> AsyncIterator[Transport]:
    """Open an HTTP session that names the operator as the daemon's does."""
    from jobs.esi.transport import Transport

    transport = Transport(settings.esi.contact)
    try:
        yield transport
    finally:
        await transport.close()


@asynccontextmanager
async def open_sso(settings: Settings) -> AsyncIterator[SsoClient]:
    """Open a client of the configured single sign-on."""
    from jobs.esi.sso import SsoClient

    async with open_transport(settings) as transport:
        yield SsoClient(settings.sso.base_url, settings.sso.client_id, transport, SystemClock())
