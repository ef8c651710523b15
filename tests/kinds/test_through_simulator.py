"""Every kind through the worker's real path, against the simulated EVE."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Select, func, select

from engine.grants import plan
from engine.world import read_world
from ipc.clock import SystemClock
from ipc.messages import Acquire, Grant, Message, PartGrant, RunJob
from ipc.outcome import Token
from ipc.settings import (
    Esi,
    Images,
    MarketWatch,
    Settings,
    Sso,
    Store,
    Timings,
    Zkillboard,
)
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs import catalog
from jobs.kinds.global_.killmail_values import to_ask
from jobs.leases import Leases
from jobs.logbook import Logbook
from jobs.pipeline import run_kind
from jobs.spec import Kind
from jobs.store import credentials, fence, subjects, ways
from jobs.store.database import Database
from jobs.store.schema import metadata
from jobs.store.upgrade import prepare
from jobs.summary import Ending
from jobs.tools import Tools
from simulator.config import SimulatorConfig
from simulator.faults import FaultRule
from simulator.serve import RunningEve, start
from simulator.universe.static import NPC_CORPORATIONS
from simulator.universe.structures import FOREIGN_IDS, OPEN
from tests.clocks import ManualClock

PLANET = metadata.tables["character_planet"].c
PIN = metadata.tables["character_planet_pin"].c
CONTRACT = metadata.tables["character_contract"].c
CATALOG = catalog.load(["jobs.kinds"])
# As a scheduler would have them: profiles first, what is derived last.
FIRST = ("character.profile", "character.roles", "corporation.profile")
LAST = (
    "character.abyssals",
    "corporation.abyssals",
    "character.structure_names",
    "global.name_resolution",
    "global.affiliation",
    "global.net_worth_snapshot",
)


class World:
    """A simulated EVE, a database, and the tools of a worker between them."""

    def __init__(self, eve: RunningEve, tools: Tools, clock: ManualClock) -> None:
        self.eve = eve
        self.tools = tools
        self.clock = clock
        self.credentials: dict[int, int] = {}
        self._ids = itertools.count(1)

    async def log_in(self) -> None:
        """Store a credential of every character."""
        for character_id in self.eve.services.esi.world.people.character_ids:
            made = self.eve.services.control.tokens(character_id, access=True)
            self.credentials[character_id] = await self.tools.write(
                partial(save, made, self.clock.now())
            )

    async def run(self, kind: Kind, subject: Subject, credential_id: int = 0) -> Ending:
        """Run every part of a kind under one credential."""
        order = RunJob(
            job_id=next(self._ids),
            attempt=1,
            epoch=self.tools.epoch,
            key=JobKey(kind.name, subject),
            deadline_s=60.0,
            grants=tuple(
                PartGrant(part.name, credential_id if part.scopes else 0) for part in kind.parts
            ),
        )
        return await run_kind(self.tools, kind, order)

    async def pass_once(self) -> dict[str, Ending]:
        """Run every kind for every subject that it has, in a sensible order."""
        middle = [name for name in CATALOG if name not in FIRST + LAST]
        ends: dict[str, Ending] = {}
        for name in (*FIRST, *middle, *LAST):
            kind = CATALOG[name]
            for subject, credential_id in await self._jobs(kind):
                ends[str(JobKey(name, subject))] = await self.run(kind, subject, credential_id)
        return ends

    async def _jobs(self, kind: Kind) -> list[tuple[Subject, int]]:
        if kind.subject is SubjectType.GLOBAL:
            return [(GLOBAL, next(iter(self.credentials.values())))]
        if kind.subject is SubjectType.CHARACTER:
            return [(Subject(kind.subject, i), one) for i, one in self.credentials.items()]
        needed = {role for part in kind.parts for role in part.any_role}
        known = await self.tools.read(ways.list_all)
        able = [way for way in known if not needed or needed & (way.roles or frozenset())]
        found = {way.subject: way.credential_id for way in able}
        return [(subject, one) for subject, one in found.items() if subject.type is kind.subject]


def save(made: dict[str, Any], now: datetime, connection: Connection) -> int:
    return credentials.save_login(
        connection,
        made["character_id"],
        made["client_id"],
        made["scopes"],
        made["access_token"],
        made["refresh_token"],
        datetime.fromisoformat(made["expires_at"]),
        now,
    )


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Return a world of characters that are logged in."""
    async with world_of(tmp_path, characters=5) as found:
        yield found


