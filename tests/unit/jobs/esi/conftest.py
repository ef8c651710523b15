"""aioresponses made to fit aiohttp 3.14."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import aiohttp
import pytest
from aiohttp.client_proto import ResponseHandler
from aioresponses import aioresponses, core


class _Response(aiohttp.ClientResponse):
    """Gives the argument that aiohttp has asked for since 3.14, and that the mock does not know."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("stream_writer", Mock(output_size=0))
        super().__init__(*args, **kwargs)


def _reader(loop: Any = None) -> aiohttp.StreamReader:
    """Return a reader that a long body can fill: it may tell its parser to pause."""
    protocol = ResponseHandler(loop=loop)
    protocol._parser = Mock()
    return aiohttp.StreamReader(protocol, limit=2**16, loop=loop)


@pytest.fixture
def mocked(monkeypatch: pytest.MonkeyPatch) -> Iterator[aioresponses]:
    """Answers in the place of the network."""
    monkeypatch.setattr(core, "ClientResponse", _Response)
    monkeypatch.setattr(core, "stream_reader_factory", _reader)
    with aioresponses() as mock:
        yield mock
