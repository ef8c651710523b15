"""The Celery application that the benchmark's worker serves."""

from __future__ import annotations

import os

from celery import Celery

URL_VARIABLE = "BENCH_REDIS_URL"

app = Celery("bench", broker=os.environ[URL_VARIABLE], backend=os.environ[URL_VARIABLE])
app.conf.update(
    broker_connection_retry_on_startup=True,
    worker_prefetch_multiplier=16,
    worker_hijack_root_logger=False,
    task_ignore_result=False,
    result_expires=60,
)


@app.task(name="bench.echo")  # type: ignore[untyped-decorator]
def echo(sent_s: float) -> float:
    """Do nothing."""
    return sent_s
