"""The write that sends a mail."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr
from sqlalchemy import Connection

from ipc.subject import Subject
from ipc.unreadable import UNREADABLE
from jobs.errors import RefusedWrite
from jobs.spec import Route
from jobs.writes.answers import decoded
from jobs.writes.fields import AnId, Isk
from jobs.writes.kind import Sender, Window, WriteKind, leave_as_is

_GROUP = "char-social"
LIST = Route("GET", "/characters/{character_id}/mail", cache_age_s=30, rate_group=_GROUP)
SEND = Route("POST", "/characters/{character_id}/mail", rate_group=_GROUP)

CHARGES = Route("POST", "/characters/{character_id}/cspa", rate_group="char-detail")
CHARGES_SCOPE = "esi-characters.read_contacts.v1"

# ESI's label of mails that the character sent.
SENT_LABEL = 2
# Fifty mails each.
_MAX_PAGES = 10


class Recipient(msgspec.Struct, frozen=True):
    """To whom a mail goes."""

    recipient_id: AnId
    recipient_type: Literal["alliance", "character", "corporation", "mailing_list"]


class Send(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mail to send; approved_cost: what the sender agrees to pay to strangers, in ISK."""

    recipients: Annotated[tuple[Recipient, ...], Meta(min_length=1, max_length=50)]
    subject: Annotated[str, Meta(max_length=1000)]
    body: Annotated[str, Meta(max_length=10_000)]
    approved_cost: Isk = 0

    def __post_init__(self) -> None:
        """Name each recipient once."""
        force_setattr(self, "recipients", tuple(dict.fromkeys(self.recipients)))


class _Addressee(msgspec.Struct):
    recipient_id: int
    recipient_type: str


class _Header(msgspec.Struct):
    mail_id: int
    timestamp: datetime
    sender_id: int = msgspec.field(name="from", default=0)
    subject: str = ""
    recipients: tuple[_Addressee, ...] = ()


def new_key(_payload: Send) -> str:
    """Return a key of its own for every mail: two equal mails are two mails."""
    return f"send:{uuid.uuid4().hex}"


def keep_as_is(_connection: Connection, _subject: Subject, payload: Send, _now: datetime) -> Send:
    """Change nothing in the mirror: a mail has no number before it is sent."""
    return payload


async def send(sender: Sender, payload: Send) -> Mapping[str, Any]:
    """Send the mail; return its number, and what it cost where a charge was approved."""
    cost = await _charge(sender, payload)
    answer = await sender.ask(SEND, {"character_id": sender.character_id}, payload)
    paid = {} if cost is None else {"cost": cost}
    try:
        return {"mail_id": msgspec.json.decode(answer.body, type=int), **paid}
    except UNREADABLE:
        # It is sent all the same; its number comes with the next mail headers.
        return paid


async def _charge(sender: Sender, payload: Send) -> float | None:
    """Return what the recipients charge; RefusedWrite if that is more than was approved.

    Nothing approved needs no look: ESI then refuses a mail that costs something, and says what.
    """
    people = [one.recipient_id for one in payload.recipients if one.recipient_type == "character"]
    people = [one for one in dict.fromkeys(people) if one != sender.character_id]
    if not payload.approved_cost or not people or CHARGES_SCOPE not in sender.scopes:
        return None
    answer = await sender.look(CHARGES, {"character_id": sender.character_id}, people)
    cost = decoded(answer.body, float, "the charge")
    if cost > payload.approved_cost:
        raise RefusedWrite(
            f"the recipients charge {cost:,.2f} ISK, and {payload.approved_cost:,} are approved"
        )
    return cost


async def find_sent(
    sender: Sender, payload: Send, window: Window, taken: frozenset[int]
) -> Mapping[str, Any] | None:
    """Look among the sent mails for one like this, made in that time."""
    wanted = _addressees(payload.recipients)
    oldest: int | None = None
    for _ in range(_MAX_PAGES):
        params: dict[str, int | str] = {
            "character_id": sender.character_id,
            "labels": SENT_LABEL,
        }
        if oldest is not None:
            params["last_mail_id"] = oldest
        answer = await sender.look(LIST, params)
        headers = decoded(answer.body, list[_Header], "the mail headers")
        for header in headers:
            if (
                header.sender_id == sender.character_id
                and window.since <= header.timestamp <= window.until
                and header.mail_id not in taken
                and header.subject == payload.subject
                and _addressees(header.recipients) == wanted
            ):
                return {"mail_id": header.mail_id, "found": True}
        lowest = min((header.mail_id for header in headers), default=None)
        if (
            lowest is None
            or (oldest is not None and lowest >= oldest)
            or min(header.timestamp for header in headers) < window.since
        ):
            return None
        oldest = lowest
    return None


def _addressees(
    recipients: Iterable[Recipient | _Addressee],
) -> frozenset[tuple[str, int]]:
    return frozenset((each.recipient_type, each.recipient_id) for each in recipients)


KINDS = (
    WriteKind(
        name="mail.send",
        summary="Send a mail.",
        feature="mail",
        payload=Send,
        scopes=frozenset({"esi-mail.send_mail.v1"}),
        routes=(SEND,),
        dedupe=new_key,
        apply=keep_as_is,
        execute=send,
        compensate=leave_as_is,
        mirrored=False,
        repeatable=False,
        find=find_sent,
        id_field="mail_id",
    ),
)
