"""Framing: a four-byte big-endian length, then one msgpack message; parsed incrementally.

The length is checked before anything is allocated for it, so a peer can cost us at most one
frame of memory.
"""

from __future__ import annotations

import struct
from datetime import datetime
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec

from ipc.plain_text import encodable
from ipc.unreadable import UNREADABLE

T = TypeVar("T")

MAX_FRAME_BYTES = 1 << 20
_HEADER = struct.Struct(">I")
_NO_HEADER = bytes(_HEADER.size)
_ENCODER = msgspec.msgpack.Encoder()


class ProtocolError(Exception):
    """The peer broke the protocol: this connection is lost, and nothing else."""


class FrameTooLarge(ProtocolError):
    """A frame is announced, or was to be sent, that is larger than any message may be."""


class GarbageFrame(ProtocolError):
    """A frame holds no message of this direction."""


def encode(message: msgspec.Struct) -> bytes:
    """Return a message as one frame; FrameTooLarge if it exceeds MAX_FRAME_BYTES."""
    frame = bytearray()
    encode_onto(frame, message)
    return bytes(frame)


def encode_onto(frames: bytearray, message: msgspec.Struct) -> None:
    """Append a message as one frame; if that fails, frames are as they were.

    A text that cannot be encoded, of a file's name or a header, loses those characters: it must not
    cost the message.
    """
    start = len(frames)
    frames += _NO_HEADER
    try:
        try:
            _ENCODER.encode_into(message, frames, start + _HEADER.size)
        except UnicodeEncodeError:
            _ENCODER.encode_into(_mended(message), frames, start + _HEADER.size)
    except BaseException:
        del frames[start:]
        raise
    size_bytes = len(frames) - start - _HEADER.size
    if size_bytes > MAX_FRAME_BYTES:
        del frames[start:]
        raise FrameTooLarge(f"{type(message).__name__} of {size_bytes} bytes")
    _HEADER.pack_into(frames, start, size_bytes)


def _mended(message: msgspec.Struct) -> Any:
    """Return what is encoded as the message would be, if all of its texts could be."""

    def mend(value: Any) -> Any:
        match value:
            case str():
                return encodable(value)
            case dict():
                return {mend(key): mend(each) for key, each in value.items()}
            case list() | tuple():
                return [mend(each) for each in value]
            case _:
                return value

    return mend(msgspec.to_builtins(message, builtin_types=(bytes, datetime)))


@cache
def decoder_of(union: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return the decoder of a union; building one looks through every type in it."""
    return msgspec.msgpack.Decoder(union)


class FrameDecoder(Generic[T]):
    """Turns a stream of bytes, cut anywhere, into the messages of one direction."""

    def __init__(self, union: Any) -> None:
        """Take the union of the messages that may arrive."""
        self._decode = decoder_of(union).decode
        self._buffer = bytearray()
        self._error: ProtocolError | None = None

    @property
    def pending_bytes(self) -> int:
        """Return how much of an unfinished frame is held."""
        return len(self._buffer)

    def feed(self, data: bytes | memoryview) -> list[T]:
        """Return the messages that data completes; ProtocolError ends this decoder's use.

        Messages before the offending frame are returned; the next feed raises the error, which
        `error` tells at once.
        """
        if self._error is not None:
            raise self._error
        buffer = self._buffer
        buffer += data
        decode = self._decode
        messages: list[T] = []
        position = 0
        with memoryview(buffer) as view:
            try:
                while len(buffer) - position >= _HEADER.size:
                    (size_bytes,) = _HEADER.unpack_from(buffer, position)
                    if size_bytes > MAX_FRAME_BYTES:
                        raise FrameTooLarge(f"frame of {size_bytes} bytes announced")
                    end = position + _HEADER.size + size_bytes
                    if len(buffer) < end:
                        break
                    messages.append(decode(view[position + _HEADER.size : end]))
                    position = end
            except UNREADABLE as error:
                self._error = GarbageFrame(str(error))
            except ProtocolError as error:
                self._error = error
        if self._error is not None:
            # Not cleared: the error's traceback still holds a view of it.
            self._buffer = bytearray()
            if not messages:
                raise self._error
            return messages
        if position:
            # Never resized in place: a debugger or profiler may hold a view of a frame.
            self._buffer = buffer[position:]
        return messages

    @property
    def error(self) -> ProtocolError | None:
        """Return what ended this decoder's use, if anything did."""
        return self._error
