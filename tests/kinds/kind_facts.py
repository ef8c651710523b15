"""What the contract says about the routes and answers of kinds, compared with a declaration."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from types import NoneType
from typing import Any, get_args

import msgspec

from jobs.spec import Kind, Pages, Part, Route
from simulator.contract import Json, RouteFacts, by_key, load

# Paging that a run may do by itself.
BACK_WALKS = ("from_id", "last_mail_id")
WORDS: dict[Any, str] = {
    int: "integer",
    float: "number",
    Decimal: "number",
    str: "string",
    datetime: "string",
    date: "string",
    bool: "boolean",
}


def faults_of(kind: Kind) -> Iterator[str]:
    """Yield everything in which a kind differs from the contract."""
    for part in kind.parts:
        for route in ((part.route,) if part.route else ()) + part.uses:
            facts = by_key().get(route.name)
            if facts is None:
                yield f"{part.name}: {route.name} is not in the contract"
                continue
            for text in (*_of_grants(kind, part, facts), *_of_route(part, route, facts)):
                yield f"{part.name}: {route.name}: {text}"
        if part.route is not None and part.route.name in by_key():
            for text in _of_answer(part, by_key()[part.route.name]):
                yield f"{part.name}: {text}"


def resolve(schema: Json) -> Json:
    """Follow a reference into the contract's schemas."""
    while "$ref" in schema:
        found = load().schemas[str(schema["$ref"]).rpartition("/")[2]]
        assert isinstance(found, dict)
        schema = found
    if "oneOf" in schema:
        return _merged(schema["oneOf"])
    if isinstance(schema.get("type"), list):
        # Such as boolean or null.
        (kind,) = (one for one in schema["type"] if one != "null")  # type: ignore[attr-defined]
        schema = {**schema, "type": kind}
    return schema


def loosened(schema: Any) -> Any:
    """Return a schema whose alternatives may agree: those of the contract forbid no other field."""
    if isinstance(schema, list):
        return [loosened(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {"anyOf" if name == "oneOf" else name: loosened(value) for name, value in schema.items()}


def _merged(options: Any) -> Json:
    """Return an object that has the fields of any option, those required that all require."""
    found = [resolve(one) for one in options]
    properties: Json = {}
    for one in found:
        fields = one.get("properties")
        properties |= fields if isinstance(fields, dict) else {}
    required = [one.get("required") for one in found]
    always = [set(names) if isinstance(names, list) else set() for names in required]
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(set.intersection(*always)),
    }


def _of_grants(kind: Kind, part: Part, facts: RouteFacts) -> Iterator[str]:
    needed, roles = frozenset({facts.scope} if facts.scope else ()), frozenset(facts.roles)
    if not needed and any(_same_grants(part, other) for other in kind.parts if other is not part):
        # A public route that is of use only together with another.
        return
    if needed != part.scopes:
        yield f"needs scopes {sorted(needed)}, declared are {sorted(part.scopes)}"
    if roles != part.any_role:
        yield f"needs one of {sorted(roles)}, declared are {sorted(part.any_role)}"


def _same_grants(part: Part, other: Part) -> bool:
    return (part.scopes, part.any_role) == (other.scopes, other.any_role)


def _of_route(part: Part, route: Route, facts: RouteFacts) -> Iterator[str]:
    group = facts.rate.group if facts.rate else None
    if group != route.rate_group:
        yield f"spends from {group}, declared is {route.rate_group}"
    if facts.cache_age_s != route.cache_age_s:
        yield f"is cached {facts.cache_age_s} s, declared are {route.cache_age_s}"
    walks_itself = part.run is not None and facts.paging in BACK_WALKS
    if (facts.paging or "none") != route.pages and not (walks_itself and route.pages is Pages.NONE):
        yield f"is paged by {facts.paging}, declared is {route.pages}"
    for name, _ in route.query:
        if name not in facts.query:
            yield f"has no query parameter {name}"


def _of_answer(part: Part, facts: RouteFacts) -> Iterator[str]:
    schema = resolve(facts.response or {})
    keys = {name for target in part.targets for name in target.key}
    if part.many != (schema.get("type") == "array"):
        yield f"answers {schema.get('type')}, declared is many={part.many}"
        return
    if part.many:
        items = schema["items"]
        assert isinstance(items, dict)
        schema = resolve(items)
    yield from of_type(part.wire, schema, keys, "answer")


def of_type(wire: Any, schema: Json, keys: set[str], at: str) -> Iterator[str]:
    """Yield in what a wire type differs from a schema; keys may be required beyond it."""
    schema = resolve(schema)
    options = [one for one in get_args(wire) if one is not NoneType]
    if isinstance(wire, type) and issubclass(wire, msgspec.Struct):
        yield from _of_struct(wire, schema, keys, at)
    elif getattr(wire, "__origin__", None) is tuple:
        items = schema.get("items")
        if schema.get("type") != "array" or not isinstance(items, dict):
            yield f"{at}: is {schema.get('type')}, no list"
        else:
            yield from of_type(options[0], items, keys, f"{at}[]")
    elif wire is msgspec.Raw:
        # Kept as it comes.
        return
    elif options:
        yield from of_type(options[0], schema, keys, at)
    elif WORDS.get(wire) != schema.get("type"):
        yield f"{at}: is {schema.get('type')}, declared is {wire}"
    elif wire is datetime and schema.get("format") != "date-time":
        yield f"{at}: is a text and no time"
    elif wire is date and schema.get("format") != "date":
        yield f"{at}: is a text and no day"


def _of_struct(wire: Any, schema: Json, keys: set[str], at: str) -> Iterator[str]:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        yield f"{at}: is {schema.get('type')}, declared is {wire.__name__}"
        return
    required = schema.get("required")
    always = set(required) if isinstance(required, list) else set()
    for field in msgspec.structs.fields(wire):
        if field.encode_name not in properties:
            yield f"{at}.{field.encode_name}: is not in the contract"
            continue
        if field.required and field.encode_name not in always and field.name not in keys:
            yield f"{at}.{field.encode_name}: can be absent, but is declared as required"
        yield from of_type(
            field.type, properties[field.encode_name], keys, f"{at}.{field.encode_name}"
        )
