"""Colours for a terminal, and none anywhere else."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TextIO


class Style(StrEnum):
    """What a word says about the state of things."""

    PLAIN = ""
    GOOD = "32"
    BUSY = "36"
    WARN = "33"
    BAD = "31"
    DIM = "2"
    BOLD = "1"


class Painter:
    """Wraps words in escape codes, or leaves them alone."""

    def __init__(self, *, colours: bool) -> None:
        """Take whether the reader sees colours."""
        self.colours = colours

    @classmethod
    def of(cls, stream: TextIO) -> Painter:
        """Return the painter for a stream: colours on a terminal, unless NO_COLOR is set."""
        return cls(
            colours=stream.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    def __call__(self, text: str, style: Style) -> str:
        """Return text in a style."""
        if not self.colours or style is Style.PLAIN or not text:
            return text
        return f"\x1b[{style}m{text}\x1b[0m"
