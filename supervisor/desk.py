"""The desk at the control socket: what each message of a client means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, assert_never

from ipc.commands import Command, EngineCommand, Reload, Restart, Stop
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
from ipc.scheduler_messages import AskStatus, DoneCommand, Events, StatusPage
from supervisor.control import Client
from supervisor.observers import Observers
from supervisor.pending import Pending

_MAX_ID_CHARS = 100
# Each is a list of all jobs, which the engine makes beside its work.
_MAX_QUESTIONS = 16


class Daemon(Protocol):
    """What the desk asks of the daemon."""

    version: str
    pid: int

    @property
    def is_engine_running(self) -> bool:
        """Tell whether a scheduler takes commands now."""

    def state(self, request_id: int) -> DaemonState:
        """Return the daemon's state."""

    def restart(self, why: str) -> str:
        """Restart the engine; return what will be, in words."""

    def stop_for_client(self, *, at_once: bool) -> None:
        """Stop the daemon, which no service manager shall start again."""

    def reload(self, done: Callable[[bool, str], None]) -> None:
        """Read the configuration again, and tell how it went."""

    def ask_engine(self, message: AskStatus) -> None:
        """Send a question to the scheduler."""

    def flush_commands(self) -> None:
        """Send the scheduler the commands that wait for it."""

    def listen(self, *, on: bool) -> None:
        """Tell the scheduler whether anybody observes."""


class Desk:
    """Answers clients; holds the commands under way, the observers and the questions asked."""

    def __init__(self, daemon: Daemon) -> None:
        self.pending: Pending[Client] = Pending()
        self.observers = Observers()
        self._daemon = daemon
        self._questions: dict[int, tuple[Client, int]] = {}
        self._next_question = 1

    # --- from clients ---

    def handle(self, client: Client, message: FromClient) -> None:
        """Act on one message of a client."""
        if not client.said_hello and not isinstance(message, Hello):
            client.refuse("say hello first")
            return
        match message:
            case Hello():
                self._hello(client, message)
            case Request():
                self._request(client, message.command_id, message.command)
            case GetStatus():
                self._status(client, message)
            case Observe():
                self.observers.add(client)
                self._daemon.listen(on=True)
            case _:
                assert_never(message)

    def client_gone(self, client: Client) -> None:
        """Forget a client; its commands stay."""
        self.pending.forget_asker(client)
        before = len(self.observers)
        self.observers.remove(client)
        if before and not len(self.observers):
            self._daemon.listen(on=False)
        for question, (asker, _) in list(self._questions.items()):
            if asker is client:
                del self._questions[question]

    # --- from the scheduler ---

    def command_done(self, done: DoneCommand) -> None:
        """Answer who asked for it."""
        asker = self.pending.done(done)
        if asker is not None:
            asker.send(_reply(done))

    def status_page(self, page: StatusPage) -> None:
        """Pass a page on to who asked for it."""
        asked = self._questions.get(page.request_id)
        if asked is None:
            return
        if page.last:
            del self._questions[page.request_id]
        client, request_id = asked
        client.send(StatusPage(request_id, page.jobs, page.last))

    def events(self, message: Events) -> None:
        """Pass events on to the observers."""
        self.observers.publish(message)

    def engine_gone(self, *, by_death: bool) -> None:
        """Answer what the dead scheduler did not; by_death: nobody had asked it to leave."""
        for command_id, client in self.pending.lost(by_death=by_death):
            refused = self.pending.result(command_id)
            kept = Reply(command_id, "kept", "the engine died; its successor gets this")
            client.send(kept if refused is None else _reply(refused))
        questions, self._questions = self._questions, {}
        for client, request_id in questions.values():
            client.send(StatusPage(request_id, (), last=True))

    # --- one kind of message each ---

    def _hello(self, client: Client, message: Hello) -> None:
        if message.protocol != PROTOCOL_VERSION:
            client.refuse(
                f"the client speaks protocol {message.protocol}, the daemon {PROTOCOL_VERSION}; "
                "restart the daemon after an upgrade"
            )
            return
        client.said_hello = True
        client.send(HelloBack(PROTOCOL_VERSION, self._daemon.version, self._daemon.pid))

    def _status(self, client: Client, message: GetStatus) -> None:
        client.send(self._daemon.state(message.request_id))
        if not message.jobs:
            return
        if not self._daemon.is_engine_running:
            client.send(StatusPage(message.request_id, (), last=True))
            return
        if sum(asker is client for asker, _ in self._questions.values()) >= _MAX_QUESTIONS:
            client.refuse(f"{_MAX_QUESTIONS} questions of this client wait for their answer")
            return
        question, self._next_question = self._next_question, self._next_question + 1
        self._questions[question] = (client, message.request_id)
        self._daemon.ask_engine(AskStatus(question, message.subject))

    def _request(self, client: Client, command_id: str, command: Command) -> None:
        if not 0 < len(command_id) <= _MAX_ID_CHARS:
            client.refuse(f"a command's id has 1 to {_MAX_ID_CHARS} characters")
            return
        match command:
            case Restart():
                client.send(Reply(command_id, "done", self._daemon.restart("a client asked")))
            case Stop():
                client.send(Reply(command_id, "done", "stopping"))
                self._daemon.stop_for_client(at_once=command.now)
            case Reload():
                self._daemon.reload(
                    lambda ok, text: client.send(
                        Reply(command_id, "done" if ok else "refused", text)
                    )
                )
            case _:
                self._engine_command(client, command_id, command)

    def _engine_command(self, client: Client, command_id: str, command: EngineCommand) -> None:
        done = self.pending.result(command_id)
        if done is not None:
            client.send(_reply(done))
            return
        if self.pending.add(command_id, command, client) == "full":
            client.send(Reply(command_id, "full", "too many commands wait for the engine"))
        elif self._daemon.is_engine_running:
            self._daemon.flush_commands()
        else:
            self.pending.answered(command_id)
            client.send(Reply(command_id, "kept", "the engine is down; its successor gets this"))


def _reply(done: DoneCommand) -> Reply:
    return Reply(done.command_id, "done" if done.ok else "refused", done.text)
