"""`esisyncd mail`: send, read, label, delete."""

from __future__ import annotations

import sys

import click

from cli.context import Command, Invocation, Whole, pass_invocation, piped_text
from cli.errors import BadInput
from cli.writes.asking import How, ask, how_options
from cli.writes.names import Names
from ipc.subject import id_of

RECIPIENTS = ("character", "corporation", "alliance", "mailing_list")
_CHARACTER = click.argument("character", metavar="CHARACTER")
_MAILS = click.argument(
    "mail_ids", metavar="MAIL_ID...", type=Whole(min=1), nargs=-1, required=True
)


@click.group(short_help="Send, mark, label or delete mail.")
def command() -> None:
    """Send, mark, label or delete mail, as CHARACTER: an id, or the name of one logged in.

    A write is safe once the command has returned, whether a daemon runs or not.
    """


@command.command("send", cls=Command)
@_CHARACTER
@click.option(
    "--to", "to", multiple=True, required=True, metavar="NAME", help="Name, id, or KIND:ID."
)
@click.option("--subject", required=True, help="What the mail is about.")
@click.option("--body", help="Its text; else it is read from standard input.")
@click.option(
    "--approve-cost",
    type=Whole(min=0),
    default=0,
    metavar="ISK",
    help="Pay up to so much to recipients who charge strangers; else such a mail is not sent.",
)
@how_options
@pass_invocation
def send(
    invocation: Invocation,
    character: str,
    to: tuple[str, ...],
    subject: str,
    body: str | None,
    approve_cost: int,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Send a mail."""
    for text in to:
        # Before anything is read: does it name a kind that there is?
        _explicit(text)
    if body is None:
        if sys.stdin.isatty():
            raise BadInput("the text is read from standard input", "Pass --body, or pipe it in.")
        body = piped_text()
        if not body:
            raise BadInput("standard input gave no text", "Pass --body '' for a mail without text.")
    if not subject.strip() and not body.strip():
        raise BadInput("this mail says nothing", "Give it a --subject or a text.")
    payload = {"subject": subject, "body": body, "approved_cost": approve_cost}

    def payloads(names: Names) -> list[object]:
        return [{**payload, "recipients": _recipients(names, to)}]

    return ask(invocation, character, "mail.send", payloads, How(wait, timeout_s, as_json))


def _recipients(names: Names, texts: tuple[str, ...]) -> list[dict[str, object]]:
    explicit = {text: _explicit(text) for text in texts}
    looked_up = [text for text in texts if explicit[text] is None]
    found = dict(zip(looked_up, names.things(looked_up, RECIPIENTS), strict=True))
    recipients: list[dict[str, object]] = []
    for text in texts:
        number, category = explicit[text] or found[text]
        if category not in RECIPIENTS:
            raise BadInput(
                f"nobody here knows what {number} is", f"Write it as character:{number}, or so."
            )
        recipients.append({"recipient_id": number, "recipient_type": category})
    return recipients


def _explicit(text: str) -> tuple[int, str] | None:
    kind, colon, digits = text.partition(":")
    if not colon or not digits.isdecimal():
        return None
    number = id_of(digits)
    if kind not in RECIPIENTS or number is None:
        told = f"there is no recipient {text[:60]}"
        raise BadInput(told, f"Write {', '.join(RECIPIENTS)}, and :ID.")
    return number, kind


@command.command("read", cls=Command)
@_CHARACTER
@_MAILS
@click.option("--unread", is_flag=True, help="Mark them as unread.")
@how_options
@pass_invocation
def read(
    invocation: Invocation,
    character: str,
    mail_ids: tuple[int, ...],
    unread: bool,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Mark mails as read."""
    payloads = [{"mail_id": one, "read": not unread} for one in mail_ids]
    how = How(wait, timeout_s, as_json)
    return ask(invocation, character, "mail.set_read", lambda _: payloads, how)


@command.command("delete", cls=Command)
@_CHARACTER
@_MAILS
@how_options
@pass_invocation
def delete(
    invocation: Invocation,
    character: str,
    mail_ids: tuple[int, ...],
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Delete mails."""
    payloads = [{"mail_id": one} for one in mail_ids]
    how = How(wait, timeout_s, as_json)
    return ask(invocation, character, "mail.delete", lambda _: payloads, how)


@command.group("label", short_help="Label mails; make and delete labels.")
def label() -> None:
    """Label mails; make and delete labels."""


@label.command("set", cls=Command)
@_CHARACTER
@_MAILS
@click.option(
    "--label", "labels", type=Whole(), multiple=True, metavar="ID", help="None: take all off."
)
@how_options
@pass_invocation
def label_set(
    invocation: Invocation,
    character: str,
    mail_ids: tuple[int, ...],
    labels: tuple[int, ...],
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Give mails these labels and no others."""
    payloads = [{"mail_id": one, "labels": labels} for one in mail_ids]
    how = How(wait, timeout_s, as_json)
    return ask(invocation, character, "mail.set_labels", lambda _: payloads, how)


@label.command("create", cls=Command)
@_CHARACTER
@click.argument("name")
@click.option("--color", default="#ffffff", show_default=True, help="One of EVE's colours.")
@how_options
@pass_invocation
def label_create(
    invocation: Invocation,
    character: str,
    name: str,
    color: str,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Make a label."""
    from jobs.writes.mail_labels import COLORS

    if color not in COLORS:
        raise BadInput(f"no label has the colour {color}", f"There are: {', '.join(COLORS)}")
    payload = {"name": name, "color": color}
    how = How(wait, timeout_s, as_json)
    return ask(invocation, character, "mail.label_create", lambda _: [payload], how)


@label.command("delete", cls=Command)
@_CHARACTER
@click.argument("label_id", type=Whole())
@how_options
@pass_invocation
def label_delete(
    invocation: Invocation,
    character: str,
    label_id: int,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Delete a label, from every mail that bears it too."""
    how = How(wait, timeout_s, as_json)
    payload = {"label_id": label_id}
    return ask(invocation, character, "mail.label_delete", lambda _: [payload], how)
