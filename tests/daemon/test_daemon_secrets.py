"""A token shows nowhere but in the database: no log, argument, environment, status or event."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ipc.commands import RunNow
from ipc.control_messages import GetStatus, Observe
from tests.daemon.house import House, character
from tests.processes import command_of, environ_of

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent.parent
READ_S = 5.0
LONG_AGO = "2026-01-01T00:00:00.000Z"


def test_no_token_leaves_the_database(make_house: Callable[..., House]) -> None:
    house = make_house(log_level="debug", logged_in=False)
    told = _import_by_command_line(house)
    secrets = _tokens(house)
    house.run()
    with house.talk() as client:
        client.sock.settimeout(0.5)
        client.send(Observe())
        house.mirrored()
        # New tokens, a refusal and a failure: all that could make somebody speak of them.
        house.write(
            lambda connection, _: (
                connection.exec_driver_sql(
                    f"UPDATE credential SET expires_at = '{LONG_AGO}', generation = generation + 1"
                ).rowcount
            )
        )
        refusal = '{"error":"invalid_request","error_description":"refresh_token=x"}'
        house.eve.fault(path="/v2/oauth/token", service="sso", times=1, status=400, body=refusal)
        house.eve.fault(path=".*/skills", status=502, times=1, body="<html>")
        house.ask(RunNow(character(90_000_001)))
        house.goes_on()
        secrets |= _tokens(house)
        seen = [read(pid) for pid in house.processes() for read in (command_of, environ_of)]
        client.send(GetStatus(1, jobs=True))
        # Events may come without a pause for ever.
        ends_s = time.monotonic() + READ_S
        with contextlib.suppress(TimeoutError):
            while time.monotonic() < ends_s and (data := client.sock.recv(1 << 16)):
                seen.append(data)
        seen += [told, _command_line(house, "status", "--json"),
                 _command_line(house, "credential", "list", "--json")]  # fmt: skip
    house.end()
    seen.append(house.log_path.read_bytes())
    assert len(secrets) >= 6
    everything = b"\n".join(seen)
    assert b"sqlalchemy" not in everything
    assert b"DEBUG" in everything
    for secret in secrets:
        # A JWT's parts are as good as the whole for a search of what was wrapped or cut.
        for part in (secret, secret[-24:]):
            assert part.encode() not in everything


def _tokens(house: House) -> set[str]:
    rows = house.rows("SELECT access_token, refresh_token FROM credential")
    return {token for row in rows for token in row.values() if token}


def _import_by_command_line(house: House) -> bytes:
    names = ("character_id", "refresh_token", "scopes", "access_token", "expires_at")
    lines = [
        json.dumps({name: token[name] for name in names}) for token in house.eve.tokens(access=True)
    ]
    return _command_line(house, "credential", "import", stdin="\n".join(lines))


def _command_line(house: House, *arguments: str, stdin: str = "") -> bytes:
    config = house.folder / "config.toml"
    config.write_text(
        f'data_dir = "{house.folder}"\n[sso]\nclient_id = "simulated-client"\n'
        f'[esi]\nbase_url = "{house.settings.esi.base_url}"\n'
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "cli", *arguments],
        input=stdin.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ESISYNCD_CONFIG": str(config)},
        check=False,
        timeout=120,
    )
    assert b"Traceback" not in done.stdout, done.stdout.decode()
    assert done.returncode == 0 or arguments[0] == "status", done.stdout.decode()
    return done.stdout
