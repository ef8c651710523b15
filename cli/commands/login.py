"""`esisyncd login`: a character grants its scopes through EVE's single sign-on."""

from __future__ import annotations

import asyncio
import os
import webbrowser
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
import msgspec

from cli.callback import Callback, Listener
from cli.context import Command, Invocation, pass_invocation, say, tell
from cli.credential_lines import CredentialLine
from cli.credentials import require_client_id, save_credentials
from cli.errors import BadInput, DaemonRefused
from cli.sso import open_sso, open_transport
from cli.store import check_database
from cli.subjects import tell_daemon_to_look
from cli.words import count
from ipc.subject import SubjectType
from ipc.unreadable import UNREADABLE

if TYPE_CHECKING:
    from ipc.settings import Settings
    from jobs.catalog import Catalog
    from jobs.esi.sso import Grant

_TIMEOUT_S = 900.0
_STDIN = 0
_LONGEST_PASTE_BYTES = 1 << 16


@click.command(cls=Command, short_help="Log a character in with EVE's single sign-on.")
@click.option(
    "--features",
    metavar="NAME,...",
    help="Ask for what these features need; else those that are on.",
)
@click.option(
    "--corporation", is_flag=True, help="Mirror the character's corporation and alliance as well."
)
@click.option(
    "--writes", is_flag=True, help="Ask as well for what the outbox needs to write to EVE."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@pass_invocation
def command(
    invocation: Invocation,
    features: str | None,
    corporation: bool,
    writes: bool,
    no_browser: bool,
) -> None:
    """Log a character in: a browser opens, and the answer comes back to this command.

    Where there is no browser, open the printed address on any machine, log in, and paste the
    address that the browser ends up at; it need not load there. It is read from standard input, so
    a pipe will do as well.

    What the character grants takes the place of what it granted before: a login without
    --corporation or --writes ends those, and says so.
    """
    from jobs.catalog import load

    settings = invocation.settings()
    require_client_id(settings)
    catalog = load(settings.kind_packages)
    chosen = chosen_features(settings, catalog, features)
    scopes = wanted_scopes(catalog, chosen, corporation=corporation)
    if writes:
        scopes |= write_scopes(chosen)
    # Before anything is asked: what is granted has to be kept somewhere.
    check_database(settings)
    grant = asyncio.run(_log_in(settings, scopes, no_browser=no_browser))
    corporations = asyncio.run(_corporation_of(settings, grant)) if corporation else []
    saved = save_credentials(
        settings,
        [
            CredentialLine(
                character_id=grant.character_id,
                refresh_token=grant.refresh_token,
                scopes=sorted(grant.scopes),
                access_token=grant.access_token,
                expires_at=grant.expires_at,
                corporations=corporations,
            )
        ],
    )
    running = tell_daemon_to_look(settings, saved.enrolled)
    say(f"{grant.character_name} (character:{grant.character_id}) is logged in")
    missing = scopes - grant.scopes
    if missing:
        tell(f"{count(len(missing), 'scope')} not granted: {', '.join(sorted(missing))}")
    lost = saved.lost.get(grant.character_id, frozenset())
    if lost:
        tell(f"no longer granted: {', '.join(sorted(lost))}")
        tell(f"To have it again: `esisyncd login{options_for(lost, catalog)}`.")
    for one in corporations:
        say(f"corporation:{one} is mirrored through it, as far as its roles go")
    say("the daemon takes it up" if running else "`esisyncd run` begins to mirror it")


def chosen_features(settings: Settings, catalog: Catalog, names: str | None) -> frozenset[str]:
    """Return the features named, or those that are on; BadInput if one does not exist."""
    known = catalog.features()
    if names is None:
        return frozenset(name for name, on in known.items() if settings.features.get(name, on))
    chosen = frozenset(filter(None, (name.strip() for name in names.split(","))))
    unknown = chosen - known.keys()
    if unknown or not chosen:
        wrong = ", ".join(sorted(unknown)) or "nothing"
        raise BadInput(f"there is no feature {wrong}", f"There are: {', '.join(known)}")
    return chosen


def options_for(scopes: frozenset[str], catalog: Catalog) -> str:
    """Return the options of a login that asks for these scopes and for what is on."""
    every = frozenset(catalog.features())
    own = wanted_scopes(catalog, every, corporation=False)
    of_corporation = wanted_scopes(catalog, every, corporation=True) - own
    of_writes = write_scopes(every) - own
    options = " --corporation" if scopes & of_corporation else ""
    return options + (" --writes" if scopes & of_writes else "")


def write_scopes(features: frozenset[str]) -> frozenset[str]:
    """Return the scopes of the writes that belong to these features, as mail.send to mail."""
    from jobs.writes.registry import WRITES

    return frozenset(
        scope
        for write in WRITES.values()
        if write.feature is None or write.feature in features
        for scope in write.scopes
    )


def wanted_scopes(
    catalog: Catalog, features: frozenset[str], *, corporation: bool
) -> frozenset[str]:
    """Return the scopes that the kinds of these features need, and those that are always on."""
    types: Iterable[SubjectType] = [SubjectType.CHARACTER, SubjectType.GLOBAL]
    if corporation:
        types = [*types, SubjectType.CORPORATION, SubjectType.ALLIANCE]
    on = dict.fromkeys(features, True)
    return frozenset(
        scope
        for kind in catalog.values()
        if kind.subject in types and kind.is_on(on)
        for part in kind.parts
        for scope in part.scopes
    )


async def _log_in(settings: Settings, scopes: frozenset[str], *, no_browser: bool) -> Grant:
    from jobs.esi.sso import Challenge

    challenge = Challenge.new()
    callback = settings.sso.callback_url
    async with open_sso(settings) as sso:
        address = await sso.login_url(challenge, callback, scopes)
        async with Listener(Callback(callback), challenge.state) as listener:
            tell(f"Log in at:\n\n{address}\n")
            if not no_browser and not webbrowser.open(address):
                tell("No browser could be opened here.")
            tell("Waiting; or paste the address that the browser ends up at, and press Enter.")
            code = await listener.wait(timeout_s=_TIMEOUT_S, paste=_read_line)
        grant = await sso.redeem(code, challenge, callback)
    if not grant.refresh_token:
        raise DaemonRefused("SSO gave no refresh token, without which nothing can be mirrored")
    return grant


def _read_line() -> str:
    """Return a line of standard input; empty at its end.

    Read past Python's buffer: a thread that waits in there makes the interpreter's end fatal.
    """
    line = b""
    while not line.endswith(b"\n") and len(line) < _LONGEST_PASTE_BYTES:
        try:
            byte = os.read(_STDIN, 1)
        except OSError:
            # A terminal that hung up, or belongs to others: nothing will come from there.
            return ""
        if not byte:
            break
        line += byte
    return line.decode(errors="replace")


class _Member(msgspec.Struct):
    corporation_id: int


async def _corporation_of(settings: Settings, grant: Grant) -> list[int]:
    """Return the corporation that ESI says the character is in; none if it does not answer."""
    from yarl import URL

    from jobs.errors import JobError

    url = URL(f"{settings.esi.base_url}/characters/{grant.character_id}")
    headers = {
        "Accept": "application/json",
        "X-Compatibility-Date": settings.esi.compatibility_date,
    }
    async with open_transport(settings) as transport:
        try:
            answer = await transport.ask("GET", url, headers, reads=True)
            return [msgspec.json.decode(answer.body, type=_Member).corporation_id]
        except (JobError, *UNREADABLE):
            tell("ESI did not tell the corporation now; the daemon finds it with the profile.")
            return []
