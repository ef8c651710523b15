"""One odd row does not cost the others, and amounts stay exact."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from jobs.errors import BadAnswer, NoneReadable, Transient
from jobs.esi.decoding import decode, decode_pages
from jobs.spec import Wire


class Row(Wire, frozen=True, rename={"row_id": "id"}):
    row_id: int
    amount: Decimal | None = None
    at: datetime | None = None


def test_rows_become_structs_and_unknown_fields_are_ignored() -> None:
    rows, skipped = decode(b'[{"id": 1, "amount": 0.1, "new_field": [1, {}]}]', list[Row])

    assert rows == [Row(1, Decimal("0.1"))]
    assert skipped == 0


@pytest.mark.parametrize("text", ["5000000000.12", "0", "12", "-0.01", "999999999999999999.99"])
def test_a_bare_number_is_taken_digit_by_digit(text: str) -> None:
    value, _ = decode(text.encode(), Decimal)

    assert str(value) == text


def test_a_bad_row_is_left_out_and_counted() -> None:
    body = b'[{"id": 1}, {"amount": 3}, {"id": "x"}, 7, {"id": 2, "at": "0001-01-01T00:00:00Z"}]'

    rows, skipped = decode(body, list[Row])

    assert rows == [Row(1), Row(2, at=datetime(1, 1, 1, tzinfo=UTC))]
    assert skipped == 3


@pytest.mark.parametrize(
    ("body", "wire"),
    [
        (b'{"id": 1}', list[Row]),
        (b'"gone"', list[Row]),
        (b"null", list[Row]),
        (b'[{"x": 1}, {"x": 2}]', list[Row]),
        (b'{"x": 1}', Row),
        (b'{"error": "in a 200"}', Row),
    ],
)
def test_an_answer_of_another_form_is_bad(body: bytes, wire: Any) -> None:
    with pytest.raises(BadAnswer):
        decode(body, wire)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b'[{"id": 1}', b"\xff\xfe[", b"[NaN]", b'[{"id": 1}] trailing',
        b'\xef\xbb\xbf[{"id": 1}]', b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_json_is_trouble_on_the_way(body: bytes) -> None:
    with pytest.raises(Transient):
        decode(body, list[Row])


class Shelf(Wire, frozen=True, rename={"things": "items"}):
    total: int
    things: tuple[Row, ...] = ()
    words: tuple[str, ...] = ()


def test_a_bad_row_within_an_object_is_left_out_and_counted() -> None:
    body = b'{"total": 2, "items": [{"id": 1}, {"id": "x"}, {"id": 2}], "words": ["a", 5]}'

    assert decode(body, Shelf) == (Shelf(2, (Row(1), Row(2)), ("a",)), 2)


@pytest.mark.parametrize(
    "body",
    [
        b'{"items": [{"id": 1}, {}]}',
        b'{"total": 2, "items": [{}]}',
        b'{"total": 2, "items": {"id": 1}}',
        b'{"total": "x", "items": []}',
    ],
)
def test_an_object_that_lacks_more_than_a_row_is_bad(body: bytes) -> None:
    with pytest.raises(BadAnswer):
        decode(body, Shelf)


class Pictures(Wire, frozen=True):
    px64: str | None = None
    names: tuple[str, ...] = ()


def test_an_object_of_another_form_is_not_one_that_says_nothing() -> None:
    assert decode(b"{}", Pictures) == (Pictures(), 0)
    assert decode(b'{"px64": null, "more": 1}', Pictures) == (Pictures(), 0)
    with pytest.raises(BadAnswer, match="error"):
        decode(b'{"error": "in a 200"}', Pictures)


class Text(Wire, frozen=True):
    text: str


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        # Half of a character, as where a text was cut.
        (rb"a\ud83d", "a\ufffd"),
        (rb"\udd25b", "\ufffdb"),
        (rb"\ud83d\ud83d\udd25", "\ufffd\U0001f525"),
        (b"caf\xe9", "caf\ufffd"),
        # An escaped backslash before what only looks like an escape.
        (rb"\\ud83d \ud83d", "\\ud83d \ufffd"),
    ],
)
def test_a_broken_character_costs_neither_its_row_nor_others(sent: bytes, text: str) -> None:
    body = b'[{"text": "\\ud83d\\udd25"}, {"text": "' + sent + b'"}]'

    assert decode(body, list[Text]) == ([Text("\U0001f525"), Text(text)], 0)
    odd = body[:-1] + b', {"text": 7}]'
    assert decode(odd, list[Text]) == ([Text("\U0001f525"), Text(text)], 1)


def test_pages_are_one_list() -> None:
    rows, skipped = decode_pages((b'[{"id": 1}]', b'[{"id": 2}, {}]', b"[]"), list[Row])

    assert rows == [Row(1), Row(2)]
    assert skipped == 1


def test_a_page_of_bad_rows_alone_does_not_cost_the_others() -> None:
    assert decode_pages((b'[{"id": 1}]', b"[{}, {}]"), list[Row]) == ([Row(1)], 2)
    with pytest.raises(BadAnswer):
        decode_pages((b"[{}]", b"[{}, {}]"), list[Row])


def test_what_else_an_object_tells_is_kept_when_none_of_its_rows_can_be_read() -> None:
    with pytest.raises(NoneReadable) as raised:
        decode(b'{"total": 2, "items": [{}, {"id": "x"}]}', Shelf)

    assert raised.value.rows == 2
    assert raised.value.rest == Shelf(2, ())
