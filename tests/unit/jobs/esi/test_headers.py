"""Headers are read strictly, and waits stay within their bounds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jobs.esi.headers import (
    entity_tag,
    error_limit_reset_s,
    http_date,
    kept,
    max_age_s,
    retry_after_s,
    whole_number,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "17"}, 17),
        ({"Retry-After": " 17 "}, 17),
        ({"Retry-After": "0"}, 1),
        ({"Retry-After": "-5"}, 1),
        ({"Retry-After": "86400000"}, 900),
        ({"Retry-After": "9" * 40}, 900),
        ({"Retry-After": "soon"}, 60),
        ({"Retry-After": "1.5"}, 60),
        ({"Retry-After": ""}, 60),
        ({}, 60),
        ({"Retry-After": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30),
        ({"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT"}, 1),
        ({"Retry-After": "Wed, 30 Nov 2099 12:00:00 GMT"}, 900),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 -0100"}, 60),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, 900),
        # The server's clock is an hour ahead; what counts is the difference.
        (
            {
                "Retry-After": "Mon, 30 Nov 2026 13:00:20 GMT",
                "Date": "Mon, 30 Nov 2026 13:00:00 GMT",
            },
            20,
        ),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: int) -> None:
    assert retry_after_s(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"), [("40", 40), ("0", 1), ("-3", 60), ("x", 60), ("5000", 900), (None, 60)]
)
def test_the_reset_of_the_error_limit(text: str | None, seconds: int) -> None:
    headers = {} if text is None else {"X-ESI-Error-Limit-Reset": text}

    assert error_limit_reset_s(headers) == seconds


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3), (" 3 ", 3), ("0", 0), ("-1", None), ("3.0", None), ('["3"]', None),
        ("", None), (None, None), ("³", None), ("9" * 30, None),
    ],
)  # fmt: skip
def test_whole_numbers(text: str | None, number: int | None) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "0", "-1", "never", "", None, "Mon, 99 Nov 2026 12:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 -0100",
        "Mon, 30 Nov 2026 12:00:00 +" + "9" * 30, "Mon, 30 Nov " + "9" * 5000 + " 12:00:00 GMT",
    ],
)  # fmt: skip
def test_what_is_no_date(text: str | None) -> None:
    assert http_date(text) is None


def test_a_date_is_aware() -> None:
    assert http_date("Mon, 30 Nov 2026 12:00:00 -0000") == NOW
    assert http_date("Mon, 30 Nov 2026 13:00:00 +0100") == NOW


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("max-age=30", 30), ("public, max-age=30", 30), ('Max-Age="7"', 7), ("s-maxage=5", None),
        ("max-age=-1", None), ("no-store", None),
    ],
)  # fmt: skip
def test_max_age(text: str, seconds: int | None) -> None:
    assert max_age_s({"Cache-Control": text}) == seconds


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a"', '"a"'), (' W/"a b" ', 'W/"a b"'), ('""', '""'), ("*", None), ('"a", *', None),
        ('"a", "b"', None), ("bare", None), ("", None), ('"\udcff"', None), ('"é"', None),
        ('"a\nb"', None),
    ],
)  # fmt: skip
def test_what_is_no_entity_tag_is_compared_with_nothing(text: str, value: str | None) -> None:
    assert entity_tag({"ETag": text}) == value
    assert entity_tag({}) is None


@pytest.mark.parametrize(
    ("text", "value"), [('W/"a b"', 'W/"a b"'), ("", ""), ("\udcff\udcfe", None), ("é", None)]
)
def test_what_is_no_plain_text_is_not_kept(text: str, value: str | None) -> None:
    assert kept({"Last-Modified": text}, "Last-Modified") == value
    assert kept({}, "Last-Modified") is None
