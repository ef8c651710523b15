"""The catalogue: what it finds, and that it names every fault at once."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import BigInteger, Column, DateTime, MetaData, Table, Text

from ipc.subject import SubjectType
from jobs.catalog import CatalogError, load
from jobs.catalog_checks import Found, find_faults
from jobs.spec import Context, Kind, Pages, Part, PartResult, Route, Target, Wire, Write

ROOT = Path(__file__).parents[3]

metadata = MetaData()
thing = Table(
    "thing",
    metadata,
    Column("character_id", BigInteger, primary_key=True),
    Column("thing_id", BigInteger, primary_key=True),
    Column("name", Text, nullable=False),
    Column("note", Text),
    info={"owner": "character"},
)
nobodys = Table(
    "nobodys", metadata, Column("thing_id", BigInteger, primary_key=True), Column("name", Text)
)
shared = Table(
    "shared",
    metadata,
    Column("thing_id", BigInteger, primary_key=True),
    Column("name", Text),
    info={"shared": True},
)
profile = Table(
    "profile",
    metadata,
    Column("character_id", BigInteger, primary_key=True),
    Column("at", DateTime),
    info={"owner": "character"},
)


class Thing(Wire, frozen=True):
    thing_id: int
    name: str
    note: str | None = None


class Loose(Wire, frozen=True):
    thing_id: int
    name: str | None = None
    colour: str | None = None


async def run(context: Context) -> PartResult:
    del context
    return PartResult()


ROUTE = Route("GET", "/characters/{character_id}/things")
TARGET = Target(thing, key=("character_id", "thing_id"), write=Write.REPLACE)
PART = Part(name="things", route=ROUTE, wire=Thing, targets=(TARGET,))
KIND = Kind(
    name="character.things",
    subject=SubjectType.CHARACTER,
    feature="things",
    every=timedelta(hours=1),
    summary="Things.",
    parts=(PART,),
)


def with_part(**changes: Any) -> Kind:
    return dataclasses.replace(KIND, parts=(dataclasses.replace(PART, **changes),))


def with_target(**changes: Any) -> Kind:
    return with_part(targets=(dataclasses.replace(TARGET, **changes),))


def faults_of(*kinds: Kind, module: Any = None) -> list[str]:
    return find_faults(
        [Found(f"pkg.{k.name}", k.name, module or sys.modules["json"], k) for k in kinds]
    )


def test_a_good_kind_has_no_faults() -> None:
    assert faults_of(KIND) == []


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (dataclasses.replace(KIND, subject=SubjectType.CORPORATION), "subject is corporation"),
        (dataclasses.replace(KIND, feature="Big Things"), "'Big Things' is no name"),
        (dataclasses.replace(KIND, every=timedelta(0)), "every must be"),
        (dataclasses.replace(KIND, deadline_s=0.0), "deadline_s must be"),
        (dataclasses.replace(KIND, summary=""), "no summary"),
        (dataclasses.replace(KIND, parts=()), "no parts"),
        (dataclasses.replace(KIND, parts=(PART, PART)), "2 parts named 'things'"),
        (dataclasses.replace(KIND, parent=thing), "not keyed by character_id alone"),
        (dataclasses.replace(KIND, triggers=("character.no",)), "'character.no', which does not"),
        (dataclasses.replace(KIND, triggers=("character.things",)), "in a circle"),
        (with_part(optional=True), "could never fail"),
        (with_part(name="Bad name"), "part Bad name: is no name"),
        (with_part(revision=0), "revision starts at 1"),
        (with_part(scopes=frozenset({"wallet"})), "'wallet' is no scope"),
        (with_part(any_role=frozenset({"Director"})), "roles concern corporations"),
        (with_part(any_role=frozenset({"a role"})), "'a role' is no role"),
        (with_part(route=None), "needs route, wire and targets"),
        (with_part(route=Route("POST", ROUTE.path)), "only GET is possible"),
        (with_part(route=Route("PATCH", ROUTE.path)), "'PATCH' is not for kinds"),
        (with_part(route=Route("GET", "things")), "'things' is no path"),
        (with_part(route=Route("GET", ROUTE.path, cache_age_s=-1)), "cache age below 0"),
        (with_part(route=Route("GET", "/things/{thing_no}")), "nothing gives {thing_no}"),
        (with_part(uses=(ROUTE,)), "uses is for parts with a run"),
        (
            with_part(run=run, uses=(Route("POST", "/x", pages=Pages.X_PAGES),)),
            "a POST has no pages",
        ),
        (with_part(wire=int), "the wire must be a struct"),
        (with_part(wire=Loose), "no column for colour"),
        (with_part(wire=Loose), "name can be absent, but the column cannot be NULL"),
        (with_target(key=("character_id", "thing")), "key column thing does not exist"),
        (with_target(key=("thing_id",)), "is not the primary key"),
        (with_target(key=("thing_id",)), "its key leaves out character_id"),
        (with_target(keep=("never",)), "never of scope or keep does not exist"),
        (with_target(write=Write.CLOSE), "close needs a column closed_at"),
        (with_target(table=nobodys, key=("thing_id",)), "neither whose its rows are nor"),
        (with_target(table=shared, key=("thing_id",)), "must not replace rows that all share"),
        (with_target(table=profile, key=("character_id",)), "has no column for thing_id"),
    ],
)
def test_a_fault_is_named(kind: Kind, fault: str) -> None:
    found = faults_of(kind)
    assert any(fault in text for text in found), found
    assert all(text.startswith("character.things: ") for text in found)


def test_a_column_that_nothing_fills_is_named() -> None:
    class Nameless(Wire, frozen=True):
        thing_id: int

    assert faults_of(with_part(wire=Nameless)) == [
        "character.things: part things: table thing: nothing gives name, which cannot be NULL"
    ]


def test_a_table_of_another_owner_is_named() -> None:
    part = dataclasses.replace(PART, route=Route("GET", "/things"))
    kind = dataclasses.replace(
        KIND, name="corporation.things", subject=SubjectType.CORPORATION, parts=(part,)
    )
    assert any("belong to a character, not to a corporation" in f for f in faults_of(kind))


def test_a_global_kind_has_neither_roles_nor_a_parent() -> None:
    part = Part(name="x", run=run, any_role=frozenset({"Director"}))
    kind = Kind(
        name="global.x",
        subject=SubjectType.GLOBAL,
        feature=None,
        every=timedelta(hours=1),
        summary="X.",
        parts=(part,),
        parent=shared,
    )
    found = faults_of(kind)
    assert any("can need no role" in text for text in found)
    assert any("no parent row" in text for text in found)


def test_a_name_twice_two_profiles_and_a_long_circle_are_named() -> None:
    first = dataclasses.replace(KIND, parent=profile, triggers=("character.others",))
    second = dataclasses.replace(first, name="character.others", triggers=("character.things",))
    found = faults_of(first, second, dataclasses.replace(KIND))
    assert any("declared 2 times" in text for text in found)
    assert any("more than one kind writes the parent row" in text for text in found)
    assert any(
        "character.others > character.things > character.others" in text
        for text in faults_of(first, second)
    )


def test_a_route_that_no_part_names_is_named() -> None:
    class Module:
        HIDDEN = Route("GET", "/hidden")

    assert faults_of(KIND, module=Module) == [
        "character.things: GET /hidden is in the module, but in no part's route or uses"
    ]


GOOD = """
from datetime import timedelta
from ipc.subject import SubjectType
from jobs.spec import Kind, Part, PartResult
async def run(context):
    return PartResult()
