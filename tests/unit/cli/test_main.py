from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from cli import app
from cli.app import COMMANDS, build_app
from cli.context import Invocation
from cli.errors import BadInput, CliError, ConfigFault, DaemonRefused, HeldElsewhere, NoDaemon
from cli.main import main
from ipc.config import ConfigError
from ipc.exits import Exit
from jobs.errors import Transient
from jobs.esi.sso import Unverified
from jobs.store.errors import SchemaNewer, StoreDenied, StoreForeign, StoreMissing, StoreUnavailable

ROOT = Path(__file__).parents[3]
Raise = Callable[[BaseException], None]


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Raise:
    """Let `esisyncd` end with an error, whatever it is asked."""

    def arrange(error: BaseException) -> None:
        @click.command()
        @click.argument("arguments", nargs=-1)
        def command(arguments: tuple[str, ...]) -> None:
            raise error

        monkeypatch.setattr("cli.main.build_app", lambda: command)

    return arrange


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CliError("it went wrong", "Do this."), 1),
        (BadInput("it went wrong", "Do this."), 2),
        (NoDaemon("it went wrong", "Do this."), 69),
        (HeldElsewhere("it went wrong", "Do this."), 73),
        (DaemonRefused("it went wrong", "Do this."), 77),
        (ConfigFault("it went wrong", "Do this."), 78),
        (ConfigError("it went wrong"), 78),
        (SchemaNewer("it went wrong"), 78),
        (StoreMissing("it went wrong"), 78),
        (StoreUnavailable("it went wrong"), 1),
        (StoreDenied("it went wrong"), 77),
        (StoreForeign("it went wrong"), 77),
        (Transient("it went wrong"), 1),
    ],
)
def test_each_error_of_a_user_is_a_line_or_two_and_a_code(
    raising: Raise, capsys: pytest.CaptureFixture[str], error: Exception, code: int
) -> None:
    raising(error)
    assert main([]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("esisyncd: it went wrong\n")
    assert len(captured.err.splitlines()) <= 2


def test_a_bug_keeps_its_traceback(raising: Raise, capsys: pytest.CaptureFixture[str]) -> None:
    raising(ZeroDivisionError("oops"))
    assert main([]) == Exit.INTERNAL
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "ZeroDivisionError: oops" in err
    assert "report" in err


@pytest.mark.parametrize(
    "arguments", [("--version",), ("kinds",), ("config", "show"), ("query", "SELECT 1")]
)
def test_output_that_cannot_be_written_is_no_bug(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    settings = {"ESISYNCD_DATA_DIR": str(tmp_path / "data"), "HOME": str(tmp_path)}
    command = [sys.executable, "-P", "-m", "cli"]
    environ = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, "db", "upgrade"], env=environ, check=True, capture_output=True)
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*command, *arguments],
            env=environ, check=False, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert ran.returncode == Exit.FAILURE
    assert ran.stderr == ("esisyncd: standard output cannot be written: No space left on device\n")


def test_an_error_of_a_file_is_not_taken_for_one_of_the_output(
    raising: Raise, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(OSError(errno.ENOSPC, "No space left on device", "/some/file"))
    assert main([]) == Exit.INTERNAL
    assert "/some/file" in capsys.readouterr().err


def test_no_token_of_an_error_is_shown(raising: Raise, capsys: pytest.CaptureFixture[str]) -> None:
    raising(Unverified("the token does not hold", "a-secret-refresh-token"))
    assert main([]) == Exit.REFUSED
    assert "secret" not in capsys.readouterr().err


def test_an_argument_that_is_no_text_is_told(
    raising: Raise, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = "select '\udcff'"
    cause = UnicodeEncodeError("utf-8", odd, 8, 9, "surrogates not allowed")
    wrapped = RuntimeError("a driver's")
    wrapped.__cause__ = cause
    for error in (cause, wrapped):
        raising(error)
        assert main([odd]) == Exit.USAGE
        assert capsys.readouterr().err == "esisyncd: \"select '\\udcff'\" is no text in UTF-8\n"
    # Where no argument has it, it is a bug as any other.
    raising(cause)
    assert main([]) == Exit.INTERNAL


def test_ctrl_c_is_130(raising: Raise) -> None:
    raising(KeyboardInterrupt())
    assert main([]) == 130


def test_the_end_of_input_is_no_interrupt(raising: Raise) -> None:
    raising(EOFError())
    assert main([]) == 1


def test_what_click_refuses_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "nobody"]) == 2
    assert main(["nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err


def test_every_command_exists_under_its_name() -> None:
    group = build_app()
    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert isinstance(command, click.Command)
        assert command.help


def test_help_imports_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    loaded = [name for name in sys.modules if name.startswith("cli.commands.")]
    for name in loaded:
        del sys.modules[name]
    assert main(["--help"]) == 0
    assert not [name for name in sys.modules if name.startswith("cli.commands.")]
    out = capsys.readouterr().out
    assert all(name in out for name in app.COMMANDS)


def groups(
    group: click.Group, context: click.Context
) -> Iterator[tuple[click.Group, click.Context]]:
    """Return a group and those below it, with what they are called in."""
    yield group, context
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            below = click.Context(command, parent=context, info_name=name, terminal_width=80)
            yield from groups(command, below)


def test_no_line_of_help_is_cut_off() -> None:
    app = build_app()
    top = click.Context(app, info_name="esisyncd", terminal_width=80)
    found = list(groups(app, top))
    assert len(found) > 8
    lines = [line for group, context in found for line in group.get_help(context).splitlines()]
    assert [
        line for line in lines if re.search(r"\w\W*\.\.\.$", line) and "Usage:" not in line
    ] == []


def test_the_readme_lists_every_command() -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    rows = [line.split("|")[1] for line in readme.splitlines() if line.startswith("| `")]
    listed = {word.strip("`,") for row in rows for word in row.split()}
    assert set(COMMANDS) <= listed


def test_options_after_a_command_win_over_those_before_it() -> None:
    seen: list[Invocation] = []
    group = build_app()
    context = click.Context(group)
    status = group.get_command(context, "status")
    assert status is not None
    status.callback = lambda **_: seen.append(click.get_current_context().find_root().obj)
    try:
        group.main(
            ["--log-level", "info", "--set", "engine.workers=2", "status", "--log-level", "debug"],
            standalone_mode=False,
        )
    finally:
        del sys.modules["cli.commands.status"]
    assert seen[0].overrides == {"log_level": "debug", "engine.workers": "2"}
    assert seen[0].arguments() == ["--set", "log_level=debug", "--set", "engine.workers=2"]


def test_a_set_without_a_value_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "engine.workers", "status"]) == 2
    assert "KEY=VALUE" in capsys.readouterr().err
