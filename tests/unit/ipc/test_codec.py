"""Framing: any chunking gives the same messages, and garbage gives a named error only."""

from __future__ import annotations

import struct

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipc.codec import (
    MAX_FRAME_BYTES,
    FrameDecoder,
    FrameTooLarge,
    GarbageFrame,
    ProtocolError,
    encode,
    encode_onto,
)
from ipc.commands import Enroll
from ipc.control_messages import FromClient, Hello, Request
from ipc.messages import BootFailed, FromWorker, StopChild, ToWorker
from ipc.scheduler_messages import FromScheduler, ToScheduler
from ipc.subject import Subject, SubjectType

MESSAGES = st.one_of(
    st.builds(StopChild, st.floats(0, 1e6)),
    st.builds(BootFailed, st.integers(0, 255), st.text(max_size=50)),
)
UNION = StopChild | BootFailed


def chunks(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in zip(edges, edges[1:], strict=False)]  # noqa: RUF007


@settings(deadline=None)
@given(st.lists(MESSAGES, max_size=8), st.lists(st.integers(0, 10_000), max_size=20))
def test_any_chunking_gives_the_same_messages(
    messages: list[msgspec.Struct], cuts: list[int]
) -> None:
    decoder: FrameDecoder[msgspec.Struct] = FrameDecoder(UNION)
    got: list[msgspec.Struct] = []
    for chunk in chunks(b"".join(map(encode, messages)), cuts):
        got += decoder.feed(chunk)
    assert got == messages
    assert decoder.pending_bytes == 0


@pytest.mark.parametrize(
    "union", [FromClient, FromScheduler, FromWorker, ToScheduler, ToWorker], ids=str
)
@settings(deadline=None)
@given(data=st.binary(max_size=200), frame=st.booleans())
def test_garbage_is_a_protocol_error_or_incomplete(union: object, data: bytes, frame: bool) -> None:
    decoder: FrameDecoder[object] = FrameDecoder(union)
    try:
        decoder.feed(struct.pack(">I", len(data)) + data if frame else data)
    except ProtocolError:
        with pytest.raises(ProtocolError):
            decoder.feed(encode(Hello(1)))


@settings(deadline=None)
@given(st.lists(MESSAGES, min_size=1, max_size=4), st.binary(min_size=1, max_size=40))
def test_messages_before_garbage_are_delivered(
    messages: list[msgspec.Struct], garbage: bytes
) -> None:
    decoder: FrameDecoder[msgspec.Struct] = FrameDecoder(UNION)
    # 0xc1 is never used in msgpack.
    bad = struct.pack(">I", len(garbage) + 1) + b"\xc1" + garbage
    assert decoder.feed(b"".join(map(encode, messages)) + bad) == messages
    assert isinstance(decoder.error, GarbageFrame)
    with pytest.raises(GarbageFrame):
        decoder.feed(b"")


@settings(deadline=None)
@given(st.data())
def test_a_mutated_frame_never_raises_anything_else(data: st.DataObject) -> None:
    frame = bytearray(encode(Request("id", msgspec.convert({"command": "reload"}, _command()))))
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    decoder: FrameDecoder[object] = FrameDecoder(FromClient)
    try:
        decoder.feed(bytes(frame))
    except ProtocolError:
        assert decoder.error is not None


def _command() -> type:
    from ipc.commands import Reload

    return Reload


def test_oversized_frame_is_refused_by_its_header_alone() -> None:
    decoder: FrameDecoder[object] = FrameDecoder(UNION)
    with pytest.raises(FrameTooLarge):
        decoder.feed(struct.pack(">I", MAX_FRAME_BYTES + 1))
    assert decoder.pending_bytes == 0


def test_the_largest_frame_passes_and_one_more_byte_does_not() -> None:
    overhead = len(encode(BootFailed(1, "x" * 70_000))) - 70_000 - 4
    largest = BootFailed(1, "x" * (MAX_FRAME_BYTES - overhead))
    decoder: FrameDecoder[BootFailed] = FrameDecoder(UNION)
    assert decoder.feed(encode(largest)) == [largest]
    with pytest.raises(FrameTooLarge):
        encode(BootFailed(1, largest.reason + "x"))


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (BootFailed(1, "x" * MAX_FRAME_BYTES), FrameTooLarge),
        (BootFailed(1, object()), TypeError),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_sent_leaves_the_frames_before_it_whole(
    message: BootFailed, error: type[Exception]
) -> None:
    frames = bytearray(encode(StopChild(1.0)))
    with pytest.raises(error):
        encode_onto(frames, message)
    encode_onto(frames, StopChild(2.0))
    assert FrameDecoder(UNION).feed(bytes(frames)) == [StopChild(1.0), StopChild(2.0)]


@pytest.mark.parametrize("size_bytes", [1, 4095, 4096, 65535, 65536])
def test_frame_sizes_at_the_edges(size_bytes: int) -> None:
    message = BootFailed(1, "x" * size_bytes)
    decoder: FrameDecoder[BootFailed] = FrameDecoder(UNION)
    frame = encode(message)
    assert decoder.feed(frame[:-1]) == []
    assert decoder.feed(frame[-1:]) == [message]


def test_deep_nesting_is_garbage() -> None:
    deep = b"\x91" * 100_000 + b"\x90"
    decoder: FrameDecoder[object] = FrameDecoder(FromClient)
    with pytest.raises(GarbageFrame):
        decoder.feed(struct.pack(">I", len(deep)) + deep)


@pytest.mark.parametrize("number", [-1, 2**63, 2**64 - 1])
def test_a_subject_that_no_database_can_hold_is_garbage(number: int) -> None:
    """Let through, it would end each scheduler that is given the command."""
    frame = encode(Request("x", Enroll(Subject(SubjectType.CHARACTER, number))))
    with pytest.raises(GarbageFrame):
        FrameDecoder[msgspec.Struct](FromClient).feed(frame)
