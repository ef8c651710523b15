"""What must hold of every declared kind; each check yields its faults, none stops at the first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from sqlalchemy import Table

from ipc.subject import SubjectType
from jobs.spec import Kind, Pages, Part, Route, Target, Watched, Wire, Write

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SCOPE = re.compile(r"esi-[a-z_]+\.[a-z_]+\.v[0-9]+")
_ROLE = re.compile(r"[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
_PATH = re.compile(r"(/([A-Za-z0-9_-]+|\{[a-z_]+\}))+")
_BRACES = re.compile(r"\{([a-z_]+)\}")
_METHODS = ("GET", "POST")


@dataclass(frozen=True, slots=True)
class Found:
    """A kind where it was found, and the name that its place gives it."""

    path: str
    name: str
    module: ModuleType
    kind: Kind


def find_faults(found: Sequence[Found]) -> list[str]:
    """Return everything that is wrong, one line each; empty if all is well."""
    faults: list[str] = []
    for one in found:
        faults += [f"{one.name}: {text}" for text in _of_kind(one)]
    faults += _of_all(found)
    return faults


def owner_field(subject: SubjectType) -> str | None:
    """Return the column that tells whose a row is; None for the global subject."""
    return None if subject is SubjectType.GLOBAL else f"{subject}_id"


def static_params(part: Part) -> frozenset[str] | None:
    """Return the names of the part's own params; None where only the database knows them."""
    if isinstance(part.fan_out, Watched):
        return frozenset(part.fan_out.params)
    if callable(part.fan_out):
        return None
    return frozenset(name for params in part.fan_out for name in params)


def _of_kind(one: Found) -> Iterator[str]:
    kind = one.kind
    if kind.name != one.name:
        yield f"is declared as {kind.name!r}, but its module is {one.path}"
    if not kind.name.startswith(f"{kind.subject}."):
        yield f"its subject is {kind.subject}, and its name says otherwise"
    yield from _of_facts(kind)
    yield from _of_parent(kind)
    if not kind.parts:
        yield "has no parts"
    elif all(p.optional for p in kind.parts):
        yield "all its parts are optional, so it could never fail"
    for name, count in Counter(p.name for p in kind.parts).items():
        if count > 1:
            yield f"has {count} parts named {name!r}"
    for part in kind.parts:
        for text in _of_part(kind, part):
            yield f"part {part.name}: {text}"
    yield from _of_undocumented_routes(one)


def _of_facts(kind: Kind) -> Iterator[str]:
    for feature in kind.features:
        if not _NAME.fullmatch(feature):
            yield f"feature {feature!r} is no name"
    if kind.every.total_seconds() <= 0:
        yield "every must be more than nothing"
    if kind.deadline_s is not None and kind.deadline_s <= 0:
        yield "deadline_s must be more than nothing"
    if not kind.summary:
        yield "has no summary"


def _of_parent(kind: Kind) -> Iterator[str]:
    if kind.parent is None:
        return
    owner = owner_field(kind.subject)
    if owner is None:
        yield "the global subject has no parent row"
    elif [c.name for c in kind.parent.primary_key] != [owner]:
        yield f"its parent table {kind.parent.name} is not keyed by {owner} alone"


def _of_part(kind: Kind, part: Part) -> Iterator[str]:
    if not _NAME.fullmatch(part.name):
        yield "is no name"
    if part.revision < 1:
        yield "revision starts at 1"
    yield from _of_grants(kind, part)
    if part.run is None:
        yield from _of_generic(kind, part)
    for route in ((part.route,) if part.route else ()) + part.uses:
        yield from _of_route(route)
    for target in part.targets:
        for text in _of_target(kind, part, target):
            yield f"table {target.table.name}: {text}"


def _of_grants(kind: Kind, part: Part) -> Iterator[str]:
    for scope in sorted(part.scopes):
        if not _SCOPE.fullmatch(scope):
            yield f"scope {scope!r} is no scope"
    for role in sorted(part.any_role):
        if not _ROLE.fullmatch(role):
            yield f"role {role!r} is no role"
    if part.any_role and kind.subject is SubjectType.CHARACTER:
        yield "roles concern corporations, not characters"
    if part.any_role and kind.subject is SubjectType.GLOBAL:
        yield "a global kind is of no corporation, so it can need no role"


def _of_generic(kind: Kind, part: Part) -> Iterator[str]:
    if part.route is None or part.wire is None or not part.targets:
        yield "without a run it needs route, wire and targets"
    elif part.route.method != "GET":
        yield "without a run only GET is possible"
    else:
        yield from _of_params(kind, part, part.route)
    if part.uses:
        yield "uses is for parts with a run"


def _of_route(route: Route) -> Iterator[str]:
    if route.method not in _METHODS:
        yield f"method {route.method!r} is not for kinds"
    if not _PATH.fullmatch(route.path):
        yield f"path {route.path!r} is no path"
    if route.method == "POST" and route.pages is not Pages.NONE:
        yield f"{route.name}: a POST has no pages"
    if route.cache_age_s is not None and route.cache_age_s < 0:
        yield f"{route.name}: cache age below 0"


