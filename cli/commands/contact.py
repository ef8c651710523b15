"""`esisyncd contact`: add, edit, remove, lists."""

from __future__ import annotations

import click

from cli.commands.contact_lists import lists
from cli.context import Command, Invocation, Number, Whole, pass_invocation
from cli.writes.asking import How, ask, how_options
from cli.writes.names import Names

_CHARACTER = click.argument("character", metavar="CHARACTER")
_WHO = click.argument("who", metavar="WHO...", nargs=-1, required=True)
_STANDING = click.option("--standing", type=Number(-10, 10), required=True, help="From -10 to 10.")


@click.group(short_help="Add, edit or remove contacts.")
def command() -> None:
    """Add, edit or remove contacts, as CHARACTER: an id, or the name of one logged in.

    WHO is a name or an id, of a character, corporation, alliance or faction.
    """


command.add_command(lists)


@command.command("add", cls=Command)
@_CHARACTER
@_WHO
@_STANDING
@click.option("--watched", is_flag=True, help="Put them on the watch list.")
@click.option(
    "--label", "labels", type=Whole(), multiple=True, metavar="ID", help="Label to put on."
)
@how_options
@pass_invocation
def add(
    invocation: Invocation,
    character: str,
    who: tuple[str, ...],
    standing: float,
    watched: bool,
    labels: tuple[int, ...],
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Add contacts, all with one standing.

    ESI can take labels and not put them on: they are looked at once they can show.
    """

    def payloads(names: Names) -> list[object]:
        ids = list(dict.fromkeys(names.ids(who)))
        values = {"standing": standing, "watched": watched, "label_ids": labels}
        return [{"contact_ids": ids, **values}]

    return ask(invocation, character, "contact.add", payloads, How(wait, timeout_s, as_json))


@command.command("edit", cls=Command, short_help="Change contacts; the rest stays as it is.")
@_CHARACTER
@_WHO
@_STANDING
@click.option("--watched/--not-watched", default=None, help="On or off the watch list.")
@click.option(
    "--label", "labels", type=Whole(), multiple=True, metavar="ID", help="These, no others."
)
@click.option("--no-labels", is_flag=True, help="Take all labels off.")
@how_options
@pass_invocation
def edit(
    invocation: Invocation,
    character: str,
    who: tuple[str, ...],
    standing: float,
    watched: bool | None,
    labels: tuple[int, ...],
    no_labels: bool,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Change contacts; watch and labels stay as they are unless they are given."""

    def payloads(names: Names) -> list[object]:
        payload: dict[str, object] = {
            "contact_ids": list(dict.fromkeys(names.ids(who))),
            "standing": standing,
            "watched": watched,
        }
        if labels or no_labels:
            payload["label_ids"] = labels
        return [payload]

    return ask(invocation, character, "contact.edit", payloads, How(wait, timeout_s, as_json))


@command.command("remove", cls=Command)
@_CHARACTER
@_WHO
@how_options
@pass_invocation
def remove(
    invocation: Invocation,
    character: str,
    who: tuple[str, ...],
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Remove contacts."""

    def payloads(names: Names) -> list[object]:
        return [{"contact_ids": list(dict.fromkeys(names.ids(who)))}]

    return ask(invocation, character, "contact.remove", payloads, How(wait, timeout_s, as_json))
