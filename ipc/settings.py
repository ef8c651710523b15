"""The settings of the whole daemon, as one frozen value that crosses process borders as bytes.

Loading from file, environment and flags is in ipc.config.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

COMPATIBILITY_DATE = "2026-06-09"
REAL_ESI = "https://esi.evetech.net"
# Of a Unix socket's path: of the kernel's 108 bytes one ends the string.
MAX_SOCKET_PATH_BYTES = 107


class Store(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the mirror lives."""

    # SQLAlchemy URL; empty: SQLite in data_dir.
    url: str = ""


class Esi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How ESI is reached."""

    base_url: str = REAL_ESI
    # The operator's mail address or character name, sent in User-Agent.
    contact: str = ""
    compatibility_date: str = COMPATIBILITY_DATE

    @property
    def is_real(self) -> bool:
        """Tell whether it is CCP's own, which goes down once a day; a simulated one does not."""
        host = urlsplit(self.base_url).hostname or ""
        return host == "evetech.net" or host.endswith(".evetech.net")


class Sso(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How EVE's single sign-on is reached; its metadata is at a well-known path below base_url."""

    base_url: str = "https://login.eveonline.com"
    client_id: str = ""
    callback_url: str = "http://localhost:8642/callback"


class Images(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where portraits and logos come from."""

    base_url: str = "https://images.evetech.net"


class Zkillboard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the values of killmails come from."""

    base_url: str = "https://zkillboard.com"


class MarketWatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which markets are watched; none but those named."""

    # Their orders, and their public contracts.
    regions: tuple[int, ...] = ()
    structures: tuple[int, ...] = ()
    # Region and type, for the history of trade.
    types: tuple[tuple[int, int], ...] = ()


class Control(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The control socket of the supervisor."""

    # Empty: control.sock in data_dir.
    socket: str = ""


class Engine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many jobs run at once."""

    workers: int = 4
    jobs_per_worker: int = 8


class Timings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Durations of supervision in seconds; tests shorten them, no file or flag sets them."""

    heartbeat_s: float = 1.0
    hung_after_s: float = 15.0
    boot_deadline_s: float = 30.0
    worker_grace_s: float = 20.0
    scheduler_grace_s: float = 25.0
    supervisor_grace_s: float = 30.0
    healthy_after_s: float = 60.0
    parked_retry_s: float = 900.0
    job_deadline_s: float = 120.0
    # A cancelled job that has not ended after this costs its worker's life.
    cancel_grace_s: float = 5.0
    drain_interval_s: float = 5.0
    discovery_interval_s: float = 30.0
    trigger_coalesce_s: float = 60.0
    # After a standstill never more jobs a second, as long as some are left of it; 0: no bound, then
    # or later.
    ramp_per_s: float = 150.0
    zkillboard_pace_s: float = 1.0


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything the daemon can be told."""

    data_dir: str
    store: Store = Store()
    esi: Esi = Esi()
    sso: Sso = Sso()
    images: Images = Images()
    zkillboard: Zkillboard = Zkillboard()
    market_watch: MarketWatch = MarketWatch()
    control: Control = Control()
    engine: Engine = Engine()
    # Feature name -> on or off; what is not named has its default from the catalogue.
    features: dict[str, bool] = {}
    # Kind name -> seconds between runs; what is not named has its default from the catalogue.
    intervals: dict[str, int] = {}
    # Kind or feature name -> days that its past is kept; what is not named is kept for ever.
    retention: dict[str, int] = {}
    # `profile` in [intervals]: as the catalogue has them, or as soon as data can have changed.
    profile: Literal["standard", "eager"] = "standard"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    timings: Timings = Timings()
    # The file that was read, if any; neither it nor anything else can set this.
    config_path: str = ""
    # Packages walked for kinds; tests and benchmarks bring their own, no file or flag sets it.
    kind_packages: tuple[str, ...] = ("jobs.kinds",)
    # Directory a process puts on sys.path before it loads kind_packages; tests only.
    extra_path: str = ""

    @property
    def database_url(self) -> str:
        """Return the SQLAlchemy URL of the store."""
        return self.store.url or f"sqlite:///{Path(self.data_dir) / 'esisyncd.db'}"

    @property
    def socket_path(self) -> Path:
        """Return the path of the control socket."""
        return Path(self.control.socket or Path(self.data_dir) / "control.sock")

    @property
    def image_dir(self) -> Path:
        """Return the folder of portraits and logos."""
        return Path(self.data_dir) / "images"


def encode_settings(settings: Settings) -> bytes:
    """Return settings as bytes for a child process."""
    return msgspec.msgpack.encode(settings)


def decode_settings(data: bytes) -> Settings:
    """Return the settings that a parent encoded; msgspec.ValidationError if they are none."""
    return msgspec.msgpack.decode(data, type=Settings)