def _of_params(kind: Kind, part: Part, route: Route) -> Iterator[str]:
    own = static_params(part)
    if own is None:
        return
    owner = owner_field(kind.subject)
    known = own | ({owner} if owner else set())
    for name in sorted(set(_BRACES.findall(route.path)) - known):
        yield f"nothing gives {{{name}}} of {route.path}"


def _of_target(kind: Kind, part: Part, target: Target) -> Iterator[str]:
    table = target.table
    primary = {c.name for c in table.primary_key}
    for name in target.key:
        if name not in table.c:
            yield f"key column {name} does not exist"
    if set(target.key) != primary:
        yield f"key {sorted(target.key)} is not the primary key {sorted(primary)}"
    for name in (target.scope or ()) + target.keep:
        if name not in table.c:
            yield f"column {name} of scope or keep does not exist"
    if target.write is Write.CLOSE and "closed_at" not in table.c:
        yield "close needs a column closed_at"
    yield from _of_ownership(kind, target)
    if target.rows is None and part.run is None:
        yield from _of_wire(kind, part, target)


def _of_ownership(kind: Kind, target: Target) -> Iterator[str]:
    owner = owner_field(kind.subject)
    info: Mapping[Any, Any] = target.table.info
    if not info.get("shared") and "owner" not in info:
        yield "info says neither whose its rows are nor that they are shared"
    elif owner is not None and info.get("owner") == kind.subject and owner not in target.key:
        yield f"its key leaves out {owner}: two owners would share a row"
    elif owner is not None and info.get("owner") not in (None, kind.subject.value):
        yield f"its rows belong to a {info['owner']}, not to a {kind.subject}"
    if info.get("shared") and target.write is Write.REPLACE and owner is not None:
        yield "one subject must not replace rows that all share"


def _of_wire(kind: Kind, part: Part, target: Target) -> Iterator[str]:
    if not (isinstance(part.wire, type) and issubclass(part.wire, Wire)):
        yield "without rows the wire must be a struct of type jobs.spec.Wire"
        return
    table = target.table
    given: set[str] = set()
    for field in msgspec.structs.fields(part.wire):
        given.add(field.name)
        if field.name not in table.c:
            yield f"has no column for {field.name}"
        elif _allows_none(field.type) and not table.c[field.name].nullable:
            yield f"{field.name} can be absent, but the column cannot be NULL"
    own = static_params(part)
    if own is None:
        own = frozenset(_BRACES.findall(part.route.path)) if part.route else frozenset()
    given |= own | {owner_field(kind.subject) or ""}
    yield from _of_ungiven(table, given)


def _of_ungiven(table: Table, given: set[str]) -> Iterator[str]:
    for column in table.c:
        if column.name not in given and not column.nullable and column.server_default is None:
            yield f"nothing gives {column.name}, which cannot be NULL"


def _allows_none(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)


def _of_undocumented_routes(one: Found) -> Iterator[str]:
    """Yield routes that the module holds and no part names: nobody would know of them."""
    named = {r for p in one.kind.parts for r in (p.route, *p.uses) if r is not None}
    for value in vars(one.module).values():
        if isinstance(value, Route) and value.name not in {r.name for r in named}:
            yield f"{value.name} is in the module, but in no part's route or uses"


def _of_all(found: Sequence[Found]) -> Iterator[str]:
    for name, count in Counter(one.name for one in found).items():
        if count > 1:
            places = ", ".join(one.path for one in found if one.name == name)
            yield f"{name}: declared {count} times: {places}"
    by_name = {one.name: one.kind for one in found}
    for one in found:
        for trigger in one.kind.triggers:
            if trigger not in by_name:
                yield f"{one.name}: triggers {trigger!r}, which does not exist"
    for cycle in _cycles(by_name):
        yield f"{cycle[0]}: its triggers run in a circle: {' > '.join(cycle)}"
    profiles = Counter(one.kind.subject for one in found if one.kind.parent is not None)
    for subject, count in profiles.items():
        if count > 1:
            names = sorted(
                f.name for f in found if f.kind.parent is not None and f.kind.subject is subject
            )
            yield f"{', '.join(names)}: more than one kind writes the parent row of a {subject}"


def _cycles(kinds: Mapping[str, Kind]) -> Iterator[tuple[str, ...]]:
    """Yield each circle of triggers once, as the way round that starts at its least name."""
    seen: set[tuple[str, ...]] = set()
    stack: list[tuple[str, ...]] = [(name,) for name in sorted(kinds)]
    while stack:
        path = stack.pop()
        for trigger in kinds[path[-1]].triggers:
            if trigger == path[0] and trigger == min(path):
                way = (*path, trigger)
                if way not in seen:
                    seen.add(way)
                    yield way
            elif trigger in kinds and trigger not in path:
                stack.append((*path, trigger))
