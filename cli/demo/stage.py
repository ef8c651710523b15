"""Where the demo plays: a simulated EVE, and the settings of a daemon that mirrors all of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import msgspec

from cli.credential_lines import parse_lines
from cli.credentials import save_credentials
from cli.demo.universe import NotThere, Universe
from ipc.settings import (
    Engine,
    Esi,
    Images,
    MarketWatch,
    Settings,
    Sso,
    Timings,
    Zkillboard,
)
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.catalog import Catalog, load
from simulator.config import SimulatorConfig
from simulator.process import SimulatedEve, SimulatorFailed

# Two of four regions, structures that are open to all and to some, some trade.
WATCHED = MarketWatch(
    regions=(10_000_002, 10_000_043),
    structures=(1_036_000_000_002, 1_036_000_000_003),
    types=((10_000_002, 34), (10_000_002, 44992), (10_000_032, 34)),
)
# The folder holds a Unix socket, whose path has at most 107 bytes.
_MAX_FOLDER_BYTES = 80
# What the simulator says of a token that a line to be imported has as well.
_IMPORTED = (
    "character_id",
    "refresh_token",
    "scopes",
    "access_token",
    "expires_at",
    "corporations",
)


@dataclass
class Stage:
    """A simulated EVE and the settings of a daemon that mirrors it, in a folder of their own."""

    eve: SimulatedEve
    folder: Path
    settings: Settings
    tokens: list[dict[str, Any]] = field(default_factory=list)

    @property
    def database(self) -> Path:
        """Return the database's file."""
        return self.folder / "esisyncd.db"

    def universe(self) -> Universe:
        """Return the universe as the check asks it."""
        model = _EveModel(self.eve)
        corporations = sorted({one for token in self.tokens for one in token["corporations"]})
        profiles = [model.model("corporation.profile", one) for one in corporations]
        return Universe(
            model,
            tuple(token["character_id"] for token in self.tokens),
            tuple(corporations),
            self.settings.market_watch,
            tuple(sorted({one["alliance_id"] for one in profiles if "alliance_id" in one})),
        )


class _EveModel:
    """The model of a simulated EVE, with an error type of the check's own."""

    def __init__(self, eve: SimulatedEve) -> None:
        self._eve = eve

    def model(
        self, section: str, subject: int | None = None, *, division: int | None = None
    ) -> Any:
        """Return a section; NotThere if there is none."""
        try:
            return self._eve.model(section, subject, division=division)
        except SimulatorFailed as error:
            if isinstance(error.__cause__, HTTPError) and error.__cause__.code == 404:
                raise NotThere(section) from error
            raise


def make_folder() -> Path:
    """Make the demo's folder; in /tmp where the usual place has too long a name for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="esisyncd-demo-"))
    if len(bytes(folder)) > _MAX_FOLDER_BYTES:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="esisyncd-demo-", dir="/tmp"))
    return folder


def demo_settings(eve: SimulatedEve, folder: Path, seconds: float) -> Settings:
    """Return the settings: as a user's, but for addresses, short intervals and no coalescing."""
    # Long demos are to stay within the rate limits, as a real daemon does.
    often_s = min(300, max(3, int(seconds / 6)))
    kinds = load(Settings(data_dir="").kind_packages)
    return Settings(
        data_dir=str(folder),
        esi=Esi(base_url=eve.urls.esi, contact="the demo"),
        sso=Sso(base_url=eve.urls.sso, client_id=SimulatorConfig().client_id),
        images=Images(base_url=eve.urls.images),
        zkillboard=Zkillboard(base_url=eve.urls.zkillboard),
        market_watch=WATCHED,
        engine=Engine(),
        # What is off by default has something to show as well.
        features=dict.fromkeys(kinds.features(), True),
        intervals=dict.fromkeys(kinds, often_s),
        timings=Timings(heartbeat_s=0.25, trigger_coalesce_s=0.0, zkillboard_pace_s=0.02),
    )


def prepare(eve: SimulatedEve, folder: Path, seconds: float) -> Stage:
    """Import every simulated character, as `credential import` does."""
    stage = Stage(eve, folder, demo_settings(eve, folder, seconds))
    stage.tokens = [dict(token) for token in eve.tokens(access=True)]
    save_credentials(stage.settings, parse_lines(lines_of(stage.tokens)))
    return stage


def lines_of(tokens: Iterable[Mapping[str, Any]]) -> list[bytes]:
    """Return what the simulator says of tokens as `credential import` reads it."""
    return [msgspec.json.encode({name: token[name] for name in _IMPORTED}) for token in tokens]


def expected_jobs(catalog: Catalog, stage: Stage) -> set[JobKey]:
    """Return the jobs that the imported credentials should lead to."""
    universe = stage.universe()
    subjects = [
        GLOBAL,
        *(Subject(SubjectType.CHARACTER, one) for one in universe.character_ids),
        *(Subject(SubjectType.CORPORATION, one) for one in universe.corporation_ids),
        *(Subject(SubjectType.ALLIANCE, one) for one in universe.alliance_ids),
    ]
    on = {**catalog.features(), **stage.settings.features}
    return {
        JobKey(kind.name, subject)
        for subject in subjects
        for kind in catalog.of(subject.type)
        if kind.is_on(on)
    }
