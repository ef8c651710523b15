"""The entry point: runs the command, and is the one place that turns errors into exit codes."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Mapping, Sequence

import click

from cli.app import build_app
from cli.errors import CliError
from ipc.dispositions import ensure_standard_fds
from ipc.exits import Exit
from ipc.plain_text import encodable

INTERRUPTED = 130
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

# Errors of the layers below that a user can meet: class -> exit code and what to do next. They
# are looked up among the loaded modules, so that no command pays for what it does not use.
_FOREIGN: Mapping[str, tuple[Exit, str]] = {
    "ipc.config:ConfigError": (Exit.CONFIG, ""),
    "jobs.catalog:CatalogError": (Exit.CONFIG, ""),
    "jobs.store.errors:StoreDenied": (Exit.REFUSED, "Run this as the user who runs the daemon."),
    "jobs.store.errors:StoreForeign": (Exit.REFUSED, ""),
    "jobs.store.errors:StoreRefused": (Exit.CONFIG, ""),
    "jobs.store.errors:StoreCorrupt": (Exit.CONFIG, ""),
    "jobs.store.errors:StoreMissing": (
        Exit.CONFIG,
        "Check --config; `esisyncd run` or `esisyncd db upgrade` sets a database up.",
    ),
    "jobs.store.errors:StoreUnavailable": (
        Exit.FAILURE,
        "Check [store] url, data_dir and the disk, then try again.",
    ),
    "jobs.store.single:HeldElsewhere": (Exit.HELD, "Stop the other daemon first."),
    "jobs.esi.sso:Misconfigured": (
        Exit.CONFIG,
        "Check [sso] client_id and callback_url against the application's registration.",
    ),
    "jobs.esi.sso:RefreshRefused": (Exit.REFUSED, "Log in again."),
    "jobs.esi.sso:BadToken": (Exit.REFUSED, "Check [sso] base_url."),
    "jobs.esi.sso:Unverified": (Exit.REFUSED, "Check [sso] base_url."),
    "jobs.errors:Transient": (Exit.FAILURE, "Try again later."),
    "jobs.errors:BadAnswer": (Exit.FAILURE, "Check [sso] base_url and [esi] base_url."),
    "ipc.child:SpawnFailed": (Exit.FAILURE, "See what limits processes or memory here."),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; return its exit code."""
    open_closed_streams()
    try:
        code = build_app().main(
            None if arguments is None else list(arguments),
            prog_name="esisyncd",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as abort:
        return _end_interrupted(abort)
    except KeyboardInterrupt as interrupt:
        return _end_interrupted(interrupt)
    except BrokenPipeError:
        # The reader has seen enough.
        _give_output_up()
        return Exit.FAILURE
    except CliError as error:
        return _explain(str(error), error.hint, error.exit_code)
    except Exception as error:  # noqa: BLE001 - top of the process
        if isinstance(error, OSError) and _is_of_output(error):
            _give_output_up()
            what = f"standard output cannot be written: {error.strerror}"
            return _explain(what, "", Exit.FAILURE)
        odd = _odd_argument(error, sys.argv[1:] if arguments is None else arguments)
        if odd is not None:
            return _explain(f"{odd!a} is no text in UTF-8", "", Exit.USAGE)
        reaction = _known(error)
        if reaction is not None:
            # Its reason alone: the other fields of such an error can hold a token.
            return _explain(str(getattr(error, "reason", error)), reaction[1], reaction[0])
        traceback.print_exc()
        return _explain("this is a bug; please report it with the lines above", "", Exit.INTERNAL)
    return code if isinstance(code, int) else Exit.OK


def open_closed_streams() -> None:
    """Give a process that was started with closed standard streams some that lead nowhere.

    Python has None for them, and what is opened next would be written to as if it were one.
    """
    ensure_standard_fds()
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for all of its life
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - as above
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - as above


def _end_interrupted(error: BaseException) -> int:
    if isinstance(error, click.Abort) and isinstance(error.__cause__, EOFError):
        return _explain("the input ended", "", Exit.FAILURE)
    click.echo("interrupted", err=True)
    return INTERRUPTED


def _is_of_output(error: OSError) -> bool:
    """Tell whether standard output could not be written: all other files name themselves."""
    return error.filename is None and error.errno in _FULL


def _give_output_up() -> None:
    """Have nothing flushed into standard output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _odd_argument(error: BaseException | None, arguments: Sequence[str]) -> str | None:
    """Return the argument whose bytes are no text, if that is what an error comes from.

    Where one is no more than a path, it may well have such bytes.
    """
    while error is not None and not isinstance(error, UnicodeEncodeError):
        error = error.__cause__ or error.__context__
    if error is None:
        return None
    return next((one for one in arguments if encodable(one) != one), None)


def _known(error: Exception) -> tuple[Exit, str] | None:
    for name, reaction in _FOREIGN.items():
        module_name, _, class_name = name.partition(":")
        error_class = getattr(sys.modules.get(module_name), class_name, None)
        if error_class is not None and isinstance(error, error_class):
            return reaction
    return None


def _explain(message: str, hint: str, exit_code: Exit) -> int:
    click.echo(f"esisyncd: {message}", err=True)
    if hint:
        click.echo(hint, err=True)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
