"""A character: who it is, where it belonged, its corporation and alliance, its portrait.

Its row is the parent row: the character's other kinds wait for it. Its alliance becomes known
here, and so does its corporation where the character's credential opens it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import asdict
from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs import access
from jobs.entities import (
    ALLIANCE_TARGET,
    CORPORATION_TARGET,
    AllianceWire,
    CorporationWire,
    image_part,
)
from jobs.errors import Gone
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, waiting_ids
from jobs.spec import Context, Kind, Params, Part, PartResult, Route, Target, Wire, Write
from jobs.store import subjects
from jobs.store.schema.profile import (
    bloodline,
    character,
    character_corporation_history,
    character_portrait,
    race,
)
from jobs.store.schema.universe import unknown_id

DAY_S = 86_400
# What unknown_id calls characters that ESI denied. A new character is denied at times, and an
# old one by a slip, so a denial counts once in a wait that doubles: so many take 31 hours or more.
DENIED = "character"
GONE_AFTER_DENIALS = 6

CHARACTER = Route("GET", "/characters/{character_id}", cache_age_s=DAY_S)


class Character(Wire, frozen=True):
    """What GET /characters/{character_id} tells."""

    name: str
    corporation_id: int
    birthday: datetime
    gender: str
    race_id: int
    bloodline_id: int
    achievement_score: int | None = None
    alliance_id: int | None = None
    faction_id: int | None = None
    security_status: float | None = None
    corporation_title: str | None = None
    character_title_id: str | None = None
    description: str | None = None


class Stay(Wire, frozen=True, rename={"started_at": "start_date"}):
    """One corporation that the character was in."""

    record_id: int
    corporation_id: int
    started_at: datetime
    is_deleted: bool | None = None


class Race(Wire, frozen=True):
    """One of the playable races."""

    race_id: int
    name: str
    alliance_id: int
    description: str


class Bloodline(Wire, frozen=True):
    """One bloodline of a race."""

    bloodline_id: int
    name: str
    race_id: int
    corporation_id: int
    ship_type_id: int
    charisma: int
    intelligence: int
    memory: int
    perception: int
    willpower: int
    description: str


PROFILE = Target(character, key=("character_id",), write=Write.UPSERT)


async def sync_profile(context: Context) -> PartResult:
    """Store the character and, together with it, through whom its company is read."""
    subject, now = context.subject, context.now()
    params = {"character_id": subject.id}
    try:
        fetched = await context.fetch(CHARACTER, params, Character)
    except Gone:
        await context.write(lambda connection: note_denied(context, connection))
        raise

    def store(connection: Connection) -> int:
        rows = 0
        if fetched.value is not None:
            rows = context.apply(connection, PROFILE, [asdict(fetched.value)], params)
        forget_unknown(connection, DENIED, [subject.id])
        access.link(connection, subject.id, now)
        return rows

    if fetched.value is None and await context.read(
        lambda connection: (
            access.is_current(connection, subject.id) and not denials(connection, subject.id)
        )
    ):
        return PartResult(fresh_until=fetched.fresh_until)
    return PartResult(rows=await context.write(store), fresh_until=fetched.fresh_until)


def note_denied(context: Context, connection: Connection) -> None:
    """Remember that ESI does not know the character; withdraw it after enough of that."""
    subject, now = context.subject, context.now()
    if subject.id in waiting_ids(connection, DENIED, now):
        return
    note_unknown(context, DENIED, [subject.id], connection)
    if denials(connection, subject.id) >= GONE_AFTER_DENIALS:
        subjects.withdraw(connection, subject, now)
        forget_unknown(connection, DENIED, [subject.id])


def denials(connection: Connection, character_id: int) -> int:
    """Return how many waits in a row ended with ESI not knowing the character."""
    found = connection.scalar(
        select(unknown_id.c.refusals).where(
            unknown_id.c.category == DENIED, unknown_id.c.id == character_id
        )
    )
    return found or 0


def own_corporation(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the one corporation that the character is in."""
    found = access.corporation_of(connection, subject.id)
    return [] if found is None else [{"corporation_id": found}]


def own_alliance(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the alliance that the character is in, if it is in one."""
    home = access.home_of(connection, subject.id)
    return [] if home is None or home.alliance is None else [{"alliance_id": home.alliance.id}]


KIND = Kind(
    name="character.profile",
    subject=SubjectType.CHARACTER,
    feature=None,
    every=timedelta(hours=1),
    summary="Who a character is, its corporations, alliance and portrait.",
    parent=character,
    triggers=("character.assets", "character.wallet"),
    parts=(
        Part(
            name="profile",
            route=CHARACTER,
            wire=Character,
            many=False,
            targets=(PROFILE,),
            run=sync_profile,
        ),
        Part(
            name="history",
            route=Route("GET", "/characters/{character_id}/corporationhistory", cache_age_s=DAY_S),
            wire=Stay,
            targets=(
                Target(
                    character_corporation_history,
                    key=("character_id", "record_id"),
                    write=Write.UPSERT,
                ),
            ),
        ),
        Part(
            name="corporation",
            route=Route("GET", "/corporations/{corporation_id}", cache_age_s=3600),
            wire=CorporationWire,
            many=False,
            fan_out=own_corporation,
            targets=(CORPORATION_TARGET,),
        ),
        Part(
            name="alliance",
            route=Route("GET", "/alliances/{alliance_id}", cache_age_s=3600),
            wire=AllianceWire,
            many=False,
            fan_out=own_alliance,
            targets=(ALLIANCE_TARGET,),
        ),
        image_part(
            name="portrait",
            route=Route("GET", "/characters/{character_id}/portrait", rate_group="char-detail"),
            table=character_portrait,
            key="character_id",
            file="character_{id}.jpg",
        ),
        Part(
            name="races",
            route=Route("GET", "/universe/races"),
            wire=Race,
            optional=True,
            targets=(Target(race, key=("race_id",), write=Write.UPSERT),),
        ),
        Part(
            name="bloodlines",
            route=Route("GET", "/universe/bloodlines"),
            wire=Bloodline,
            optional=True,
            targets=(Target(bloodline, key=("bloodline_id",), write=Write.UPSERT),),
        ),
    ),
)
