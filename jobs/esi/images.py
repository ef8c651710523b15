"""Mirrors portraits and logos as files; a reader sees the old picture or the new one, whole."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path, PurePosixPath

from yarl import URL

from jobs.errors import BadAnswer, Gone, Transient
from jobs.esi.transport import Transport

# Far more than any portrait.
MAX_IMAGE_BYTES = 8 << 20
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF")


class ImageMirror:
    """The image server, and the folder its pictures go to."""

    def __init__(self, base_url: str, folder: Path, transport: Transport) -> None:
        self._base = URL(base_url.rstrip("/"))
        self._folder = folder
        self._transport = transport

    async def mirror(self, path: str, name: str) -> bool:
        """Fetch the picture at path and keep it under name; tell whether it changed.

        path: as `/characters/1/portrait?size=512`, on the configured server. Not ESI: it is told
        neither a token nor a compatibility date, and it knows no error limit.
        """
        target = self._target(name)
        answer = await self._transport.ask(
            "GET", self._url(path), {"Accept": "image/jpeg, image/png, image/webp"}, reads=True
        )
        if answer.status in (404, 410):
            raise Gone(f"there is no image {path}")
        if answer.status != 200:
            raise Transient(f"image {path}: the server answered {answer.status}")
        if len(answer.body) > MAX_IMAGE_BYTES or not answer.body.startswith(_SIGNATURES):
            raise BadAnswer(f"image {path}: what came is no picture")
        return await asyncio.to_thread(_store, target, answer.body)

    def _url(self, path: str) -> URL:
        path = "/" + path.lstrip("/")
        prefix = self._base.path.rstrip("/")
        # ESI names whole addresses, so a path may hold what the configured one begins with.
        url = self._base.origin() if prefix and path.startswith(prefix + "/") else self._base
        url = URL(str(url).rstrip("/") + path)
        if url.origin() != self._base.origin():
            raise BadAnswer(f"image {path} is on another server")
        return url

    def _target(self, name: str) -> Path:
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts or not pure.name:
            raise ValueError(f"{name!r} is no place for an image")
        return self._folder / pure


def _store(target: Path, content: bytes) -> bool:
    """Write the file through a temporary one, unless it holds this already."""
    try:
        if target.read_bytes() == content:
            return False
    except FileNotFoundError:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return True
