"""Logging of one process: to standard error, through a bounded queue, so that nobody waits for it.

A reader of standard error that stalls costs log lines, and they are counted; it never costs time.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections import deque

_MAX_LINES = 2000
_MAX_LINE_CHARS = 8000
_FLUSH_S = 0.5
_STDERR = 2

# Libraries whose information is for their own developers.
_CHATTY = ("alembic", "asyncio", "aiohttp")
# It would log each statement with its values and each row it reads: tokens as well.
_NEVER_CHATTY = ("sqlalchemy",)

# Whatever looks like a JWT, or is named as a token is, leaves no trace of its value.
_JWT = re.compile(r"\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?")
_NAMED = re.compile(
    r"""(?ix)
    ( \b (?: access_token | refresh_token | id_token | client_secret | code_verifier
           | (?: proxy- )? authorization )
      ["']? \s* [:=] \s* ["']? (?: (?: bearer | basic ) \s+ )?
    | \b bearer \s+ )
    (?! bearer\b | basic\b ) [^\s"'&,;}\])]+
    """
)

# journald reads the syslog level from the front of each line.
_PRIORITIES = (
    (logging.CRITICAL, "<2>"),
    (logging.ERROR, "<3>"),
    (logging.WARNING, "<4>"),
    (logging.INFO, "<6>"),
    (logging.DEBUG, "<7>"),
)


def redact(text: str) -> str:
    """Return the text without the value of any token in it."""
    return _NAMED.sub(r"\1[redacted]", _JWT.sub("[redacted]", text))


class _LineFormatter(logging.Formatter):
    """Time, level, role, pid, logger and text; times in UTC."""

    def __init__(self, role: str, *, to_journal: bool) -> None:
        stamp = "" if to_journal else "%(asctime)s.%(msecs)03dZ "
        super().__init__(
            f"{stamp}%(levelname)-7s {role}[{os.getpid()}] %(name)s: %(message)s",
            "%Y-%m-%dT%H:%M:%S",
        )
        self.converter = time.gmtime
        self._to_journal = to_journal

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one or more lines that may be shown."""
        text = redact(super().format(record))[:_MAX_LINE_CHARS]
        if not self._to_journal:
            return text
        prefix = next((word for level, word in _PRIORITIES if record.levelno >= level), "<7>")
        return "\n".join(prefix + line for line in text.splitlines())


class _QueueToStderr(logging.Handler):
    """Keeps lines in memory and writes them to descriptor 2 on a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque()
        self._more = threading.Condition()
        self._writing = False
        self._unreported = 0
        threading.Thread(target=self._write_all, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a record's lines, or count them as dropped."""
        try:
            line = self.format(record)
        except (TypeError, ValueError) as error:
            line = f"unprintable log record from {record.pathname}:{record.lineno}: {error}"
        with self._more:
            if len(self._lines) >= _MAX_LINES:
                self._unreported += 1
                return
            self._lines.append(line)
            self._more.notify_all()

    def flush(self) -> None:
        """Wait until all is written, for a bounded time."""
        deadline = time.monotonic() + _FLUSH_S
        with self._more:
            while self._lines or self._writing:
                left_s = deadline - time.monotonic()
                if left_s <= 0 or not self._more.wait(left_s):
                    return

    def _write_all(self) -> None:
        while True:
            with self._more:
                self._writing = False
                self._more.notify_all()
                while not self._lines:
                    self._more.wait()
                lines = list(self._lines)
                self._lines.clear()
                self._writing = True
                missing, self._unreported = self._unreported, 0
            if missing:
                lines.append(f"{missing} log lines were dropped: standard error was not read")
            _write("\n".join(lines) + "\n")


def _write(text: str) -> None:
    data = memoryview(text.encode("utf-8", "backslashreplace"))
    while data:
        try:
            data = data[os.write(_STDERR, data) :]
        except BlockingIOError:
            # Somebody made the descriptor non-blocking; only this thread waits for it.
            time.sleep(0.05)
        except OSError:
            # The reader is gone or the disk is full: work goes on without a log.
            return


_handler: _QueueToStderr | None = None


def set_up_logging(role: str, level: str) -> None:
    """Send all logging of this process to standard error; called again, it changes role and level.

    role: the word for this process, as "scheduler" or "worker-2".
    """
    global _handler  # noqa: PLW0603 - one logging set-up a process, as logging itself has
    root = logging.getLogger()
    if _handler is None:
        _handler = _QueueToStderr()
        root.addHandler(_handler)
        logging.captureWarnings(True)
        logging.raiseExceptions = False
    _handler.setFormatter(_LineFormatter(role, to_journal="JOURNAL_STREAM" in os.environ))
    root.setLevel(level.upper())
    for name in _CHATTY:
        logging.getLogger(name).setLevel(level.upper() if level == "debug" else logging.WARNING)
    for name in _NEVER_CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def flush_logs() -> None:
    """Write what is queued, for a bounded time; before the process ends."""
    if _handler is not None:
        _handler.flush()
