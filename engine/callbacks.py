"""Errors in callbacks of the loop end the engine like those in its tasks."""

from __future__ import annotations

import asyncio
from typing import Any


async def until_a_callback_fails() -> None:
    """Raise the first error that a callback lets through: asyncio would only log it and go on."""
    loop = asyncio.get_running_loop()
    failed: asyncio.Future[None] = loop.create_future()

    def on_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        is_callback = "handle" in context or "protocol" in context
        if error is not None and is_callback and not failed.done():
            failed.set_exception(error)
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(on_error)
    try:
        await failed
    finally:
        loop.set_exception_handler(None)
