"""Text from outside, as everybody can take it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipc.plain_text import encodable, plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a\0b", "ab"),
        ("\x1b[31mred\x7f", "[31mred"),
        ("two\nlines\tand\ra tab", "two\nlines\tand\ra tab"),
        ("half \udcff", "half \ufffd"),
        ("Игорь 🚀", "Игорь 🚀"),
        ("", ""),
    ],
)
def test_what_becomes_of_a_text(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_stored_and_sent_afterwards(text: str) -> None:
    made = plain(text)

    assert made.encode().decode() == made
    assert "\0" not in made
    assert plain(made) == made
    assert encodable(text).encode().decode() == encodable(text)
    assert len(encodable(text)) == len(text)
