"""The table of statuses, line by line, for reads and for writes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs import errors
from jobs.esi.reactions import (
    Absent,
    Asked,
    GameRefused,
    Meaning,
    ServerTrouble,
    error_of,
    error_text,
    is_own_error,
    meaning_of,
)
from jobs.spec import Route

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
READ = Asked(Route("GET", "/characters/{character_id}/skills", rate_group="char-detail"), 7, 3, 9)
PUBLIC = Asked(Route("GET", "/status"))
WRITE = Asked(Route("PUT", "/characters/{character_id}/mail/{mail_id}"), 7, 3, 9)
ESI_ERROR = b'{"error": "it went wrong"}'
PAGE = b"<html><h1>502 Bad Gateway</h1></html>"


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (200, Meaning.GOOD), (201, Meaning.GOOD), (204, Meaning.GOOD), (304, Meaning.UNCHANGED),
        (301, Meaning.MOVED), (307, Meaning.MOVED), (400, Meaning.BAD), (401, Meaning.TOKEN),
        (403, Meaning.FORBIDDEN), (404, Meaning.GONE), (408, Meaning.TROUBLE), (410, Meaning.GONE),
        (418, Meaning.BAD), (420, Meaning.ERROR_LIMIT), (422, Meaning.GONE), (425, Meaning.TROUBLE),
        (429, Meaning.RATE_LIMIT), (500, Meaning.TROUBLE), (502, Meaning.TROUBLE),
        (503, Meaning.TROUBLE), (504, Meaning.TROUBLE), (507, Meaning.TROUBLE),
        (520, Meaning.GAME_REFUSED), (100, Meaning.BAD), (999, Meaning.BAD),
    ],
)  # fmt: skip
def test_every_status_has_a_meaning(status: int, meaning: Meaning) -> None:
    assert meaning_of(status) is meaning


@pytest.mark.parametrize(
    ("status", "body", "asked", "kind"),
    [
        (400, ESI_ERROR, READ, errors.Refused),
        (418, ESI_ERROR, READ, errors.BadAnswer),
        (400, ESI_ERROR, WRITE, errors.RefusedWrite),
        (401, ESI_ERROR, READ, errors.TokenRejected),
        (401, ESI_ERROR, WRITE, errors.TokenRejected),
        (401, ESI_ERROR, PUBLIC, errors.BadAnswer),
        (404, ESI_ERROR, READ, errors.Gone),
        (410, ESI_ERROR, READ, errors.Gone),
        (422, ESI_ERROR, READ, errors.Gone),
        (404, ESI_ERROR, WRITE, Absent),
        (422, ESI_ERROR, WRITE, errors.RefusedWrite),
        (500, ESI_ERROR, READ, ServerTrouble),
        (502, PAGE, READ, ServerTrouble),
        (520, ESI_ERROR, READ, errors.Transient),
        (520, ESI_ERROR, WRITE, GameRefused),
        (302, b"", READ, errors.BadAnswer),
        (302, b"", WRITE, errors.BadAnswer),
        (304, b"", READ, errors.BadAnswer),
    ],
)
def test_every_status_has_a_reaction(
    status: int, body: bytes, asked: Asked, kind: type[errors.JobError]
) -> None:
    assert type(error_of(status, {}, body, asked, NOW)) is kind


def test_420_pauses_all_until_the_reset() -> None:
    error = error_of(420, {"X-ESI-Error-Limit-Reset": "40"}, ESI_ERROR, READ, NOW)

    assert error == errors.PauseAll(NOW + timedelta(seconds=40), 40)


def test_429_pauses_the_bucket_that_the_answer_names() -> None:
    error = error_of(429, {"Retry-After": "12", "X-Ratelimit-Group": "char-social"}, b"", READ, NOW)

    assert error == errors.PauseBucket("char-social:9", NOW + timedelta(seconds=12), 12)


@pytest.mark.parametrize("group", ["\udcff", "a\0b", "", "x" * 65, "a:b"])
def test_429_of_a_group_that_can_be_none_pauses_the_routes_own_bucket(group: str) -> None:
    error = error_of(429, {"Retry-After": "12", "X-Ratelimit-Group": group}, b"", READ, NOW)

    assert error == errors.PauseBucket("char-detail:9", NOW + timedelta(seconds=12), 12)


def test_429_without_headers_pauses_the_routes_own_bucket() -> None:
    assert error_of(429, {}, b"", READ, NOW) == errors.PauseBucket(
        "char-detail:9", NOW + timedelta(seconds=60), 60
    )
    assert error_of(429, {}, b"", PUBLIC, NOW) == errors.PauseBucket(
        "GET /status:public", NOW + timedelta(seconds=60), 60
    )


def test_401_names_the_generation_that_was_refused() -> None:
    assert error_of(401, {}, ESI_ERROR, READ, NOW) == errors.TokenRejected(7, 3)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Token is not valid for scope: esi-skills.read_skills.v1", errors.MissingScope),
        ("Character does not have required role(s)", errors.MissingRole),
        ("Character is not in the corporation", errors.MissingRole),
        ("Forbidden", errors.MissingRole),
    ],
)
def test_403_is_of_scope_or_of_role(text: str, kind: type[errors.JobError]) -> None:
    body = f'{{"error": "{text}"}}'.encode()

    assert type(error_of(403, {}, body, READ, NOW)) is kind


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Character is not in the corporation", True),
        ("Character does not have required role(s)", False),
        ("Forbidden", False),
    ],
)
def test_403_tells_who_has_left_the_corporation(text: str, left: bool) -> None:
    error = error_of(403, {}, f'{{"error": "{text}"}}'.encode(), READ, NOW)

    assert isinstance(error, errors.MissingRole)
    assert error.left is left
    assert text in error.reason


def test_403_names_the_scope() -> None:
    body = b'{"error": "Token is not valid for scope: esi-skills.read_skills.v1"}'

    assert error_of(403, {}, body, READ, NOW) == errors.MissingScope("esi-skills.read_skills.v1", 7)


@pytest.mark.parametrize(
    ("status", "body", "in_doubt"),
    [
        (403, b'{"error": "Forbidden"}', True),
        (403, b'{"error": "Character does not have required role(s)"}', True),
        (404, ESI_ERROR, True),
        (410, ESI_ERROR, True),
        (403, b'{"error": "Forbidden", "sso_status": 401}', False),
        (403, PAGE, False),
    ],
)
def test_refusals_in_doubt_of_sso_or_of_a_gateway_are_no_verdict(
    status: int, body: bytes, in_doubt: bool
) -> None:
    for asked in (READ, WRITE):
        error = error_of(status, {}, body, asked, NOW, in_doubt=in_doubt)
        assert type(error) is errors.Transient


def test_403_on_a_write_refuses_it_and_without_a_token_it_is_this_one_thing() -> None:
    assert isinstance(error_of(403, {}, ESI_ERROR, WRITE, NOW), errors.RefusedWrite)
    assert isinstance(error_of(403, {}, ESI_ERROR, PUBLIC, NOW), errors.Gone)


@pytest.mark.parametrize(
    ("body", "own"),
    [
        (ESI_ERROR, True),
        (PAGE, False),
        (b"", False),
        (b'{"message": "no"}', False),
        (b'{"error": "Timeout contacting tranquility"}', False),
    ],
)
def test_a_5xx_tells_esis_own_word_from_a_gateways(body: bytes, own: bool) -> None:
    error = error_of(502, {}, body, READ, NOW)

    assert isinstance(error, ServerTrouble)
    assert error.own is own
    assert is_own_error(body) is own


def test_503_can_name_a_wait() -> None:
    error = error_of(503, {"Retry-After": "30"}, PAGE, READ, NOW)

    assert isinstance(error, errors.Transient)
    assert error.retry_at == NOW + timedelta(seconds=30)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"error": "no such thing"}', "no such thing"),
        (b"<html>\n  <b>sorry</b></html>", "<html> <b>sorry</b></html>"),
        (b"\xff\xfe\x00", "\ufffd\ufffd"),
        (b"x" * 5000, "x" * 200),
        (b'{"error": "a\\u0000b"}', "ab"),
        (b"\x1f\x8b\x08\x00\x00", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_an_error_is_shown_in_few_words(body: bytes, text: str) -> None:
    assert error_text(body) == text


def test_posts_that_only_read_are_no_writes() -> None:
    assert not Asked(Route("POST", "/universe/names")).is_write
    assert Asked(Route("POST", "/characters/{character_id}/mail")).is_write
    assert Asked(Route("DELETE", "/characters/{character_id}/mail/{mail_id}")).is_write
