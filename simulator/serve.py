"""Starting a simulated EVE inside a running event loop."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from types import TracebackType

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa

from simulator.clock import SimulatedClock, parse_iso
from simulator.config import SimulatorConfig
from simulator.control import Control
from simulator.errors import CannotListen
from simulator.esi import Esi
from simulator.faults import FaultBook
from simulator.images import Images
from simulator.server import FrontDoor, Services
from simulator.sso import Sso
from simulator.tokens import TokenOffice
from simulator.traffic import Traffic
from simulator.universe.world import World
from simulator.zkillboard import Zkillboard

# asyncio needs two from an accepted connection to the protocol that owns it.
_TURNS_TO_ACCEPT = 3


@dataclass(frozen=True, slots=True)
class BaseUrls:
    """Where the services of a simulated EVE are."""

    esi: str
    sso: str
    images: str
    zkillboard: str
    control: str


class RunningEve:
    """A simulated EVE that answers; an async context manager that stops it at its end."""

    def __init__(self, urls: BaseUrls, services: Services, runner: web.ServerRunner) -> None:
        self.urls = urls
        self.services = services
        self._runner = runner

    async def stop(self) -> None:
        """Close the port and all connections."""
        for site in list(self._runner.sites):
            await site.stop()
        # One that was accepted just now is known to the server some turns of the loop later.
        for _ in range(_TURNS_TO_ACCEPT):
            await asyncio.sleep(0)
        await self._runner.cleanup()

    async def __aenter__(self) -> RunningEve:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()


def build(
    config: SimulatorConfig,
    clock: SimulatedClock | None = None,
    key: rsa.RSAPrivateKey | None = None,
) -> Services:
    """Put the parts of a simulated EVE together, without a port."""
    if clock is None:
        start_s = None if config.start is None else parse_iso(config.start)
        clock = SimulatedClock(start_s=start_s, speed=config.speed)
    world = World(config, clock.start_s)
    office = TokenOffice(
        world.people,
        clock,
        lifetime_s=config.access_token_s,
        rotate=config.rotate_refresh,
        single_use=config.single_use_refresh,
        key=key,
    )
    traffic, faults = Traffic(), FaultBook()
    esi = Esi(world, clock, office, traffic, config)
    sso = Sso(office, world.people, clock, config)
    control = Control(esi, sso, clock, traffic, faults, latency_s=config.latency_s)
    zkillboard = Zkillboard(world)
    return Services(esi, sso, Images(world), zkillboard, control, faults, traffic, clock)


async def start(config: SimulatorConfig, clock: SimulatedClock | None = None) -> RunningEve:
    """Start a simulated EVE on loopback and return it once it answers."""
    services = build(config, clock)
    server = web.Server(FrontDoor(services).handle, access_log=None)
    runner = web.ServerRunner(server, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, config.host, config.port)
    try:
        await site.start()
    except OSError as error:
        await runner.cleanup()
        number = error.errno or 0
        # Those of the resolver are negative.
        why = os.strerror(number) if number > 0 else error.strerror
        raise CannotListen(f"cannot listen on {config.host}:{config.port}: {why}") from error
    port = runner.addresses[0][1]
    base = f"http://{config.host}:{port}"
    urls = BaseUrls(
        esi=f"{base}/esi",
        sso=f"{base}/sso",
        images=f"{base}/images",
        zkillboard=f"{base}/zkillboard",
        control=f"{base}/control",
    )
    services.esi.world.images_url = urls.images
    services.sso.base_url = urls.sso
    services.sso.office.issuer = urls.sso
    return RunningEve(urls, services, runner)
