"""Mains for real child processes in the tests of ipc.child."""

from __future__ import annotations

import os
import signal
import socket
import time


def echo(sock: socket.socket) -> int:
    """Send back what comes, until the end; then leave with 7."""
    sock.setblocking(True)
    while data := sock.recv(4096):
        sock.sendall(data)
    return 7


def facts(sock: socket.socket) -> int:
    """Tell who this process is, and which signals it ignores and blocks."""
    blocked = sorted(int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
    ignored = signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    text = f"{os.getpid()} {os.getppid()} {int(ignored)} {len(blocked)}"
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC"):
        text += f" {int(name in os.environ)}"
    sock.sendall(text.encode())
    return 0


def spin(sock: socket.socket) -> int:
    """Never look at anything again."""
    sock.sendall(b"spinning")
    while True:
        pass


def raises(sock: socket.socket) -> int:
    """End by an error."""
    raise ValueError("planted")


def own_forkserver(sock: socket.socket) -> int:
    """Be a scheduler: own a forkserver with one spinning child, tell both pids, then wait."""
    return _own_forkserver(sock, is_branch=False)


def own_branch(sock: socket.socket) -> int:
    """Be such a scheduler, whose forkserver is a fork of it."""
    return _own_forkserver(sock, is_branch=True)


def _own_forkserver(sock: socket.socket, *, is_branch: bool) -> int:
    import asyncio

    from ipc.child import ForkServer

    server = ForkServer([])

    async def run() -> int:
        # As the scheduler does: with its loop running.
        server.branch() if is_branch else server.start()
        child = await server.start_child("child_entries:spin", "spinner")
        await asyncio.get_running_loop().sock_recv(child.sock, 100)
        return child.pid

    # Told when the loop is closed: what is looked at then stays as it is.
    child_pid = asyncio.run(run())
    sock.sendall(f"{server.pid} {child_pid}".encode())
    time.sleep(60)
    return 0
