"""`esisyncd fitting`: save, delete."""

from __future__ import annotations

import json
from typing import Any, TextIO

import click

from cli.context import Command, Invocation, Whole, pass_invocation
from cli.errors import BadInput
from cli.writes.asking import How, ask, how_options
from cli.writes.names import Names


@click.group(short_help="Save or delete fittings.")
def command() -> None:
    """Save or delete fittings."""


@command.command("save", cls=Command)
@click.argument("character", metavar="CHARACTER")
@click.argument("file", type=click.File(encoding="utf-8"))
@how_options
@pass_invocation
def save(
    invocation: Invocation,
    character: str,
    file: TextIO,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Save the fitting in FILE (- for standard input), as CHARACTER.

    FILE holds JSON in ESI's form: name, description, ship_type_id, and items with type_id, flag
    and quantity. In place of an id, a name does: "ship_type_id": "Rifter".
    """
    try:
        fitting = json.load(file)
    except ValueError as error:
        raise BadInput(f"{file.name} holds no JSON: {error}") from None
    if not isinstance(fitting, dict):
        raise BadInput(f"{file.name} holds no fitting, which is a JSON object")

    def payloads(names: Names) -> list[object]:
        return [_with_ids(names, {"description": "", **fitting})]

    return ask(invocation, character, "fitting.save", payloads, How(wait, timeout_s, as_json))


def _with_ids(names: Names, fitting: dict[str, Any]) -> dict[str, Any]:
    """Return a fitting with ids where it has names; what is wrong otherwise is found later."""
    items = fitting.get("items")
    things = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
    texts = [one.get("type_id") for one in things] + [fitting.get("ship_type_id")]
    named = list(dict.fromkeys(text for text in texts if isinstance(text, str)))
    ids = dict(zip(named, names.ids(named, ("type",)), strict=True))
    made = dict(fitting)
    if isinstance(made.get("ship_type_id"), str):
        made["ship_type_id"] = ids[made["ship_type_id"]]
    if things:
        made["items"] = [
            {**one, "type_id": ids[one["type_id"]]} if isinstance(one.get("type_id"), str) else one
            for one in things
        ]
    return made


@command.command("delete", cls=Command)
@click.argument("character", metavar="CHARACTER")
@click.argument("fitting_ids", metavar="FITTING_ID...", type=Whole(min=1), nargs=-1, required=True)
@how_options
@pass_invocation
def delete(
    invocation: Invocation,
    character: str,
    fitting_ids: tuple[int, ...],
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Delete saved fittings, as CHARACTER."""
    payloads = [{"fitting_id": one} for one in fitting_ids]
    how = How(wait, timeout_s, as_json)
    return ask(invocation, character, "fitting.delete", lambda _: payloads, how)
