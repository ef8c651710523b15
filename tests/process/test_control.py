"""The control socket of a real daemon: who may, what is refused, what is kept, who is slow."""

from __future__ import annotations

import os
import signal
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from ipc.codec import encode
from ipc.commands import Discover, Drain, Enroll, Reload, Restart, Stop
from ipc.control_messages import GetStatus, Hello, Missed, Observe, Refused, Reply, Request
from ipc.events import Enrolled, Restarted, SchedulerUp
from ipc.scheduler_messages import Events, StatusPage
from ipc.subject import GLOBAL
from supervisor.control import MAX_CLIENTS
from tests.process.daemon import Client, Daemon, client_of, fresh_daemon
from tests.processes import eventually, is_alive

pytestmark = pytest.mark.process


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with fresh_daemon() as daemon:
        yield daemon


def test_socket_lock_and_folder_are_their_owners_alone(daemon: Daemon) -> None:
    place = daemon.folder / "data"
    place.mkdir(0o755)
    daemon.configure(data_dir=str(place))
    daemon.start()
    daemon.state("running")
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in (
            place,
            daemon.settings.socket_path,
            place / "esisyncd.lock",
            place / "seen",
        )
    }
    assert set(modes.values()) == {0o700, 0o600}
    assert modes[place.name] == 0o700


