"""The writes that concern the game client: a waypoint, a window. Nothing of them can be read."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr
from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.spec import Route
from jobs.writes.fields import AnId
from jobs.writes.kind import Sender, WriteKind, leave_as_is

_GROUP = "ui"
WAYPOINT = Route("POST", "/ui/autopilot/waypoint", rate_group=_GROUP)
_OPEN = "/ui/openwindow"
CONTRACT = Route("POST", f"{_OPEN}/contract", rate_group=_GROUP)
INFORMATION = Route("POST", f"{_OPEN}/information", rate_group=_GROUP)
MARKET = Route("POST", f"{_OPEN}/marketdetails", rate_group=_GROUP)
NEW_MAIL = Route("POST", f"{_OPEN}/newmail", rate_group=_GROUP)
_WINDOWS = {
    "contract": (CONTRACT, "contract_id"),
    "information": (INFORMATION, "target_id"),
    "market": (MARKET, "type_id"),
}
# Whoever asked is at the screen now.
LIFETIME = timedelta(minutes=10)


class Waypoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A system, station or structure to go to."""

    destination_id: AnId
    add_to_beginning: bool = False
    clear_other_waypoints: bool = False


class NewMail(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a window for a new mail is filled with."""

    recipients: Annotated[tuple[AnId, ...], Meta(min_length=1, max_length=50)]
    subject: Annotated[str, Meta(max_length=1000)]
    body: Annotated[str, Meta(max_length=10_000)]
    to_corp_or_alliance_id: AnId | None = None
    to_mailing_list_id: AnId | None = None

    def __post_init__(self) -> None:
        """Name each recipient once."""
        force_setattr(self, "recipients", tuple(dict.fromkeys(self.recipients)))


class OpenWindow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A window to open: `id` is of the contract, the type, or whatever is to be shown."""

    window: Literal["contract", "information", "market", "newmail"]
    id: AnId | None = None
    mail: NewMail | None = None

    def __post_init__(self) -> None:
        """Refuse a window without what it shows."""
        if (self.window == "newmail") != (self.mail is not None):
            raise ValueError("`mail` goes with the window newmail, and only with it")
        if (self.window == "newmail") != (self.id is None):
            raise ValueError("`id` goes with every window but newmail")


def new_key(_payload: Any) -> str:
    """Return a key of its own: asked for twice, it is done twice."""
    return f"ui:{uuid.uuid4().hex}"


def keep_as_is(_connection: Connection, _subject: Subject, payload: Any, _now: datetime) -> Any:
    """Change nothing: the mirror knows nothing of the client."""
    return payload


async def set_waypoint(sender: Sender, payload: Waypoint) -> Mapping[str, Any]:
    """Set the waypoint."""
    params: dict[str, int | str] = {
        "destination_id": payload.destination_id,
        "add_to_beginning": _word(payload.add_to_beginning),
        "clear_other_waypoints": _word(payload.clear_other_waypoints),
    }
    await sender.ask(WAYPOINT, params)
    return {}


async def open_window(sender: Sender, payload: OpenWindow) -> Mapping[str, Any]:
    """Open the window."""
    if payload.mail is not None:
        body = {
            name: value for name, value in msgspec.structs.asdict(payload.mail).items() if value
        }
        await sender.ask(NEW_MAIL, {}, {"subject": "", "body": "", **body})
        return {}
    route, name = _WINDOWS[payload.window]
    assert payload.id is not None  # noqa: S101 - checked when the payload was made
    await sender.ask(route, {name: payload.id})
    return {}


def _word(value: bool) -> str:
    return "true" if value else "false"


KINDS = (
    WriteKind(
        name="ui.waypoint",
        summary="Set a waypoint of the autopilot; the character must be online.",
        feature=None,
        payload=Waypoint,
        scopes=frozenset({"esi-ui.write_waypoint.v1"}),
        routes=(WAYPOINT,),
        dedupe=new_key,
        target=lambda _payload: "autopilot",
        apply=keep_as_is,
        execute=set_waypoint,
        compensate=leave_as_is,
        mirrored=False,
        repeatable=False,
        lifetime=LIFETIME,
    ),
    WriteKind(
        name="ui.open_window",
        summary="Open a window in the client; the character must be online.",
        feature=None,
        payload=OpenWindow,
        scopes=frozenset({"esi-ui.open_window.v1"}),
        routes=(CONTRACT, INFORMATION, MARKET, NEW_MAIL),
        dedupe=new_key,
        target=lambda _payload: "window",
        apply=keep_as_is,
        execute=open_window,
        compensate=leave_as_is,
        mirrored=False,
        repeatable=False,
        lifetime=LIFETIME,
    ),
)
