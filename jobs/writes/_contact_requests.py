"""How contacts are added, edited, removed and looked at, at ESI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec

from jobs.spec import Pages, Route
from jobs.writes._batches import in_batches
from jobs.writes._contact_payloads import ADDED_AT_ONCE, DELETED_AT_ONCE, Add, Edit, Remove
from jobs.writes.answers import decoded
from jobs.writes.kind import Sender

_GROUP = "char-social"
_PATH = "/characters/{character_id}/contacts"
LIST = Route("GET", _PATH, pages=Pages.X_PAGES, cache_age_s=300, rate_group=_GROUP)
ADD = Route("POST", _PATH, rate_group=_GROUP)
EDIT = Route("PUT", _PATH, rate_group=_GROUP)
REMOVE = Route("DELETE", _PATH, rate_group=_GROUP)


class _Contact(msgspec.Struct):
    contact_id: int
    label_ids: tuple[int, ...] = ()


async def add(sender: Sender, payload: Add) -> Mapping[str, Any]:
    """Add the contacts at ESI."""
    return await _set(sender, ADD, payload)


async def edit(sender: Sender, payload: Edit) -> Mapping[str, Any]:
    """Change the contacts at ESI."""
    return await _set(sender, EDIT, payload)


async def _set(sender: Sender, route: Route, payload: Add | Edit) -> Mapping[str, Any]:
    params: dict[str, int | str] = {
        "character_id": sender.character_id,
        "standing": f"{payload.standing:g}",
    }
    if payload.watched is not None:
        params["watched"] = "true" if payload.watched else "false"
    if payload.label_ids:
        # Apart by commas: so ESI has always read its lists.
        params["label_ids"] = ",".join(map(str, payload.label_ids))
    call = partial(sender.ask, route, params)
    return await in_batches(sender, payload.contact_ids, ADDED_AT_ONCE, call)


async def remove(sender: Sender, payload: Remove) -> Mapping[str, Any]:
    """Remove the contacts at ESI; one that is not there any more is as good as removed."""

    async def call(ids: Sequence[int]) -> None:
        text = ",".join(map(str, ids))
        await sender.ask(REMOVE, {"character_id": sender.character_id, "contact_ids": text})

    return await in_batches(sender, payload.contact_ids, DELETED_AT_ONCE, call, absent_is_done=True)


async def verify(
    sender: Sender, payload: Add | Edit, result: Mapping[str, Any]
) -> Mapping[str, Any] | datetime:
    """Look whether the contacts bear their labels: ESI can take a write and leave those out."""
    if not payload.label_ids:
        return result
    result = dict(result)
    seen_at = result.pop("seen_at", None)
    made, wanted = set(result.get("made", ())), set(payload.label_ids)
    params: dict[str, int | str] = {"character_id": sender.character_id}
    answer = await sender.look(LIST, params)
    body = decoded(answer.body, list[_Contact], "the contacts")
    for page in range(2, (answer.pages or 1) + 1):
        more = await sender.look(LIST, {**params, "page": page})
        body += decoded(more.body, list[_Contact], "the contacts")
    worn = {one.contact_id: set(one.label_ids) for one in body}
    lacking = {
        str(one): sorted(wanted - worn.get(one, set()))
        for one in payload.contact_ids
        if one in made and wanted - worn.get(one, set())
    }
    if not lacking:
        return result
    now = sender.now()
    if seen_at is None or now < datetime.fromisoformat(seen_at):
        # This may be from ESI's cache, of before the write; what comes after it is not.
        return max(answer.fresh_until, now) + timedelta(seconds=1)
    noted = result.get("note")
    told = f"labels were not applied to {len(lacking)} of {len(made)} contacts"
    return {
        **result,
        "labels_not_applied": lacking,
        "note": f"{noted}; {told}" if noted else told,
    }
