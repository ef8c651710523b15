"""`esisyncd forget`: a subject, its rows, its images and its grant are gone for good."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.context import SUBJECT, Command, Invocation, confirmed, pass_invocation, say, tell
from cli.errors import BadInput, CliError, NotYet
from cli.store import open_database
from cli.subjects import change_in_database, change_subject, require_known
from cli.words import count
from ipc.commands import Forget
from ipc.exits import Exit
from ipc.subject import GLOBAL, Subject, SubjectType

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ipc.settings import Settings
    from jobs.store.credentials import Tokens


@click.command(cls=Command, short_help="Delete a subject, its rows and its credential.")
@click.argument("subject", type=SUBJECT)
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_invocation
def command(invocation: Invocation, subject: Subject, yes: bool) -> int:
    """Delete SUBJECT for good: its grant at SSO is revoked, its rows and images are deleted.

    What is shared with other subjects stays, such as names. Only `enroll` or `login` begins anew.
    """
    if subject == GLOBAL:
        raise BadInput("the global subject owns nothing that could be deleted")
    settings = invocation.settings()
    with open_database(settings):
        # Before anything is asked: is there a database, and is it ours?
        pass
    require_known(settings, subject)
    question = f"Delete all rows, images and credentials of {subject} in {settings.data_dir}?"
    if not confirmed(question, yes=yes):
        raise CliError("nothing was deleted")
    # A daemon that is slow to do it has been told; what follows does not go on by itself.
    with contextlib.suppress(NotYet):
        change_subject(invocation, Forget(subject), done=f"{subject} is forgotten")
    # Also where a daemon runs whose scheduler is down: nothing may be written from now on.
    change_in_database(settings, Forget(subject))
    revoked = _revoke(settings, subject)
    rows = _delete_rows(settings, subject)
    images = _delete_images(settings, subject)
    say(f"{subject}: {count(sum(rows.values()), 'row')} and {count(images, 'image')} deleted")
    return Exit.OK if revoked else Exit.FAILURE


def _revoke(settings: Settings, subject: Subject) -> bool:
    """Give the grants back; tell the user where that must be done by hand."""
    if subject.type is not SubjectType.CHARACTER:
        return True
    from jobs.errors import JobError

    for grant in _grants(settings, subject.id):
        try:
            asyncio.run(_revoke_one(settings, grant))
        except JobError as error:
            tell(f"the grant could not be revoked: {getattr(error, 'reason', error)}")
            tell("Revoke it at https://developers.eveonline.com/authorized-apps yourself.")
            return False
        say(f"the grant of character {grant.character_id} is revoked")
    return True


def _grants(settings: Settings, character_id: int) -> list[Tokens]:
    from jobs.store import credentials

    def read(conn: Connection) -> list[Tokens]:
        found = [one for one in credentials.list_all(conn) if one.character_id == character_id]
        tokens = [credentials.tokens(conn, one.id) for one in found]
        return [one for one in tokens if one is not None]

    with open_database(settings) as database:
        return database.read_now(read)


async def _revoke_one(settings: Settings, grant: Tokens) -> None:
    from cli.sso import open_sso

    async with open_sso(settings) as sso:
        await sso.revoke(grant.refresh_token, grant.client_id)


def _delete_rows(settings: Settings, subject: Subject) -> dict[str, int]:
    from jobs.store import subjects

    with open_database(settings) as database:
        return database.write_now(lambda conn: subjects.delete_rows(conn, subject))


def _delete_images(settings: Settings, subject: Subject) -> int:
    images: list[Path] = list(settings.image_dir.glob(f"{subject.type}_{subject.id}.*"))
    for image in images:
        image.unlink(missing_ok=True)
    return len(images)