KIND = Kind(name="global.good", subject=SubjectType.GLOBAL, feature="extra", off_by_default=True,
            every=timedelta(hours=1), summary="Good.", parts=(Part(name="x", run=run),))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a package of kinds, importable by its name."""
    root = tmp_path / "some_kinds"
    for folder in ("", "global_", "character"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "__init__.py").write_text("")
    (root / "global_" / "_helper.py").write_text("raise RuntimeError('a helper is no kind')")
    (root / "global_" / "good.py").write_text(GOOD)
    monkeypatch.syspath_prepend(tmp_path)
    yield root
    for name in [name for name in sys.modules if name.partition(".")[0] == "some_kinds"]:
        del sys.modules[name]


def test_kinds_are_found_by_walking(package: Path) -> None:
    del package
    catalog = load(["some_kinds"])
    assert list(catalog) == ["global.good"]
    assert catalog.features() == {"extra": False}
    assert catalog.of(SubjectType.GLOBAL) == (catalog["global.good"],)
    assert catalog.of(SubjectType.CHARACTER) == ()
    assert catalog.profile_of(SubjectType.CHARACTER) is None


def test_all_faults_are_told_at_once(package: Path) -> None:
    (package / "global_" / "none.py").write_text("KIND = 3")
    (package / "character" / "good.py").write_text(GOOD)
    with pytest.raises(CatalogError) as caught:
        load(["some_kinds", "some_kinds"])
    text = str(caught.value)
    assert "some_kinds.global_.none: has no KIND" in text
    assert "character.good: is declared as 'global.good'" in text
    assert "global.good: declared 2 times" in text
    assert len(caught.value.faults) == len(text.splitlines()) >= 5


def test_the_kinds_of_the_product() -> None:
    catalog = load(["jobs.kinds"])
    assert catalog.features()["wallet"] is True
    assert {t: k.name for t in SubjectType if (k := catalog.profile_of(t))} == {
        SubjectType.CHARACTER: "character.profile",
        SubjectType.CORPORATION: "corporation.profile",
        SubjectType.ALLIANCE: "alliance.profile",
    }
    assert catalog["character.market_orders"].due_at_launch
    with pytest.raises(KeyError):
        catalog["character.nothing"]


def test_the_engine_with_the_catalogue_brings_no_http_client() -> None:
    """The scheduler loads it, and must not pay for what only workers use."""
    code = (
        "import sys, engine.life; from jobs.catalog import load; "
        "assert len(load(['jobs.kinds'])) >= 17; "
        "print(sorted({'aiohttp', 'alembic', 'jobs.esi', 'jobs.pipeline'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"


def test_no_kind_imports_another() -> None:
    """What several of them need stands in modules that begin with _."""
    found = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in sorted((ROOT / "jobs" / "kinds").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for module in (node.module, *(f"{node.module}.{each.name}" for each in node.names))
        if module and _is_kind(module)
    ]
    assert found == []


def _is_kind(module: str) -> bool:
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return module.startswith("jobs.kinds.") and path.is_file() and not path.name.startswith("_")