@asynccontextmanager
async def world_of(tmp_path: Path, *, characters: int, **options: Any) -> AsyncIterator[World]:
    """Give a simulated EVE whose characters are all logged in here."""
    url = f"sqlite:///{tmp_path / 'mirror.db'}"
    prepare(url)
    # Both clocks stand still, so that what is fresh stays so until a test moves them.
    clock = ManualClock(SystemClock().now())
    # Every answer shows the present: else the journal may be older than the balance beside it.
    config = SimulatorConfig(
        characters=characters, page_size=100, mail_page=20, cache_scale=0.0, **options
    )
    async with await start(config) as eve:
        eve.services.clock.freeze()
        settings = Settings(
            data_dir=str(tmp_path),
            store=Store(url=url),
            esi=Esi(base_url=eve.urls.esi, contact="tests@example.org"),
            sso=Sso(base_url=eve.urls.sso, client_id="simulated-client"),
            images=Images(base_url=eve.urls.images),
            zkillboard=Zkillboard(base_url=eve.urls.zkillboard),
            market_watch=MarketWatch(
                regions=(10000002,), structures=(FOREIGN_IDS + OPEN,), types=((10000002, 34),)
            ),
            timings=Timings(zkillboard_pace_s=0.0),
        )
        database = Database(url)
        epoch = await database.write(
            lambda connection: fence.take_ownership(connection, "host", 1, clock.now()), epoch=None
        )

        def grant(message: Message) -> None:
            if isinstance(message, Acquire):
                loop.call_soon(leases.on_answer, Grant(message.lease_id, message.amount))

        loop = asyncio.get_running_loop()
        leases = Leases(grant)
        tools = Tools.of(settings, epoch, clock, database, leases, Logbook.unkept())
        world = World(eve, tools, clock)
        await world.log_in()
        yield world
        await tools.transport.close()
        await database.close()


def all_rows(query: Select[Any], connection: Connection) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(query)]


async def count(world: World, table: str) -> int:
    query = select(func.count()).select_from(metadata.tables[table])
    return await world.tools.read(lambda connection: connection.execute(query).scalar_one())


# Every kind there is, several times over: long on a machine that others use as well.
@pytest.mark.timeout(900)
async def test_every_kind_against_the_simulated_eve(world: World) -> None:
    """One world for all of it: a first pass, a second that rests, and what the game does next."""
    first = await world.pass_once()
    check_outcomes(first)
    assert [name for name, end in first.items() if end.outcome.words_unknown] == []
    await check_tables(world)
    await check_money(world)
    await check_corporations(world)
    again = await world.pass_once()
    while await has_more(world, again):
        again = await world.pass_once()
    last = await world.pass_once()
    changed = {name: end.outcome for name, end in last.items() if end.outcome.rows_touched}
    assert not changed
    await check_news(world)


async def test_faults_cost_what_they_touch_and_no_more(world: World) -> None:
    """Trouble among details, a colony that is gone, a word nobody knows; then all is well."""
    who, credential_id = next(iter(world.credentials.items()))
    me, faults = Subject(SubjectType.CHARACTER, who), world.eve.services.faults

    async def run(noun: str) -> Ending:
        return await world.run(CATALOG[f"character.{noun}"], me, credential_id)

    await run("profile")
    items = FaultRule(
        service="esi", path=r"/characters/\d+/contracts/\d+/items", status=502, after=3
    )
    colony = FaultRule(service="esi", path=r"/characters/\d+/planets/\d+", status=404, times=1)
    told = (
        '[{"notification_id": 1, "type": "unknown notification type (281)", "sender_id": 2,'
        ' "sender_type": "other", "timestamp": "2026-11-30T12:00:00Z"}, {"notification_id": 2}]'
    )
    odd = FaultRule(service="esi", path=r"/characters/\d+/notifications", body=told, times=1)
    for rule in (items, colony, odd):
        faults.add(rule)
    contracts = await run("contracts")
    assert contracts.outcome.token is Token.FAILED
    have = await count(world, "character_contract_item")
    assert have > 0
    planets = await run("planets")
    assert planets.outcome.token is Token.SYNCED
    colonies = len(await world.tools.read(partial(all_rows, select(PLANET.planet_id))))
    assert len(await world.tools.read(partial(all_rows, select(PIN.planet_id).distinct()))) == (
        colonies - 1
    )
    notifications = await run("notifications")
    assert notifications.outcome.token is Token.SYNCED
    assert "1 row could not be read" in notifications.outcome.reason
    assert notifications.outcome.words_unknown == 1
    assert await count(world, "character_notification") == 1

    faults.remove()
    world.eve.services.clock.advance(900)
    world.clock.advance(900)
    for noun in ("contracts", "planets", "notifications"):
        assert (await run(noun)).outcome.token is Token.SYNCED
    assert await count(world, "character_contract_item") > have
    assert await count(world, "character_notification") > 20
    unread = select(CONTRACT.contract_id).where(
        CONTRACT.items_at.is_(None), CONTRACT.closed_at.is_(None), CONTRACT.type != "courier"
    )
    assert await world.tools.read(partial(all_rows, unread)) == []
    assert len(await world.tools.read(partial(all_rows, select(PIN.planet_id).distinct()))) == (
        colonies
    )


async def has_more(world: World, ends: dict[str, Ending]) -> bool:
    """Tell whether there is more to fetch, now or in the next run."""
    if any(end.outcome.to_fetch for end in ends.values()):
        return True
    return bool(await world.tools.read(partial(to_ask, now=world.clock.now())))


