"""Pictures become files, whole ones, in their folder and nowhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aioresponses import aioresponses

from jobs.errors import BadAnswer, Gone, Transient
from jobs.esi.images import ImageMirror
from jobs.esi.transport import Transport

BASE = "https://images.example"
JPEG = b"\xff\xd8\xff" + b"a picture"


@pytest.fixture
async def transport() -> AsyncIterator[Transport]:
    found = Transport("me@example.com")
    yield found
    await found.close()


def _serve(mock: aioresponses, body: bytes, status: int = 200, path: str = "/c/1") -> None:
    mock.get(BASE + path, status=status, body=body, headers={"Content-Length": str(len(body))})


async def test_new_unchanged_and_changed(
    mocked: aioresponses, transport: Transport, tmp_path: Path
) -> None:
    mirror = ImageMirror(BASE, tmp_path / "images", transport)
    for body, changed in ((JPEG, True), (JPEG, False), (JPEG + b"2", True)):
        _serve(mocked, body)

        assert await mirror.mirror("/c/1", "character_1.jpg") is changed
        assert (tmp_path / "images" / "character_1.jpg").read_bytes() == body

    assert [each.name for each in (tmp_path / "images").iterdir()] == ["character_1.jpg"]


async def test_the_image_server_is_told_neither_token_nor_date(
    mocked: aioresponses, transport: Transport, tmp_path: Path
) -> None:
    _serve(mocked, JPEG)

    await ImageMirror(BASE, tmp_path, transport).mirror("/c/1", "a.jpg")

    ((call,),) = mocked.requests.values()
    assert set(call.kwargs["headers"]) == {"Accept", "User-Agent"}


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (404, b"", Gone), (500, b"", Transient), (403, JPEG, Transient),
        (200, b"<html>sorry</html>", BadAnswer), (200, b"", BadAnswer),
    ],
)  # fmt: skip
async def test_what_is_no_picture_changes_no_file(
    mocked: aioresponses,
    transport: Transport,
    tmp_path: Path,
    status: int,
    body: bytes,
    error: type[Exception],
) -> None:
    (tmp_path / "a.jpg").write_bytes(JPEG)
    _serve(mocked, body, status)

    with pytest.raises(error):
        await ImageMirror(BASE, tmp_path, transport).mirror("/c/1", "a.jpg")

    assert (tmp_path / "a.jpg").read_bytes() == JPEG


@pytest.mark.parametrize("name", ["../a.jpg", "/etc/a.jpg", "a/../../b", "", "."])
async def test_a_name_cannot_leave_the_folder(
    transport: Transport, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ValueError, match="no place"):
        await ImageMirror(BASE, tmp_path, transport).mirror("/c/1", name)


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        (BASE, "/c/1?size=512", f"{BASE}/c/1?size=512"),
        (BASE + "/", "c/1", f"{BASE}/c/1"),
        (BASE + "/images", "/images/c/1", f"{BASE}/images/c/1"),
        (BASE + "/images", "/c/1", f"{BASE}/images/c/1"),
        (BASE, "//evil.example/c/1", f"{BASE}/evil.example/c/1"),
    ],
)
def test_the_server_is_the_configured_one(tmp_path: Path, base: str, path: str, url: str) -> None:
    mirror = ImageMirror(base, tmp_path, Transport(""))

    assert str(mirror._url(path)) == url
