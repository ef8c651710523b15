"""A real systemd as process 1 of private namespaces, over a throw-away copy of this machine.

Needs root, an overlay file system and the systemd package; nothing outside the namespaces changes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.processes import children_of

ROOT = Path(__file__).parent.parent.parent
UNIT = ROOT / "deploy" / "esisyncd.service"
SYSTEMD = Path("/lib/systemd/systemd")
CGROUPS = Path("/sys/fs/cgroup")
DEADLINE_S = 180.0

# The machine has its own, and so nothing of ours in them.
HIDDEN = ("dev", "proc", "run", "sys", "tmp")

# They want devices, clocks or networks that are not there.
MASKED = (
    "systemd-udevd",
    "systemd-sysctl",
    "systemd-update-utmp",
    "systemd-journal-flush",
    "systemd-networkd",
    "systemd-resolved",
    "systemd-timesyncd",
)

# Runs in the new namespaces: gives the copy its own kernel file systems, and becomes its process 1.
BOOT = r"""
set -e
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
for folder in sys/fs/cgroup run tmp dev; do mount -t tmpfs tmpfs "$root/$folder"; done
mkdir "$root/sys/fs/cgroup/systemd" "$root/sys/fs/cgroup/unified"
mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
for node in null zero full random urandom tty; do
    mknod -m 666 "$root/dev/$node" c $(stat -c '0x%t 0x%T' "/dev/$node")
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs tmpfs "$root/dev/shm"
cd "$root"
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --log-target=null --show-status=0 --unit=basic.target
"""


def interpreter() -> Path | None:
    """Return a Python that another user may run, of our own version; None if there is none."""
    version = f"python3.{sys.version_info.minor}"
    for path in (Path(sys.executable).resolve(), Path("/usr/bin") / version):
        if path.exists() and path.parts[1] not in ("root", "home"):
            return path
    return None


def _imported_from() -> list[str]:
    """Return the folders that the service imports from."""
    return [str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]


def why_not() -> str:
    """Return why no systemd can be started here; empty if one can."""
    if os.geteuid() != 0:
        return "only root can make namespaces"
    if not SYSTEMD.exists():
        return "systemd is not installed"
    if not all((CGROUPS / name / "cgroup.procs").exists() for name in ("systemd", "unified")):
        return "this machine has no cgroup hierarchies to share"
    if any(path.parts[1] in HIDDEN for path in map(Path, _imported_from())):
        return "this checkout or its packages lie where the machine has folders of its own"
    if interpreter() is None:
        return "no Python is installed where a service may run it"
    return ""


class Machine:
    """The running systemd."""

    def __init__(self, root: Path, leader: int) -> None:
        self.root = root
        self._leader = leader

    def run(self, *command: str, check: bool = True) -> str:
        """Run a command inside, and return what it said."""
        done = subprocess.run(
            ["nsenter", "-t", str(self._leader), "-a", *command],
            check=False,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )
        assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def show(self, name: str) -> str:
        """Return a property of the service."""
        return self.run("systemctl", "show", "esisyncd", "-p", name, "--value")

    def wait(self, name: str, fits: Callable[[str], bool]) -> str:
        """Wait for a property of the service, and return it."""
        deadline = time.monotonic() + DEADLINE_S
        while not fits(value := self.show(name)):
            assert time.monotonic() < deadline, f"{name} is {value!r}\n{self.journal()}"
            time.sleep(0.05)
        return value

    def wait_for_log(self, text: str) -> None:
        """Wait until the service has logged something: the journal is behind what happens."""
        deadline = time.monotonic() + DEADLINE_S
        while text not in (journal := self.journal()):
            assert time.monotonic() < deadline, f"no {text!r} in {journal}"
            time.sleep(0.05)

    def journal(self) -> str:
        """Return what the service logged last."""
        return self.run("journalctl", "-u", "esisyncd", "-n", "200", "--no-pager", check=False)


def _prepare(root: Path) -> None:
    paths = _imported_from()
    # The service's user must get at the packages, wherever this environment lies. An overlay
    # takes the changed modes; the machine's own folders keep theirs.
    for folder in {parent for path in paths for parent in (Path(path), *Path(path).parents)}:
        inside = root / folder.relative_to("/")
        if folder.is_dir() and folder != Path("/"):
            inside.chmod(inside.stat().st_mode | 0o055)
    program = root / "opt/esisyncd/bin/esisyncd"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\nexport PYTHONPATH={":".join(paths)}\nexec {interpreter()} -P -m cli "$@"\n'
    )
    program.chmod(0o755)
    units = root / "etc/systemd/system"
    shutil.copy(UNIT, units / "esisyncd.service")
    for name in MASKED:
        with contextlib.suppress(FileExistsError):
            (units / f"{name}.service").symlink_to("/dev/null")
    subprocess.run(
        ["chroot", str(root), "useradd", "--system", "--home-dir", "/var/lib/esisyncd", "esisyncd"],
        check=True,
        capture_output=True,
    )


@contextmanager
def booted() -> Iterator[Machine]:
    """Boot, and remove every trace afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="xsd", dir="/tmp"))
    layers, root = folder / "layers", folder / "root"
    cgroups = [CGROUPS / name / folder.name for name in ("systemd", "unified")]
    process: subprocess.Popen[bytes] | None = None
    try:
        layers.mkdir()
        root.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", layers], check=True)
        for name in ("upper", "work"):
            (layers / name).mkdir()
        options = f"lowerdir=/,upperdir={layers}/upper,workdir={layers}/work"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, root], check=True)
        _prepare(root)
        (folder / "boot").write_text(BOOT)
        for cgroup in cgroups:
            cgroup.mkdir()
        enter = "; ".join(f"echo $$ > {cgroup}/cgroup.procs" for cgroup in cgroups)
        spaces = "--pid --fork --kill-child --mount --uts --ipc --net --cgroup"
        process = subprocess.Popen(
            ["sh", "-c", f"{enter}; exec unshare {spaces} sh {folder}/boot {root}"],
            stdin=subprocess.DEVNULL,
        )
        yield _await(root, process.pid)
    finally:
        if process is not None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        for mount in (root, layers):
            subprocess.run(["umount", mount], check=False, capture_output=True)
        for cgroup in cgroups:
            _remove(cgroup)
        shutil.rmtree(folder, ignore_errors=True)


def _await(root: Path, pid: int) -> Machine:
    deadline = time.monotonic() + DEADLINE_S
    state = "no process yet"
    while time.monotonic() < deadline:
        with contextlib.suppress(IndexError, AssertionError):
            machine = Machine(root, children_of(pid)[0])
            state = machine.run("systemctl", "is-system-running", check=False)
            if state in ("running", "degraded"):
                return machine
        time.sleep(0.1)
    raise AssertionError(f"systemd does not come up: {state}")


def _remove(cgroup: Path) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while cgroup.exists() and time.monotonic() < deadline:
        for below in sorted(cgroup.rglob("*"), reverse=True):
            if below.is_dir():
                with contextlib.suppress(OSError):
                    below.rmdir()
        with contextlib.suppress(OSError):
            cgroup.rmdir()
        time.sleep(0.02)
