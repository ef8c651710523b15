"""The simulated EVE that all peers ask, its characters' logins, and an empty mirror for them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from bench.scheduler import ROOT
from cli.credential_lines import parse_lines
from cli.credentials import save_credentials
from cli.demo.stage import lines_of
from ipc.settings import Engine, Esi, Images, Settings, Sso, Timings
from simulator.config import SimulatorConfig
from simulator.process import SimulatedEve


@contextlib.contextmanager
def running_eve(characters: int, latency_s: float) -> Iterator[SimulatedEve]:
    """Start a simulated EVE whose universe stands still, without limits of its own."""
    arguments = ("--characters", str(characters), "--latency", str(latency_s), "--no-rate-limits")
    with SimulatedEve(*arguments, boot_s=120.0) as eve:
        eve.freeze()
        yield eve


def settings_for(eve: SimulatedEve, folder: Path, engine: Engine) -> Settings:
    """Return settings as a user's, for the kinds of the product."""
    return Settings(
        data_dir=str(folder),
        esi=Esi(base_url=eve.urls.esi, contact="bench.sync"),
        sso=Sso(base_url=eve.urls.sso, client_id=SimulatorConfig().client_id),
        images=Images(base_url=eve.urls.images),
        engine=engine,
        # As for all benchmarks: not the pace that ESI is spared with after a start.
        timings=Timings(heartbeat_s=0.25, trigger_coalesce_s=0.0, ramp_per_s=0.0),
        extra_path=str(ROOT),
        log_level="error",
    )


def log_in(eve: SimulatedEve, settings: Settings) -> list[dict[str, object]]:
    """Import a login of every character into an empty database; return their tokens."""
    tokens = [dict(token) for token in eve.tokens(access=True)]
    save_credentials(settings, parse_lines(lines_of(tokens)))
    return tokens


def asked(eve: SimulatedEve) -> tuple[int, int]:
    """Return how many requests ESI and the image server had, and how many at most at once."""
    report = eve.requests()
    return cast("int", report["total"]), cast("int", report["most_in_flight"])
