"""What is mistyped is answered with what was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ipc.commands import RunNow
from ipc.control_messages import Request
from ipc.scheduler_messages import JobState
from ipc.subject import JobKey, Subject, SubjectType
from tests.unit.cli.fake_supervisor import FakeSupervisor

Esisyncd = Callable[..., Any]
PILOT = Subject(SubjectType.CHARACTER, 90000001)
SEND = ("mail", "send", "1", "--subject", "s", "--body", "b")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("satus",), "there is no command satus\nDid you mean status?"),
        (("zzz",), "there is no command zzz\n`esisyncd --help` lists them."),
        (("outbox", "show", "x"), "'x' is not a valid whole number."),
        (("outbox", "show", "9" * 20), f"{'9' * 20} is not in the range 1<=x<={2**63 - 1}."),
        (("outbox", "retry", "5", str(2**63)), "is not in the range"),
        (("outbox", "cancel", str(2**63)), "is not in the range"),
        (("outbox", "list", "--limit", "9" * 20), "is not in the range"),
        (("outbox", "list", "--subject", "character:" + "9" * 5000), "is no subject"),
        (("mail", "label", "delete", "1", str(2**63)), "is not in the range"),
        (("contact", "add", "1", "5", "--standing", "5", "--label", str(2**63)), "is not in the"),
        ((*SEND, "--to", "character:" + "9" * 5000), "there is no recipient character:999"),
        (("sync", "global", "--timeout", "x"), "'x' is not a valid number."),
        (
            (*SEND, "--to", "corp:98"),
            "there is no recipient corp:98\nWrite character, ",
        ),
        (("mail", "label", "create", "1", "x", "--color", "red"), "There are: #0000fe, #006634,"),
    ],
)
def test_a_slip_is_answered(esisyncd: Esisyncd, arguments: tuple[str, ...], told: str) -> None:
    ran = esisyncd(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_a_configured_name_that_there_is_not_is_told_with_its_place(
    data_dir: Path, esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = data_dir / "config.toml"
    config.write_text(f'data_dir = "{data_dir}"\n[esi]\ncontact = "me"\n[features]\nmial = true\n')
    monkeypatch.setenv("ESISYNCD_RETENTION_SKILLS", "90")
    ran = esisyncd("config", "check")
    assert ran.code == 78
    first, second = ran.err.splitlines()
    assert first == (f"esisyncd: unknown name mial in [features]; did you mean mail? (in {config})")
    assert second.startswith("skills in [retention] has no past that could be removed; ")
    assert second.endswith(" have (in ESISYNCD_RETENTION_SKILLS)")


def test_what_is_set_and_does_nothing_is_told_and_no_fault(
    data_dir: Path, esisyncd: Esisyncd
) -> None:
    (data_dir / "config.toml").write_text(
        f'data_dir = "{data_dir}"\n[esi]\ncontact = "me"\n[market_watch]\nstructures = [5]\n'
    )
    ran = esisyncd("config", "check")
    assert (ran.code, ran.out) == (0, f"{data_dir / 'config.toml'}: good\n")
    assert ran.err == "market_watch.structures does nothing: market_watch is off in [features]\n"


def asked(daemon: FakeSupervisor) -> list[str]:
    """Return the kinds that the daemon was asked to run."""
    commands = [one.command for one in daemon.received if isinstance(one, Request)]
    return [command.kind for command in commands if isinstance(command, RunNow)]


@pytest.fixture
def scheduled(daemon: FakeSupervisor) -> FakeSupervisor:
    """A daemon with three jobs, two of them of the feature contacts."""
    names = ("character.contacts", "character.standings", "character.wallet")
    daemon.jobs = tuple(JobState(JobKey(name, PILOT)) for name in names)
    return daemon


def test_a_feature_stands_for_its_kinds(scheduled: FakeSupervisor, esisyncd: Esisyncd) -> None:
    assert esisyncd("sync", str(PILOT), "--kind", "contacts").code == 0
    assert asked(scheduled) == ["character.contacts", "character.standings"]


def test_a_kind_is_one_and_none_is_all(scheduled: FakeSupervisor, esisyncd: Esisyncd) -> None:
    assert esisyncd("sync", str(PILOT), "--kind", "character.wallet").code == 0
    assert esisyncd("sync", str(PILOT)).code == 0
    assert asked(scheduled) == ["character.wallet", ""]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("character.walet", "Did you mean character.wallet?"),
        ("skills", "Scheduled are: character.contacts, character.standings, character.wallet"),
    ],
)
def test_a_kind_that_is_not_scheduled_is_answered(
    scheduled: FakeSupervisor, esisyncd: Esisyncd, kind: str, told: str
) -> None:
    ran = esisyncd("sync", str(PILOT), "--kind", kind)
    assert ran.code == 2
    assert ran.err == f"esisyncd: {kind} is not scheduled for {PILOT}\n{told}\n"
    assert asked(scheduled) == []
