"""A Celery application that imports what the daemon's workers import, and does nothing."""

from __future__ import annotations

import os

import aiohttp
import msgspec
import sqlalchemy
from celery import Celery

app = Celery("idle", broker=os.environ["BENCH_REDIS_URL"], backend=os.environ["BENCH_REDIS_URL"])
app.conf.update(
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
    beat_schedule={"idle": {"task": "bench.idle", "schedule": 3600.0}},
)


@app.task(name="bench.idle")  # type: ignore[untyped-decorator]
def idle() -> list[str]:
    """Use the imports, so that each worker has loaded them."""
    return [aiohttp.__version__, msgspec.__version__, sqlalchemy.__version__]
