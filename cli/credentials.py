"""Writing credentials into the database; used by import, login and the demo alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.credential_lines import CredentialLine
from cli.errors import ConfigFault
from cli.store import open_database
from ipc.clock import SystemClock
from ipc.subject import Subject, SubjectType

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ipc.settings import Settings


def require_client_id(settings: Settings) -> str:
    """Return the client id of the application; ConfigFault if none is set."""
    if not settings.sso.client_id:
        raise ConfigFault(
            "sso.client_id is not set",
            "Register an application at https://developers.eveonline.com and put its Client ID "
            "into [sso] client_id.",
        )
    return settings.sso.client_id


@dataclass(frozen=True, slots=True)
class Saved:
    """What writing credentials brought about."""

    enrolled: list[Subject]
    # Character -> scopes that it had granted before, and has not any more.
    lost: Mapping[int, frozenset[str]]


def save_credentials(settings: Settings, lines: Sequence[CredentialLine]) -> Saved:
    """Write all credentials in one transaction, and enroll what they are for.

    What a character grants now is in the place of all that it granted before.
    """
    from jobs.store import credentials, subjects, ways

    client_id = require_client_id(settings)
    now = SystemClock().now()

    def save(conn: Connection) -> Saved:
        enrolled, lost = [], {}
        for line in lines:
            before = credentials.list_all(conn, line.character_id)
            lost[line.character_id] = frozenset().union(*(one.scopes for one in before)) - (
                line.scope_set
            )
            credential_id = credentials.save_login(
                conn,
                line.character_id,
                client_id,
                line.scope_set,
                line.access_token,
                line.refresh_token,
                line.expires_at or now,
                now,
            )
            enrolled.append(Subject(SubjectType.CHARACTER, line.character_id))
            for corporation_id in line.corporations:
                corporation = Subject(SubjectType.CORPORATION, corporation_id)
                subjects.enroll(conn, corporation, now)
                ways.link(conn, corporation, credential_id, now)
                enrolled.append(corporation)
        return Saved(enrolled, {one: scopes for one, scopes in lost.items() if scopes})

    with open_database(settings, create=True) as database:
        return database.write_now(save)
