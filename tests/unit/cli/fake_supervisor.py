"""A supervisor that answers from a script, on a real Unix socket, in a thread."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from ipc.codec import FrameDecoder, encode
from ipc.control_messages import (
    DaemonState,
    FromClient,
    GetStatus,
    Hello,
    HelloBack,
    Observe,
    Reply,
    Request,
)
from ipc.messages import PROTOCOL_VERSION
from ipc.scheduler_messages import JobState, StatusPage, Summary, WorkerState

Answer = Callable[[FromClient], list[msgspec.Struct] | None]

WELL = DaemonState(
    request_id=0,
    version="0.1.0",
    supervisor_pid=100,
    uptime_s=3725.0,
    scheduler_state="running",
    scheduler_pid=101,
    generation=1,
    epoch=7,
    heartbeat_age_s=0.4,
    summary=Summary(
        workers=tuple(WorkerState(n, 101 + n, "ready", 0) for n in range(1, 5)),
        entries=3,
        due=0,
        in_flight=1,
        done=12,
    ),
    database="/tmp/esisyncd.db",
)


class FakeSupervisor:
    """Answers each message with what `answer` says; None ends the connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = WELL
        self.jobs: tuple[JobState, ...] = ()
        self.received: list[FromClient] = []
        self.reply_status = "done"
        self.reply_text = ""
        self.on_request: Callable[[Request], list[msgspec.Struct]] = lambda _: []
        self.hello: list[msgspec.Struct] = [HelloBack(PROTOCOL_VERSION, "0.1.0", 100)]
        self.page_size = 2
        # The connection ends after the answer to so many Observe messages; 0: never.
        self.close_after = 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._peers: list[tuple[socket.socket, threading.Thread]] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> FakeSupervisor:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        # Nobody is taken in any more once it has ended.
        self._thread.join()
        self._listener.close()
        for peer, thread in self._peers:
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
            thread.join()
            peer.close()

    def answer(self, message: FromClient) -> list[msgspec.Struct] | None:
        """Return the answers to a message."""
        match message:
            case Hello():
                return self.hello
            case GetStatus():
                state = msgspec.structs.replace(self.state, request_id=message.request_id)
                return [state, *(self._pages(message) if message.jobs else ())]
            case Request():
                reply = Reply(message.command_id, self.reply_status, self.reply_text)  # type: ignore[arg-type]
                return [reply, *self.on_request(message)]
            case Observe():
                return []

    def _pages(self, message: GetStatus) -> Iterator[StatusPage]:
        jobs = tuple(job for job in self.jobs if message.subject in (None, job.key.subject))
        pages = [jobs[at : at + self.page_size] for at in range(0, len(jobs), self.page_size)]
        for number, page in enumerate(pages or [()], start=1):
            yield StatusPage(message.request_id, page, last=number == max(1, len(pages)))

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=(peer,), daemon=True)
                self._peers.append((peer, thread))
                thread.start()

    def _serve(self, peer: socket.socket) -> None:
        decoder: FrameDecoder[FromClient] = FrameDecoder(FromClient)
        with contextlib.suppress(OSError):
            while data := peer.recv(65536):
                for message in decoder.feed(data):
                    self.received.append(message)
                    answers = self.answer(message)
                    if answers is None:
                        peer.shutdown(socket.SHUT_RDWR)
                        return
                    peer.sendall(b"".join(map(encode, answers)))
                    if self.close_after and isinstance(message, Observe):
                        peer.shutdown(socket.SHUT_RDWR)
                        return
