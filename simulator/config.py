"""Everything that can be chosen about a simulated EVE before it starts."""

from __future__ import annotations

import msgspec


class SimulatorConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one simulated EVE; the defaults behave as the real one does."""

    host: str = "127.0.0.1"
    port: int = 0
    characters: int = 5
    seed: int = 1
    start: str | None = None
    """ISO time at which the universe's clock starts; the present when absent."""
    speed: float = 1.0
    """Universe seconds for each second that passes."""
    cache_scale: float = 1.0
    """Factor on every cache age; 0 makes each answer show the present."""
    window_scale: float = 1.0
    """Factor on the windows of the rate limits, told as such: a fast universe wants short ones."""
    page_size: int = 1000
    mail_page: int = 50
    transaction_page: int = 2500
    latency_s: float = 0.0
    rate_limits: bool = True
    error_limit: bool = True
    rotate_refresh: bool = True
    single_use_refresh: bool = False
    """True: a refresh token dies with its first use, as the strictest servers do it."""
    access_token_s: int = 1200
    client_id: str = "simulated-client"
    scopes: tuple[str, ...] | None = None
    """Scopes of the first grant of each character; all of the contract's when absent."""
