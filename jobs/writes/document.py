"""The page that tells which writes there are, and what their payloads are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
from msgspec import inspect

from jobs.store.outbox_rows import LIFETIME
from jobs.writes.kind import WriteKind
from jobs.writes.registry import WRITES

# Kept by the program itself, not asked for.
_OWN = "was"


def writes_page(note: str) -> str:
    """Return docs/writes.md."""
    lines = ["# Writes", "", note, ""]
    lines += [
        "Each kind of write with its payload, a JSON object; docs/outbox.md tells how to ask for",
        "one. A field without a default must be there; one that is not named here is refused.",
    ]
    for kind in WRITES.values():
        lines += ["", f"## {kind.name}", "", kind.summary, "", *_facts(kind), ""]
        lines += ["| field | type | default |", "|---|---|---|"]
        lines += _fields(kind.payload)
    return "\n".join(lines) + "\n"


def _facts(kind: WriteKind) -> Iterator[str]:
    yield f"- Scope: {', '.join(f'`{one}`' for one in sorted(kind.scopes))}"
    yield f"- Asks ESI: {', '.join(f'`{one.name}`' for one in kind.routes)}"
    if kind.repeatable:
        yield "- In doubt: it is made again, which does no harm"
    elif kind.find is not None:
        minutes = kind.found_within / timedelta(minutes=1)
        yield f"- In doubt: it is looked for during {minutes:g} minutes; not found, it is uncertain"
    else:
        yield "- In doubt: it is uncertain, since nobody can look for it"
    if kind.lifetime != LIFETIME:
        yield f"- Given up after {kind.lifetime / timedelta(minutes=1):g} minutes"


def _fields(payload: type[Any], prefix: str = "") -> Iterator[str]:
    about = inspect.type_info(payload)
    assert isinstance(about, inspect.StructType)  # noqa: S101 - payloads are Structs
    for field in about.fields:
        if field.name == _OWN:
            continue
        default = "" if field.required else f"`{msgspec.json.encode(field.default).decode()}`"
        yield f"| `{prefix}{field.encode_name}` | {_words(field.type)} | {default} |"
        inner = _inner(field.type)
        if inner is not None:
            mark = "[]." if isinstance(field.type, inspect.VarTupleType) else "."
            yield from _fields(inner, f"{prefix}{field.encode_name}{mark}")


def _inner(about: inspect.Type) -> type[Any] | None:
    """Return the Struct that a type holds; None if it holds none."""
    if isinstance(about, inspect.VarTupleType):
        return _inner(about.item_type)
    if isinstance(about, inspect.UnionType):
        return next((found for one in about.types if (found := _inner(one)) is not None), None)
    return about.cls if isinstance(about, inspect.StructType) else None


def _words(about: inspect.Type) -> str:
    match about:
        case inspect.LiteralType(values=values):
            return " or ".join(f"`{one}`" for one in values)
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            return f"list of {_words(item)}{_bounds(least, most, 'entries')}"
        case inspect.IntType(ge=ge):
            return "positive whole number" if ge == 1 else "whole number"
        case inspect.FloatType(ge=ge, le=le):
            return f"number{_bounds(ge, le)}"
        case inspect.StrType(min_length=least, max_length=most):
            return f"text{_bounds(least, most, 'characters')}"
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "null"
        case inspect.UnionType(types=types):
            return " or ".join(_words(one) for one in types)
        case inspect.StructType():
            return "object"
        case _:
            raise TypeError(f"no words for {about}")


def _bounds(least: float | None, most: float | None, unit: str = "") -> str:
    if least is None and most is None:
        return ""
    told = f"at most {most}" if least is None else f"{least:g} to {most}"
    if least is not None and most is not None:
        told = f"{least:g} to {most:g}"
    return f", {told} {unit}".rstrip()
