"""The limit: the same requests and the same decoding, in four processes that do nothing else."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
import msgspec

from bench.dispatch.loop import WORKERS
from bench.proc import cpu_s
from bench.scheduler import ROOT
from bench.sync.eve import asked
from bench.sync.measured import Measured
from jobs import catalog
from jobs.esi.decoding import decode
from simulator.process import SimulatedEve


class Work(msgspec.Struct):
    """What one process has to ask."""

    base_url: str
    compatibility_date: str
    at_once: int
    # Path with query, access token, route.
    requests: list[tuple[str, str | None, str]]


class Did(msgspec.Struct):
    """What it did."""

    requests: int
    rows: int
    cpu_s: float


def requests_of(eve: SimulatedEve, tokens: Sequence[Mapping[str, object]]) -> list[Any]:
    """Return the reads that the simulated EVE was asked last, with the tokens they need.

    Of a pass in which nothing had changed there is next to nothing: those were answered 304.
    """
    access = {token["character_id"]: token["access_token"] for token in tokens}
    found = eve.requests(last=5_000)["last"]
    assert isinstance(found, list)  # noqa: S101
    return [
        (
            one["path"] + (f"?{one['query']}" if one["query"] else ""),
            access.get(one["character_id"]),
            one["route"],
        )
        for one in found
        if one["service"] == "esi" and one["method"] == "GET" and one["status"] == 200
    ]


def measure(eve: SimulatedEve, requests: list[Any], at_once: int, date: str) -> Measured:
    """Ask everything once, from four processes."""
    eve.order("/reset")
    eve.freeze()
    works = [
        Work(eve.urls.esi, date, max(1, at_once // WORKERS), requests[number::WORKERS])
        for number in range(WORKERS)
    ]
    children = [
        subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        for _ in works
    ]  # fmt: skip
    for child, work in zip(children, works, strict=True):
        assert child.stdin is not None  # noqa: S101
        assert child.stdout is not None  # noqa: S101
        child.stdin.write(msgspec.json.encode(work) + b"\n")
        child.stdin.flush()
        child.stdout.readline()
    simulator_s, began_s = cpu_s(eve.pid), time.monotonic()
    for child in children:
        assert child.stdin is not None  # noqa: S101
        child.stdin.write(b"go\n")
        child.stdin.flush()
    did = [msgspec.json.decode(child.stdout.readline(), type=Did) for child in children]  # type: ignore[union-attr]
    elapsed_s = time.monotonic() - began_s
    for child in children:
        child.communicate()
    return Measured(
        elapsed_s=elapsed_s,
        jobs=0,
        requests=sum(one.requests for one in did),
        rows=sum(one.rows for one in did),
        cpu_s={"processes": sum(one.cpu_s for one in did)},
        simulator_cpu_s=cpu_s(eve.pid) - simulator_s,
        most_in_flight=asked(eve)[1],
    )


def _wires() -> dict[str, Any]:
    """Return what the answer of each route is decoded into."""
    kinds = catalog.load(["jobs.kinds"])
    return {
        part.route.name: list[part.wire] if part.many else part.wire  # type: ignore[name-defined]
        for kind in kinds.values()
        for part in kind.parts
        if part.route is not None and part.wire is not None
    }


async def _ask_all(work: Work, wires: Mapping[str, Any]) -> tuple[int, int]:
    waiting = iter(work.requests)
    done = rows = 0

    async def ask(session: aiohttp.ClientSession) -> None:
        nonlocal done, rows
        for path, token, route in waiting:
            headers = {"X-Compatibility-Date": work.compatibility_date, "User-Agent": "bench.sync"}
            if token is not None:
                headers["Authorization"] = f"Bearer {token}"
            async with session.get(work.base_url + path, headers=headers) as answer:
                body = await answer.read()
                answer.raise_for_status()
            wire = wires.get(route)
            value = decode(body, wire)[0] if wire is not None else msgspec.json.decode(body)
            rows += len(value) if isinstance(value, list) else 1
            done += 1

    connector = aiohttp.TCPConnector(limit=work.at_once)
    async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        for _ in range(work.at_once):
            group.create_task(ask(session))
    return done, rows


def child() -> None:
    """Read the work, say that it is understood, wait for the word, do it, and tell."""
    work = msgspec.json.decode(sys.stdin.buffer.readline(), type=Work)
    wires = _wires()
    print("ready", flush=True)
    sys.stdin.buffer.readline()
    began_s = time.process_time()
    done, rows = asyncio.run(_ask_all(work, wires))
    did = Did(done, rows, time.process_time() - began_s)
    sys.stdout.buffer.write(msgspec.json.encode(did) + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    child()
