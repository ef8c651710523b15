from __future__ import annotations

import json
from typing import Any

import pytest

from cli.credential_lines import parse_lines
from cli.errors import BadInput

GOOD: dict[str, Any] = {
    "character_id": 90000001,
    "refresh_token": "secret-refresh",
    "scopes": ["esi-wallet.read_character_wallet.v1"],
}


def lines(*documents: object) -> list[bytes]:
    return [json.dumps(document).encode() + b"\n" for document in documents]


def test_a_full_line_is_read() -> None:
    [found] = parse_lines(
        lines(
            {
                **GOOD,
                "scopes": "a b",
                "access_token": "secret-access",
                "expires_at": "2026-06-09T12:00:00Z",
                "corporations": [98000001],
            }
        )
    )
    assert found.scope_set == {"a", "b"}
    assert found.corporations == [98000001]
    assert found.expires_at is not None
    assert found.expires_at.tzinfo is not None


def test_blank_lines_are_passed_over() -> None:
    assert len(parse_lines([b"\n", *lines(GOOD), b"  \n"])) == 1


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"character_id": 0}, "character_id must be above 0"),
        ({"character_id": "90000001"}, "character_id"),
        ({"character_id": 2**63}, "character_id"),
        ({"refresh_token": ""}, "refresh_token must be set"),
        ({"refresh_token": "secret\nrefresh"}, "refresh_token must be set"),
        ({"scopes": ["a b"]}, "scopes"),
        ({"scopes": 5}, "scopes"),
        ({"access_token": "secret-access"}, "go together"),
        ({"expires_at": "2026-06-09T12:00:00Z"}, "go together"),
        ({"access_token": "secret", "expires_at": "2026-06-09T12:00:00"}, "zone"),
        ({"access_token": "secret", "expires_at": "0001-01-01T00:00:00+14:00"}, "years 1 to 9999"),
        ({"access_token": "secret", "expires_at": "9999-12-31T23:59:59-00:01"}, "years 1 to 9999"),
        ({"corporations": [-1]}, "corporations"),
        ({"refreshtoken": "secret-refresh"}, "refreshtoken"),
    ],
)
def test_each_fault_is_named_with_its_line_and_no_token(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_lines([b"\n", *lines({**GOOD, **change})])
    assert "line 2: " in caught.value.message
    assert fault in caught.value.message
    assert "secret" not in caught.value.message


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(BadInput) as caught:
        parse_lines([*lines(GOOD), b"{not json, secret\n", b'"secret"\n', b"\xff\n", *lines(GOOD)])
    for number in (2, 3, 4):
        assert f"line {number}: " in caught.value.message
    assert "line 5: character 90000001 is on line 1 already" in caught.value.message
    assert "secret" not in caught.value.message


def test_many_faults_are_cut_short() -> None:
    with pytest.raises(BadInput, match="and 90 lines more"):
        parse_lines([b"x\n"] * 100)


def test_nothing_to_import_is_said() -> None:
    with pytest.raises(BadInput, match="no credential on standard input"):
        parse_lines([b"\n"])
