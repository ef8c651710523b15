"""The same job code under Celery's prefork pool with Redis: one cold pass."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from bench.dispatch.celery_peer import running_worker
from bench.dispatch.loop import WORKERS
from bench.proc import cpu_s, descendants
from bench.redis_server import PeerMissing, RedisServer
from bench.scheduler import RunVoid
from bench.sync.eve import asked, log_in, settings_for
from bench.sync.measured import Measured
from ipc.clock import SystemClock
from ipc.settings import Engine, Settings, encode_settings
from ipc.subject import GLOBAL, Subject, SubjectType
from jobs import catalog
from jobs.spec import Kind
from jobs.store import credentials, fence, upgrade, ways
from jobs.store.database import Database
from simulator.process import SimulatedEve

# As the scheduler would have them: profiles and roles first, what follows from rows last.
_FIRST = ("character.profile", "character.roles", "corporation.profile")
_OPTIONS = ("--without-gossip", "--without-mingle", "--without-heartbeat")
_LIMIT_S = 1800.0

Task = tuple[str, str, int, int]


def measure(eve: SimulatedEve, folder: Path, server: RedisServer) -> Measured:
    """Mirror everything into an empty database, four jobs at a time."""
    settings = settings_for(eve, folder, Engine(workers=WORKERS, jobs_per_worker=1))
    upgrade.prepare(settings.database_url)
    log_in(eve, settings)
    database = Database(settings.database_url)
    now = SystemClock().now()
    epoch = database.write_now(lambda conn: fence.take_ownership(conn, "bench", 1, now))
    os.environ["BENCH_SETTINGS"] = encode_settings(settings).hex()
    os.environ["BENCH_EPOCH"] = str(epoch)
    os.environ["BENCH_REDIS_URL"] = server.url
    try:
        from bench.sync.celery_app import sync  # noqa: PLC0415 - a peer may be absent
    except ImportError as error:
        raise PeerMissing(f"Celery cannot be imported: {error}") from error
    eve.order("/reset")
    eve.freeze()
    with running_worker("bench.sync.celery_app", server.url, *_OPTIONS) as worker:
        _wait(sync, [("global.server_status", "global", 0, 0)] * WORKERS)
        parts = {"workers": [worker, *descendants(worker)], "redis": [server.pid]}
        eve.order("/reset")
        eve.freeze()
        before = {name: sum(map(cpu_s, pids)) for name, pids in parts.items()}
        simulator_s, client_s = cpu_s(eve.pid), time.process_time()
        began_s = time.monotonic()
        jobs, rows = 0, 0
        for tasks in _waves(settings, database):
            jobs += len(tasks)
            rows += _wait(sync, tasks)
        elapsed_s = time.monotonic() - began_s
        cpu = {name: sum(map(cpu_s, pids)) - before[name] for name, pids in parts.items()}
    database.close_now()
    requests, most = asked(eve)
    return Measured(
        elapsed_s=elapsed_s,
        jobs=jobs,
        requests=requests,
        rows=rows,
        cpu_s={**cpu, "client": time.process_time() - client_s},
        simulator_cpu_s=cpu_s(eve.pid) - simulator_s,
        most_in_flight=most,
    )


def _waves(settings: Settings, database: Database) -> Iterator[list[Task]]:
    kinds = catalog.load(settings.kind_packages)
    on = [kind for kind in kinds.values() if not kind.off_by_default]
    first = [kind for kind in on if kind.name in _FIRST]
    yield _tasks([kind for kind in first if kind.subject is SubjectType.CHARACTER], database)
    yield _tasks([kind for kind in first if kind.subject is SubjectType.CORPORATION], database)
    rest = [kind for kind in on if kind.name not in _FIRST]
    yield _tasks([kind for kind in rest if kind.subject is not SubjectType.GLOBAL], database)
    yield _tasks([kind for kind in rest if kind.subject is SubjectType.GLOBAL], database)


def _tasks(kinds: list[Kind], database: Database) -> list[Task]:
    """Return a task for each subject that a kind has a login for."""
    logins = database.read_now(credentials.list_all)
    found = database.read_now(ways.list_all)
    tasks: list[Task] = []
    for kind in kinds:
        match kind.subject:
            case SubjectType.GLOBAL:
                tasks.append((kind.name, GLOBAL.type.value, GLOBAL.id, 0))
            case SubjectType.CHARACTER:
                tasks += [(kind.name, "character", one.character_id, one.id) for one in logins]
            case _:
                needed = {role for part in kind.parts for role in part.any_role}
                chosen: dict[Subject, int] = {}
                for way in found:
                    able = not needed or bool(needed & (way.roles or frozenset()))
                    if way.subject.type is kind.subject and able:
                        chosen.setdefault(way.subject, way.credential_id)
                tasks += [
                    (kind.name, who.type.value, who.id, credential_id)
                    for who, credential_id in chosen.items()
                ]
    return tasks


def _wait(task: object, tasks: list[Task]) -> int:
    """Send tasks, wait for all of them, and return the rows they changed."""
    sent = [task.apply_async(one) for one in tasks]  # type: ignore[attr-defined]
    rows = 0
    for one, result in zip(tasks, sent, strict=True):
        token, changed, reason = result.get(timeout=_LIMIT_S)
        if token == "failed":  # noqa: S105 - an outcome, no secret
            raise RunVoid(f"Celery: {one[0]} of {one[1]} {one[2]} failed: {reason}")
        rows += changed
    return rows
