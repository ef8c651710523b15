"""A scheduler that speaks the protocol and does what the test wrote into `behaviour`."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ipc.channel import Channel
from ipc.child import ForkServer
from ipc.events import Enrolled
from ipc.messages import PROTOCOL_VERSION, BootFailed, StopChild
from ipc.scheduler_messages import (
    AskStatus,
    Begin,
    Do,
    DoneCommand,
    Events,
    JobState,
    Listen,
    SchedulerHeartbeat,
    SchedulerReady,
    StatusPage,
    Summary,
    ToScheduler,
)
from ipc.settings import decode_settings
from ipc.subject import GLOBAL, JobKey


class Fake:
    """One fake scheduler."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.channel: Channel[Any]
        self.folder = Path()
        self.words: dict[str, str] = {}
        self.sent = 0
        self.flood: asyncio.Task[None] | None = None
        self.beat: asyncio.Task[None] | None = None

    def note(self, line: str) -> None:
        with (self.folder / "seen").open("a") as file:
            file.write(line + "\n")

    def leave(self, code: int) -> None:
        if not self.code.done():
            self.code.set_result(code)

    def on_messages(self, messages: list[Any]) -> None:
        for message in messages:
            self.on_message(message)

    def on_message(self, message: Any) -> None:
        match message:
            case Begin():
                settings = decode_settings(message.settings)
                self.folder = Path(settings.data_dir)
                path = self.folder / "behaviour"
                text = path.read_text() if path.exists() else ""
                self.words = dict((word + "=").split("=")[:2] for word in text.split())
                self.note(f"begin {message.generation} {os.getpid()} {time.monotonic():.3f}")
                self.note(f"features {settings.features}")
                self.boot(settings.timings.heartbeat_s)
            case Do():
                self.note(f"do {message.command_id} {type(message.command).__name__}")
                if "flood" in self.words:
                    self.flood = asyncio.create_task(self.send_events(int(self.words["flood"])))
                if "deaf" not in self.words:
                    ok = "refuse" not in self.words
                    self.channel.send(DoneCommand(message.command_id, ok, "fake"))
            case AskStatus():
                job = JobState(JobKey("global.fake", GLOBAL))
                self.channel.send(StatusPage(message.request_id, (job,), last=False))
                self.channel.send(StatusPage(message.request_id, (job, job), last=True))
            case Listen():
                self.note(f"listen {message.on}")
            case StopChild():
                self.note(f"stop {message.grace_s:g}")
                if "stubborn" not in self.words:
                    delay_s = float(self.words.get("slow", 0)) if message.grace_s else 0
                    asyncio.get_running_loop().call_later(delay_s, self.leave, 0)
            case _:
                raise AssertionError(message)

    def boot(self, heartbeat_s: float) -> None:
        loop = asyncio.get_running_loop()
        if "refuse_boot" in self.words:
            code = int(self.words["refuse_boot"])
            self.channel.send(BootFailed(code, "the planted reason"))
            self.channel.close()
            self.leave(code)
            return
        if "exit" in self.words:
            self.leave(int(self.words["exit"]))
            return
        if "never_ready" in self.words:
            return
        if "grandchild" in self.words:
            child = subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(99)"], start_new_session=True
            )
            self.note(f"grandchild {child.pid}")
        if "forkserver" in self.words:
            self.forkserver = ForkServer([])
            self.forkserver.start()
        protocol = PROTOCOL_VERSION + ("skew" in self.words)
        self.channel.send(SchedulerReady(protocol, os.getpid(), epoch=1))
        if "die" in self.words:
            loop.call_later(float(self.words["die"]), os.kill, os.getpid(), signal.SIGKILL)
        if "leave" in self.words:
            loop.call_later(float(self.words["leave"]), self.leave, 0)
        if "garbage" in self.words:
            self.sock_write(b"\xff" * 100)
        if "spin" in self.words:
            loop.call_later(0.1, self.spin)
        self.beat = asyncio.create_task(self.heartbeat(heartbeat_s))

    def sock_write(self, data: bytes) -> None:
        self.channel.send_frame(data)

    def spin(self) -> None:
        while True:
            pass

    async def heartbeat(self, every_s: float) -> None:
        while True:
            self.channel.send(SchedulerHeartbeat(Summary(entries=7, done=self.sent)))
            await asyncio.sleep(every_s)

    async def send_events(self, count: int) -> None:
        now = datetime.now(UTC)  # noqa: TID251
        while self.sent < count:
            batch = tuple(Enrolled(now, GLOBAL) for _ in range(100))
            self.channel.send(Events(batch))
            self.sent += len(batch)
            await self.channel.drained()

    async def run(self) -> int:
        self.channel = await Channel.open(
            self.sock, ToScheduler, self.on_messages, lambda _error: self.leave(82)
        )
        return await self.code


def main(sock: socket.socket) -> int:
    """Be the scheduler."""

    async def run() -> int:
        return await Fake(sock).run()

    return asyncio.run(run())