@pytest.mark.parametrize("noun", ["alliance", "corporation"])
async def test_what_one_member_opens_no_more_is_read_through_the_next(
    world: World, noun: str
) -> None:
    people, kind = world.eve.services.esi.world.people, CATALOG[f"{noun}.contacts"]
    for who, credential_id in world.credentials.items():
        me = Subject(SubjectType.CHARACTER, who)
        await world.run(CATALOG["character.profile"], me, credential_id)
    company = people.corporation_of(next(iter(world.credentials)))
    alliance = people.alliance_of(company)
    assert alliance is not None
    subject = Subject(kind.subject, alliance if noun == "alliance" else company)

    async def chosen() -> int:
        seen = await world.tools.read(lambda connection: read_world(connection, None))
        assert seen is not None
        (credential_id,) = plan(kind, seen.holders[subject], world.clock.now()).credentials
        return credential_id

    def pass_time() -> None:
        # The contacts are fresh no more, and the tokens good still.
        world.eve.services.clock.advance(400)
        world.clock.advance(400)

    first = await chosen()
    assert (await world.run(kind, subject, first)).outcome.token is Token.SYNCED
    leaver = next(who for who, one in world.credentials.items() if one == first)
    people.move(leaver, next(iter(NPC_CORPORATIONS)), int(world.eve.services.clock.now_s()))
    pass_time()
    asked = world.eve.services.traffic.report(0)["total"]
    assert isinstance(asked, int)
    end = await world.run(kind, subject, first)
    assert (end.outcome.token, end.due) == (Token.BLOCKED, (JobKey("global.affiliation", GLOBAL),))
    # The second part is not asked for: who has left has left.
    assert world.eve.services.traffic.report(0)["total"] == asked + 1
    second = await chosen()
    assert second != first
    pass_time()
    assert (await world.run(kind, subject, second)).outcome.token is Token.SYNCED
    assert (await world.run(CATALOG["global.affiliation"], GLOBAL)).grants_changed
    left = await world.tools.read(ways.list_all)
    assert first not in {way.credential_id for way in left if way.subject == subject}


def check_outcomes(first: dict[str, Ending]) -> None:
    faults = {
        name: end.outcome
        for name, end in first.items()
        if end.outcome.token not in (Token.SYNCED, Token.EMPTY)
    }
    assert not faults, "\n".join(f"{name}: {end}" for name, end in faults.items())
    ran = {name.partition("(")[0] for name in first}
    assert ran == set(CATALOG)


async def check_tables(world: World) -> None:
    """Every table holds rows, but for what the simulated universe does not have."""
    tables = {t.table.name for k in CATALOG.values() for p in k.parts for t in p.targets}
    empty = {name for name in tables if await count(world, name) == 0}
    gaps = {"character_wallet_gap", "corporation_wallet_gap"}
    assert empty <= {"pruning", "unknown_id", "universe_planet", "universe_moon", *gaps}, empty


async def check_money(world: World) -> None:
    """Amounts are exact, and the last balance of the journal is the wallet's."""
    journal = metadata.tables["character_wallet_journal"].c
    wallet = metadata.tables["character_wallet"].c
    balances = dict(
        await world.tools.read(partial(all_rows, select(wallet.character_id, wallet.balance)))
    )
    assert set(balances) == set(world.credentials)
    for character_id, balance in balances.items():
        query = (
            select(journal.amount, journal.balance)
            .where(journal.character_id == character_id, journal.balance.is_not(None))
            .order_by(journal.entry_id)
        )
        entries = await world.tools.read(partial(all_rows, query))
        assert all(isinstance(value, Decimal) for row in entries for value in row if value)
        assert entries[-1][1] == balance


async def check_corporations(world: World) -> None:
    """What a director opens is known, and read."""
    people = world.eve.services.esi.world.people
    directors = {i for i in people.character_ids if people.is_director(i)}
    corporations = {people.corporation_of(i) for i in directors}
    states = await world.tools.read(subjects.all_states)
    known = {subject.id for subject in states if subject.type is SubjectType.CORPORATION}
    assert corporations <= known
    alliances = {people.alliance_of(one) for one in corporations} - {None}
    assert {one.id for one in states if one.type is SubjectType.ALLIANCE} == alliances
    assert await count(world, "corporation_wallet") == 7 * len(corporations)


async def check_news(world: World) -> None:
    """A mail that was sent arrives, and a move of corporation is followed."""
    services = world.eve.services
    people = services.esi.world.people
    mover = next(i for i in people.character_ids if not people.is_director(i))
    other = next(i for i in people.corporation_ids if i != people.corporation_of(mover))
    mails = await count(world, "mail")
    services.esi.world.mail.send(
        mover, [(mover, "character")], "to myself", "hello", services.clock.now_s()
    )
    people.move(mover, other, int(services.clock.now_s()))
    services.esi.snapshots.soil(mover)
    services.clock.advance(300)
    world.clock.advance(300)
    me = Subject(SubjectType.CHARACTER, mover)
    end = await world.run(CATALOG["character.mail"], me, world.credentials[mover])
    assert end.outcome.token is Token.SYNCED
    assert await count(world, "mail") > mails
    end = await world.run(CATALOG["global.affiliation"], GLOBAL)
    assert JobKey("character.profile", me) in end.due
    character = metadata.tables["character"].c
    query = select(character.corporation_id).where(character.character_id == mover)
    assert await world.tools.read(lambda c: c.execute(query).scalar_one()) == other
