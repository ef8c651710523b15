"""Through which characters corporations and alliances are read: kept true as characters move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, select

from ipc.subject import Subject, SubjectType
from jobs.store import subjects, ways
from jobs.store.schema import core
from jobs.store.schema.profile import character, corporation
from jobs.store.words import words_of_text

# Corporation scopes that do not say so in their name.
_UNNAMED = ("esi-planets.read_customs_offices.",)

# A subject, and the id of a credential through which it is read.
Way = tuple[Subject, int]


def is_corporation_scope(scope: str) -> bool:
    """Tell whether a scope opens a corporation's data; a character's own roles do not."""
    if scope.startswith("esi-characters."):
        return False
    return "corporation" in scope or scope.startswith(_UNNAMED)


def is_alliance_scope(scope: str) -> bool:
    """Tell whether a scope opens an alliance's data."""
    return scope.startswith("esi-alliances.")


_OPENS: Mapping[SubjectType, Callable[[str], bool]] = {
    SubjectType.CORPORATION: is_corporation_scope,
    SubjectType.ALLIANCE: is_alliance_scope,
}


@dataclass(frozen=True, slots=True)
class Home:
    """Where a character or a corporation belongs, as the mirror has it."""

    corporation: Subject
    alliance: Subject | None
    # The alliance is a subject already, in whatever state.
    knows_alliance: bool

    @property
    def both(self) -> tuple[Subject, ...]:
        """Return the corporation, and the alliance where there is one."""
        return (self.corporation,) if self.alliance is None else (self.corporation, self.alliance)


def home_of(connection: Connection, character_id: int) -> Home | None:
    """Return where a character belongs; None if it is not mirrored yet."""
    own = character.c
    return _home(connection, own.corporation_id, own.alliance_id, own.character_id, character_id)


def corporation_of(connection: Connection, character_id: int) -> int | None:
    """Return the corporation that the mirror has for a character; None if it has none."""
    home = home_of(connection, character_id)
    return None if home is None else home.corporation.id


def is_current(connection: Connection, character_id: int) -> bool:
    """Tell whether link() would change nothing."""
    home = home_of(connection, character_id)
    if home is None:
        return True
    present = _present(connection, character_id)
    wanted = _wanted(connection, character_id, home)
    return home.knows_alliance and wanted <= present and not _stale(present, home)


def link(connection: Connection, character_id: int, now: datetime) -> Home | None:
    """Read a character's present corporation and alliance, and no others, through its credentials.

    Both are made subjects: a corporation where a credential opens it, an alliance in any case,
    since who belongs to it is public. Returns where the character belongs.
    """
    home = home_of(connection, character_id)
    if home is None:
        return None
    present = _present(connection, character_id)
    for left, credential_id in sorted(_stale(present, home)):
        ways.unlink(connection, left, credential_id)
    wanted = _wanted(connection, character_id, home)
    opened = {subject for subject, _ in wanted}
    if home.alliance is not None:
        opened.add(home.alliance)
    for subject in sorted(opened):
        subjects.discover(connection, subject, now)
    for subject, credential_id in sorted(wanted - present):
        ways.link(connection, subject, credential_id, now)
    return home


def knows_alliance(connection: Connection, corporation_id: int) -> bool:
    """Tell whether discover_alliance() would change nothing."""
    home = _home_of_corporation(connection, corporation_id)
    return home is None or home.knows_alliance


def discover_alliance(connection: Connection, corporation_id: int, now: datetime) -> None:
    """Make the alliance of a corporation a subject, if it is in one."""
    home = _home_of_corporation(connection, corporation_id)
    if home is not None and home.alliance is not None:
        subjects.discover(connection, home.alliance, now)


def set_roles(
    connection: Connection, character_id: int, roles: frozenset[str], now: datetime
) -> bool:
    """Store the roles that a character has in the corporation it opens; tell whether it does."""
    home = link(connection, character_id, now)
    if home is None:
        return False
    found = [i for way, i in _wanted(connection, character_id, home) if way == home.corporation]
    for credential_id in sorted(found):
        ways.set_roles(connection, credential_id, home.corporation, roles, now)
    return bool(found)


def roles_are_set(connection: Connection, character_id: int, roles: frozenset[str]) -> bool:
    """Tell whether set_roles would change nothing."""
    if not is_current(connection, character_id):
        return False
    stored = connection.scalars(
        select(core.access.c.roles)
        .join(core.credential, core.credential.c.id == core.access.c.credential_id)
        .where(
            core.credential.c.character_id == character_id,
            core.access.c.subject_type == SubjectType.CORPORATION.value,
        )
    )
    return all(text is not None and words_of_text(text) == roles for text in stored)


def _home_of_corporation(connection: Connection, corporation_id: int) -> Home | None:
    own = corporation.c
    return _home(
        connection, own.corporation_id, own.alliance_id, own.corporation_id, corporation_id
    )


def _home(
    connection: Connection, corporation_id: Any, alliance_id: Any, key: Any, of: int
) -> Home | None:
    known = core.subject.c
    row = connection.execute(
        select(corporation_id, alliance_id, known.id)
        .outerjoin(
            core.subject,
            and_(known.type == SubjectType.ALLIANCE.value, known.id == alliance_id),
        )
        .where(key == of)
    ).first()
    if row is None or row[0] <= 0:
        # A number that can be none of a corporation is no place to read.
        return None
    home, alliance, found = row
    alliance = None if alliance is not None and alliance <= 0 else alliance
    return Home(
        Subject(SubjectType.CORPORATION, home),
        None if alliance is None else Subject(SubjectType.ALLIANCE, alliance),
        alliance is None or found is not None,
    )


def _wanted(connection: Connection, character_id: int, home: Home) -> set[Way]:
    """Return the ways that a character's credentials open, by their scopes.

    None to what was forgotten: of that nothing is kept.
    """
    known = core.subject.c
    forgotten = {
        Subject(SubjectType(type_), id_)
        for type_, id_ in connection.execute(
            select(known.type, known.id).where(
                known.type.in_([one.value for one in _OPENS]),
                known.id.in_([one.id for one in home.both]),
                known.state == subjects.State.DELETED.value,
            )
        )
    }
    rows = connection.execute(
        select(core.credential.c.id, core.credential.c.scopes).where(
            core.credential.c.character_id == character_id
        )
    )
    return {
        (subject, credential_id)
        for credential_id, scopes in rows
        for subject in home.both
        if subject not in forgotten and any(map(_OPENS[subject.type], scopes.split()))
    }


def _present(connection: Connection, character_id: int) -> set[Way]:
    """Return the ways that there are through a character's credentials."""
    way = core.access.c
    rows = connection.execute(
        select(way.subject_type, way.subject_id, way.credential_id)
        .join(core.credential, core.credential.c.id == way.credential_id)
        .where(
            core.credential.c.character_id == character_id, subjects.is_of_ours(way.subject_type)
        )
    )
    return {(Subject(SubjectType(type_), id_), credential_id) for type_, id_, credential_id in rows}


def _stale(present: set[Way], home: Home) -> set[Way]:
    """Return the ways to where a character belongs no more."""
    return {way for way in present if way[0] not in home.both}