def test_a_socket_that_somebody_removed_is_made_again(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    path = daemon.settings.socket_path
    for _ in range(2):
        with closing(Client(path)) as earlier:
            path.unlink()
            with closing(client_of(path)) as later:
                assert later.status().scheduler_state == "running"
            # Who was connected stays so.
            assert earlier.status().scheduler_state == "running"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    assert not path.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_is_refused(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    # Even where the file system would let him in.
    daemon.folder.chmod(0o755)
    daemon.settings.socket_path.chmod(0o666)
    code = (
        "import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX);"
        "s.connect(sys.argv[1]); sys.stdout.buffer.write(s.recv(1000))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(daemon.settings.socket_path)],
        check=True,
        capture_output=True,
    )
    assert b"user 65534 may not control this daemon" in told.stdout


def test_second_daemon_is_told_who_holds_the_place(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    first = daemon.process
    daemon.start()
    assert daemon.wait() == 73
    assert f"process {first.pid}" in daemon.log()
    daemon.process = first
    assert daemon.state("running").generation == 1


def test_second_daemon_on_the_same_database_is_told_who_holds_it(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    with fresh_daemon() as other:
        (other.folder / "link").symlink_to(daemon.folder)
        store = type(other.settings.store)(f"sqlite:///{other.folder}/link/esisyncd.db")
        other.configure(store=store)
        other.start()
        assert other.wait() == 73
        assert f"process {daemon.pid}) holds the database" in other.log()
    assert daemon.client().status().supervisor_pid == daemon.pid


def test_socket_of_another_daemon_is_not_taken_over(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    with fresh_daemon() as other:
        control = type(other.settings.control)(str(daemon.settings.socket_path))
        other.configure(control=control)
        other.start()
        assert other.wait() == 73
        assert "listens on" in other.log()
    assert daemon.client().status().supervisor_pid == daemon.pid


def test_file_in_the_sockets_place_is_left_alone(daemon: Daemon) -> None:
    daemon.settings.socket_path.write_text("precious")
    daemon.start()
    assert daemon.wait() == 77
    assert daemon.settings.socket_path.read_text() == "precious"
    assert "is no socket" in daemon.log()


def test_long_socket_path_is_refused_with_the_path(daemon: Daemon) -> None:
    control = type(daemon.settings.control)(str(daemon.folder / ("s" * 120)))
    daemon.configure(control=control)
    daemon.start()
    assert daemon.wait() == 78
    assert "longer than 107 bytes" in daemon.log()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xff\xff\xff", "FrameTooLarge"),
        (struct.pack(">I", 5) + b"\xc1garb", "GarbageFrame"),
        (struct.pack(">I", 0), "GarbageFrame"),
    ],
)
def test_garbage_costs_one_connection(daemon: Daemon, data: bytes, reason: str) -> None:
    daemon.start()
    other = daemon.client()
    bad = daemon.client()
    bad.sock.sendall(data)
    assert reason in bad.until(Refused).reason
    with pytest.raises((EOFError, ConnectionResetError)):
        bad.receive()
    assert other.status().supervisor_pid == daemon.pid


def test_manners(daemon: Daemon) -> None:
    daemon.start()
    rude = daemon.client(hello=False)
    rude.send(GetStatus(1))
    assert rude.until(Refused).reason == "say hello first"
    old = daemon.client(hello=False)
    old.send(Hello(99))
    assert "protocol 99" in old.until(Refused).reason


def test_who_sends_half_a_frame_is_hung_up_on(daemon: Daemon) -> None:
    daemon.start()
    mute, slow = daemon.client(hello=False), daemon.client()
    slow.sock.sendall(b"\x00\x00\x01\x00abc")
    assert "nothing complete" in slow.until(Refused).reason
    assert "nothing complete" in mute.until(Refused).reason
    assert daemon.state("running").trouble == ""


def test_number_of_clients_is_bounded(daemon: Daemon) -> None:
    daemon.start()
    clients = [daemon.client() for _ in range(MAX_CLIENTS)]
    one_more = daemon.client(hello=False)
    assert "connected already" in one_more.until(Refused).reason
    clients.pop().close()

    def connect() -> bool:
        with closing(Client(daemon.settings.socket_path, hello=False)) as client:
            try:
                client.send(Hello(1))
                return not isinstance(client.receive(), Refused)
            except (BrokenPipeError, ConnectionResetError):
                # Refused before it could say anything.
                return False

    eventually("room again", connect)


def test_abuse_does_not_slow_the_reaction_to_signals(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    flood = daemon.client()
    flood.sock.setblocking(False)
    frame = struct.pack(">I", 32) + b"\x00" * 32
    for _ in range(1000):
        try:
            flood.sock.send(frame * 100)
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            break
    daemon.signal(signal.SIGTERM)
    # Sooner than after any grace.
    assert daemon.wait() == 0


def test_commands_are_answered_once_by_the_engine(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    client = daemon.client()
    assert client.ask(Discover(), "one").status == "done"
    # Asked again by its id, as after a lost answer, it is not applied again.
    assert client.ask(Discover(), "one").status == "done"
    daemon.behave("refuse")
    client.ask(Restart())
    daemon.state("running", 2)
    reply = client.ask(Enroll(GLOBAL), "two")
    assert (reply.status, reply.text) == ("refused", "fake")
    assert [line.split()[1] for line in daemon.seen("do")] == ["one", "two"]


def test_commands_without_engine_are_kept_and_reach_the_next_once(daemon: Daemon) -> None:
    daemon.behave("exit=1")
    daemon.start()
    daemon.down()
    client = daemon.client()
    assert client.ask(Discover(), "a").status == "kept"
    assert client.ask(Drain(), "b").status == "kept"
    assert client.ask(Drain(), "b").status == "kept"
    assert client.status().pending_commands == 2
    daemon.behave("")
    client.ask(Restart())
    daemon.state("running")
    eventually("none pending", lambda: client.status().pending_commands == 0)
    assert daemon.seen("do") == ["do a Discover", "do b Drain"]
    before = daemon.state("running")
    os.kill(before.scheduler_pid, signal.SIGKILL)
    daemon.state("running", before.generation + 1)
    assert daemon.seen("do") == ["do a Discover", "do b Drain"]


def test_command_that_a_dying_engine_took_along_is_sent_again(daemon: Daemon) -> None:
    daemon.behave("deaf")
    daemon.start()
    state = daemon.state("running")
    client = daemon.client()
    client.send(Request("lost", Discover()))
    eventually("command arrived", lambda: daemon.seen("do"))
    daemon.behave("")
    os.kill(state.scheduler_pid, signal.SIGKILL)
    assert client.until(Reply).status == "kept"
    daemon.state("running", 2)
    eventually("none pending", lambda: client.status().pending_commands == 0)
    assert daemon.seen("do") == ["do lost Discover", "do lost Discover"]


def test_full_store_says_so(daemon: Daemon) -> None:
    daemon.behave("exit=1")
    daemon.start()
    daemon.down()
    client = daemon.client()
    for number in range(1001):
        client.send(Request(f"c{number}", Discover()))
    replies = [client.until(Reply).status for _ in range(1001)]
    assert replies == ["kept"] * 1000 + ["full"]


def test_status_of_jobs_is_relayed_in_pages(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    client = daemon.client()
    client.send(GetStatus(77, jobs=True))
    pages = [client.until(StatusPage), client.until(StatusPage)]
    assert [(page.request_id, len(page.jobs), page.last) for page in pages] == [
        (77, 1, False),
        (77, 2, True),
    ]
    eventually("summary", lambda: (s := client.status().summary) is not None and s.entries == 7)


def test_questions_of_a_client_are_bounded(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    other, curious = daemon.client(), daemon.client()
    curious.sock.sendall(b"".join(encode(GetStatus(n, jobs=True)) for n in range(100)))
    assert "wait for their answer" in curious.until(Refused).reason
    other.send(GetStatus(1, jobs=True))
    assert other.until(StatusPage).request_id == 1


def test_status_of_jobs_without_engine_is_empty(daemon: Daemon) -> None:
    daemon.behave("exit=1")
    daemon.start()
    daemon.down()
    client = daemon.client()
    client.send(GetStatus(5, jobs=True))
    assert client.until(StatusPage) == StatusPage(5, (), last=True)


def test_observer_sees_death_and_return(daemon: Daemon) -> None:
    daemon.start()
    state = daemon.state("running")
    observer = daemon.client()
    observer.send(Observe())
    eventually("listening", lambda: daemon.seen("listen True"))
    os.kill(state.scheduler_pid, signal.SIGKILL)
    restarted = observer.until(Events).events[0]
    assert isinstance(restarted, Restarted)
    assert "killed by signal 9" in restarted.reason
    up = observer.until(Events).events[0]
    assert isinstance(up, SchedulerUp)
    assert up.generation == 2
    observer.close()
    eventually("no longer listening", lambda: daemon.seen("listen False"))


def test_slow_observer_is_told_what_it_missed_and_slows_nobody(daemon: Daemon) -> None:
    count = 100_000
    daemon.behave(f"flood={count}")
    daemon.start()
    daemon.state("running")
    slow, quick = daemon.client(), daemon.client()
    for client in (slow, quick):
        client.send(Observe())
        # Answered after it: the client observes.
        client.status()
    quick.send(Request("flood", Discover()))

    def receive(client: Client) -> tuple[int, int]:
        got = missed = 0
        while got + missed < count:
            message = client.receive()
            if isinstance(message, Events):
                got += sum(isinstance(event, Enrolled) for event in message.events)
            elif isinstance(message, Missed):
                missed += message.events
        return got, missed

    # The quick one is not held up by the one that does not read at all.
    assert sum(receive(quick)) == count
    got, missed = receive(slow)
    assert missed > 0
    assert got + missed == count
    assert daemon.state("running").generation == 1


def test_reload_sends_the_new_features_and_tells_what_must_wait(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    client = daemon.client()
    daemon.configure(features={"mail": False}, log_level="debug")
    reply = client.ask(Reload())
    assert reply.status == "done"
    assert reply.text == "feature mail is off; log_level: changes with `esisyncd restart`"
    assert daemon.seen("do") == ["do reload-1 SetFeatures"]


def test_bad_reload_keeps_the_old_and_says_why(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    client = daemon.client()
    (daemon.folder / "settings.json").write_text("{")
    assert client.ask(Reload()).status == "refused"
    assert "reload:" in client.status().trouble
    for _ in range(50):
        daemon.signal(signal.SIGHUP)
    eventually("told in the log", lambda: "old configuration stays" in daemon.log())
    assert daemon.seen("do") == []
    daemon.configure()
    daemon.signal(signal.SIGHUP)
    eventually("trouble over", lambda: client.status().trouble == "")


def test_reload_to_what_may_not_run_is_refused(daemon: Daemon) -> None:
    daemon.start()
    daemon.state("running")
    esi = type(daemon.settings.esi)()
    daemon.configure(esi=esi)
    reply = daemon.client().ask(Reload())
    assert reply.status == "refused"
    assert "esi.contact is empty" in reply.text


def test_reload_in_a_backoff_reaches_the_next_engine(daemon: Daemon) -> None:
    daemon.behave("exit=1")
    daemon.start()
    daemon.down()
    client = daemon.client()
    daemon.configure(features={"mail": False})
    assert client.ask(Reload()).status == "done"
    daemon.behave("")
    client.ask(Restart())
    daemon.state("running")
    # Only an engine knows the names, so it is told when it is there to refuse them.
    eventually("the engine is told", lambda: daemon.seen("do") == ["do reload-1 SetFeatures"])
    assert daemon.seen("features")[-1] == "features {}"


def test_usr2_logs_the_tree(daemon: Daemon) -> None:
    daemon.start()
    state = daemon.state("running")
    daemon.signal(signal.SIGUSR2)
    eventually("tree", lambda: f"{state.scheduler_pid} scheduler" in daemon.log())
    assert f"{daemon.pid} esisyncd" in daemon.log()


def test_stop_by_command(daemon: Daemon) -> None:
    daemon.behave("stubborn")
    daemon.start()
    pid = daemon.state("running").scheduler_pid
    client = daemon.client()
    assert client.ask(Stop(now=True)).status == "done"
    # Sooner than after the grace.
    assert daemon.wait() == 0
    assert not is_alive(pid)


def test_reader_of_the_log_that_stalls_holds_nothing_up(daemon: Daemon) -> None:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):
        theirs.setblocking(True)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        daemon.start(stderr_fd=theirs.fileno())
        daemon.state("running")
        client = daemon.client()
        for _ in range(300):
            daemon.signal(signal.SIGUSR2)
            assert client.status().scheduler_state == "running"
        daemon.signal(signal.SIGTERM)
        assert daemon.wait() == 0
