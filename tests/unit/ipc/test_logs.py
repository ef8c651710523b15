"""What a log line must never hold, and what it must."""

from __future__ import annotations

import logging

import pytest

from ipc.logs import _LineFormatter, redact

JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJDSEFSQUNURVI6RVZFOjkwMDAwMDAxIn0.c2lnbmF0dXJl-_x"


@pytest.mark.parametrize(
    "text",
    [
        f"got {JWT} back",
        f"Authorization: Bearer {JWT}",
        "{'Authorization': 'Bearer s3cretvalue'}",
        "Authorization: Basic s3cretvalue==",
        "https://login/x?refresh_token=s3cretvalue&grant=1",
        '{"refresh_token": "s3cretvalue", "x": 1}',
        "access_token='s3cretvalue'",
        "bearer s3cretvalue",
        "client_secret: s3cretvalue",
        "code_verifier=s3cretvalue",
    ],
)
def test_tokens_leave_no_trace(text: str) -> None:
    clean = redact(text)
    assert "s3cret" not in clean
    assert "eyJ" not in clean
    assert "[redacted]" in clean


@pytest.mark.parametrize(
    "text", ["token refresh took 3 s", "character.telemetry failed", "the token_audit job", ""]
)
def test_other_text_stays(text: str) -> None:
    assert redact(text) == text


def record(level: int, text: str) -> logging.LogRecord:
    return logging.LogRecord("engine.loop", level, "x.py", 1, text, (), None)


def test_line_names_time_role_and_origin() -> None:
    line = _LineFormatter("worker-2", to_journal=False).format(record(logging.INFO, "hello"))
    assert line.endswith("engine.loop: hello")
    assert " INFO    worker-2[" in line
    assert line[10] == "T"
    assert line.split()[0].endswith("Z")


def test_journal_gets_a_priority_on_each_line() -> None:
    formatter = _LineFormatter("scheduler", to_journal=True)
    lines = formatter.format(record(logging.ERROR, "one\ntwo")).splitlines()
    assert [line[:3] for line in lines] == ["<3>", "<3>"]
    assert formatter.format(record(logging.INFO, "x")).startswith("<6>INFO")


def test_traceback_is_redacted_too() -> None:
    def fail() -> None:
        raise ValueError(f"bad {JWT}")

    with pytest.raises(ValueError, match="bad") as caught:
        fail()
    info = (ValueError, caught.value, caught.tb)
    entry = logging.LogRecord("x", logging.ERROR, "x.py", 1, "failed", (), info)
    text = _LineFormatter("x", to_journal=False).format(entry)
    assert "Traceback" in text
    assert JWT not in text
