"""The image server: small real PNGs, the same for the same id and size."""

from __future__ import annotations

import re
import struct
import zlib
from functools import lru_cache
from hashlib import blake2b

from simulator.answers import UNKNOWN_ROUTE, Answer, Question, error_body
from simulator.universe.draw import draw
from simulator.universe.world import World

SIZES = (32, 64, 128, 256, 512, 1024)
_PATH = re.compile(r"/(characters|corporations|alliances)/(\d+)/(portrait|logo)")


class Images:
    """Answers questions to the image server."""

    def __init__(self, world: World) -> None:
        self._people = world.people

    def answer(self, question: Question) -> Answer:
        """Answer with a picture of the size asked for."""
        found = _PATH.fullmatch(question.path)
        if question.method != "GET" or found is None:
            return _problem(404, UNKNOWN_ROUTE, "no such image")
        kind, number, what = found.groups()
        route = f"GET /{kind}/{{id}}/{what}"
        size = question.query.get("size", "128")
        if not size.isdecimal() or int(size) not in SIZES:
            return _problem(400, route, f"size must be one of {', '.join(map(str, SIZES))}")
        if (what == "portrait") != (kind == "characters"):
            return _problem(404, route, "no such image")
        if self._people.name_of(int(number)) is None:
            return _problem(404, route, "nobody has this id")
        body, etag = picture(int(number), int(size))
        headers = {"ETag": etag, "Cache-Control": "public, max-age=3600"}
        if question.headers.get("If-None-Match") == etag:
            return Answer(304, b"", headers, route)
        return Answer(200, body, {**headers, "Content-Type": "image/png"}, route)


@lru_cache(maxsize=4096)
def picture(entity_id: int, size: int) -> tuple[bytes, str]:
    """Draw a square of stripes in the colours of an id, as PNG, with its tag."""
    luck = draw(0, "picture", entity_id)
    colours = bytes(luck.randrange(256) for _ in range(4 * 3))
    width = max(1, size // 8)
    row = b"\0" + bytes((x // width) % 4 for x in range(size))
    body = b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", colours),
            _chunk(b"IDAT", zlib.compress(row * size, 1)),
            _chunk(b"IEND", b""),
        )
    )
    return body, f'"{blake2b(body, digest_size=16).hexdigest()}"'


def _chunk(kind: bytes, content: bytes) -> bytes:
    checked = kind + content
    return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))


def _problem(status: int, route: str, message: str) -> Answer:
    return Answer(status, error_body(message), {"Content-Type": "application/json"}, route)
