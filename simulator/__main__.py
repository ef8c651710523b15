"""The simulated EVE as a process: `python -m simulator --port 0 --characters 5 --seed 1`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict

import msgspec

from simulator.clock import parse_iso
from simulator.config import SimulatorConfig
from simulator.errors import CannotListen
from simulator.serve import start

# When a universe can begin: EVE was there, and all that it holds has a date.
_FIRST_START, _LAST_START = "2004-01-01", "2999-01-01"


def _whole(least: int, most: int | None = None) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if number < least or (most is not None and number > most):
            upper = "" if most is None else f" and at most {most}"
            raise argparse.ArgumentTypeError(f"{number} is not at least {least}{upper}")
        return number

    # What argparse calls what is no number at all.
    read.__name__ = "number"
    return read


def _factor(*, zero: bool) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = float(text)
        if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
            wanted = "0 or more" if zero else "more than 0"
            raise argparse.ArgumentTypeError(f"{text} is not {wanted}")
        return number

    # What argparse calls what is no number at all.
    read.__name__ = "number"
    return read


def _start(text: str) -> str:
    try:
        good = parse_iso(_FIRST_START) <= parse_iso(text) <= parse_iso(_LAST_START)
    except (ValueError, OverflowError):
        good = False
    if not good:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no ISO time from {_FIRST_START} to {_LAST_START}, as 2026-11-30T12:00:00Z"
        )
    return text


# Option, what reads it, default, help.
_VALUES: tuple[tuple[str, Callable[[str], object], object, str], ...] = (
    ("--host", str, "127.0.0.1", "the address to listen on"),
    ("--port", _whole(0, 65_535), 0, "the port; 0 takes a free one"),
    ("--characters", _whole(1), 5, "how many characters there are"),
    ("--seed", int, 1, "which universe: the same seed and --start give the same one"),
    ("--speed", _factor(zero=False), 1.0, "universe seconds for each second"),
    (
        "--cache-scale",
        _factor(zero=True),
        1.0,
        "factor on all cache ages; 0: answers show the present",
    ),
    ("--window-scale", _factor(zero=False), 1.0, "factor on the windows of the rate limits"),
    ("--page-size", _whole(1), 1000, "rows a page"),
    ("--mail-page", _whole(1), 50, "mails a page"),
    ("--transaction-page", _whole(1), 2500, "wallet transactions a page"),
    ("--latency", _factor(zero=True), 0.0, "seconds that each answer takes"),
    ("--access-token-seconds", _whole(1), 1200, "how long an access token lives"),
    ("--client-id", str, "simulated-client", "the one application that the SSO knows"),
)
_SWITCHES = (
    ("--no-rate-limits", "answer however much is asked"),
    ("--no-error-limit", "forgive all failed requests"),
    ("--single-use-refresh", "a refresh token dies with its first use"),
    ("--until-stdin-closes", "end when standard input does, as with a parent"),
)


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog, description="A simulated EVE on loopback.")
    for name, kind, default, text in _VALUES:
        text = f"{text} (default: {default})"  # noqa: PLW2901 - what is shown
        metavar = name.rpartition("-")[2].upper()
        parser.add_argument(name, type=kind, default=default, help=text, metavar=metavar)
    parser.add_argument(
        "--start",
        type=_start,
        metavar="TIME",
        help="ISO time at which the universe's clock starts (default: the present)",
    )
    for name, text in _SWITCHES:
        parser.add_argument(name, action="store_true", help=text)
    return parser


def parse(argv: Sequence[str] | None, prog: str = "simulator") -> tuple[SimulatorConfig, bool]:
    """Read the arguments: the configuration, and whether the end of input ends the process."""
    args = _parser(prog).parse_args(argv)
    config = SimulatorConfig(
        host=args.host,
        port=args.port,
        characters=args.characters,
        seed=args.seed,
        start=args.start,
        speed=args.speed,
        cache_scale=args.cache_scale,
        window_scale=args.window_scale,
        page_size=args.page_size,
        mail_page=args.mail_page,
        transaction_page=args.transaction_page,
        latency_s=args.latency,
        rate_limits=not args.no_rate_limits,
        error_limit=not args.no_error_limit,
        single_use_refresh=args.single_use_refresh,
        access_token_s=args.access_token_seconds,
        client_id=args.client_id,
    )
    return config, args.until_stdin_closes


async def run(config: SimulatorConfig, *, until_stdin_closes: bool) -> None:
    """Serve until a signal comes or, where asked for, until standard input ends."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    watching = None
    if until_stdin_closes:
        watching = asyncio.create_task(_stdin_ends(stopped), name="watch stdin")
    async with await start(config) as eve:
        sys.stdout.write(msgspec.json.encode(asdict(eve.urls)).decode() + "\n")
        sys.stdout.flush()
        await stopped.wait()
    if watching is not None:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


async def _stdin_ends(stopped: asyncio.Event) -> None:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while await reader.read(4096):
        pass
    stopped.set()


def main(argv: Sequence[str] | None = None, prog: str = "simulator") -> int:
    """Run the simulated EVE in the foreground."""
    config, until_stdin_closes = parse(argv, prog)
    try:
        asyncio.run(run(config, until_stdin_closes=until_stdin_closes))
    except CannotListen as error:
        sys.stderr.write(f"{prog}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
