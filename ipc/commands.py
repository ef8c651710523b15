"""Commands: what operators and programs ask of the daemon, through the control socket."""

from __future__ import annotations

import msgspec

from ipc.subject import Subject


class _Command(msgspec.Struct, frozen=True, tag_field="command"):
    pass


class Discover(_Command, frozen=True, tag="discover"):
    """Look for credentials and subjects that other programs added or removed."""


class Drain(_Command, frozen=True, tag="drain"):
    """Send what waits in the outbox now."""


class Enroll(_Command, frozen=True, tag="enroll"):
    """Mirror a subject from now on; revives a withdrawn one."""

    subject: Subject


class Withdraw(_Command, frozen=True, tag="withdraw"):
    """Mirror a subject no longer; its rows stay."""

    subject: Subject


class Forget(_Command, frozen=True, tag="forget"):
    """Withdraw a subject for good: its rows will be deleted, and nothing may write new ones."""

    subject: Subject


class Resolve(_Command, frozen=True, tag="resolve"):
    """Ask ESI what has these names; the answer is JSON, name -> [[id, category], ...]."""

    names: tuple[str, ...]


class RunNow(_Command, frozen=True, tag="run_now"):
    """Make the jobs of a subject due now, parked ones included; kind empty: all of them."""

    subject: Subject
    kind: str = ""


class SetFeatures(_Command, frozen=True, tag="set_features"):
    """Take over features and intervals of a changed configuration; settings as bytes."""

    settings: bytes


EngineCommand = Discover | Drain | Enroll | Withdraw | Forget | Resolve | RunNow | SetFeatures


class Restart(_Command, frozen=True, tag="restart"):
    """Restart the scheduler now, out of a backoff or the parked state too; clears the breaker."""


class Reload(_Command, frozen=True, tag="reload"):
    """Read the configuration again."""


class Stop(_Command, frozen=True, tag="stop"):
    """Stop the daemon; now: without waiting for jobs to end."""

    now: bool = False


Command = Discover | Drain | Enroll | Withdraw | Forget | Resolve | RunNow | Restart | Reload | Stop
