"""Writes of contacts: in the mirror at once, in batches to ESI, and what becomes of each id."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from jobs.errors import PauseBucket, RefusedWrite, Transient
from jobs.esi.reactions import Absent, GameRefused
from jobs.store.schema.contacts import character_contact, character_contact_label_link
from jobs.store.write_status import Status
from jobs.writes.payloads import BadPayload
from tests.unit.jobs.job_house import START
from tests.unit.jobs.writes.write_box import Outbox

ADD = "POST /characters/{character_id}/contacts"
EDIT = "PUT /characters/{character_id}/contacts"
REMOVE = "DELETE /characters/{character_id}/contacts"
LIST = "GET /characters/{character_id}/contacts"
ONE, TWO = 90_000_001, 90_000_002


async def contacts(box: Outbox) -> dict[int, tuple[float, bool | None, list[int]]]:
    """Return the mirror's contacts: standing, watched, labels."""

    def query(connection: Any) -> dict[int, tuple[float, bool | None, list[int]]]:
        found: dict[int, tuple[float, bool | None, list[int]]] = {
            row.contact_id: (row.standing, row.is_watched, [])
            for row in connection.execute(select(character_contact))
        }
        for row in connection.execute(select(character_contact_label_link)):
            found[row.contact_id][2].append(row.label_id)
        return found

    return await box.house.tools.read(query)


async def put(box: Outbox, *ids: int) -> None:
    """Put contacts into the mirror, watched, with standing 1 and label 4."""
    await box.fill(
        character_contact,
        *(
            {"contact_id": one, "contact_type": "character", "standing": 1.0, "is_watched": True}
            for one in ids
        ),
    )
    await box.fill(
        character_contact_label_link, *({"contact_id": one, "label_id": 4} for one in ids)
    )


def ids_taken(*refused: int, error: type[Exception] = RefusedWrite) -> Any:
    """Return an ESI that refuses every batch with one of these ids, and what it took."""
    taken: list[int] = []

    async def ask(route: Any, params: Any, *, token: Any, body: Any = None, **_: Any) -> Any:
        ids = list(body or map(int, str(params["contact_ids"]).split(",")))
        bad = [one for one in ids if one in refused]
        if bad:
            raise error(f"{bad[0]} is no good")
        taken.extend(ids)
        return None

    return ask, taken


def answer_with(box: Outbox, ask: Any) -> None:
    """Have a function stand in for ESI."""
    box.esi.ask = ask  # type: ignore[method-assign]


async def test_an_added_contact_is_in_the_mirror_at_once(box: Outbox) -> None:
    payload = {"contact_ids": [ONE, 98_000_001], "standing": -5, "watched": True}
    await box.want("contact.add", payload)
    assert await contacts(box) == {ONE: (-5.0, True, []), 98_000_001: (-5.0, True, [])}
    box.esi.say(box.esi.good([ONE, 98_000_001]))

    done = await box.send()

    assert done.status == "done"
    name, params, *_ = box.esi.asked[0]
    assert name == ADD
    assert (params["standing"], params["watched"]) == ("-5", "true")
    assert msgspec.json.decode((await box.row()).result or "")["made"] == [ONE, 98_000_001]


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("contact.add", {"contact_ids": [ONE, TWO], "standing": 5}),
        ("contact.edit", {"contact_ids": [ONE], "standing": 5, "watched": False}),
        ("contact.remove", {"contact_ids": [ONE, TWO]}),
    ],
)
async def test_a_refusal_brings_back_what_was_there(box: Outbox, kind: str, payload: Any) -> None:
    await put(box, ONE)
    before = await contacts(box)
    await box.want(kind, payload)
    assert await contacts(box) != before
    ask, _ = ids_taken(ONE, TWO)
    answer_with(box, ask)

    assert (await box.send()).status == "failed"
    assert await contacts(box) == before


async def test_many_are_sent_in_pieces_with_a_row_each(box: Outbox) -> None:
    added = list(range(ONE, ONE + 250))
    rows = await box.want_all("contact.add", {"contact_ids": added, "standing": 5})
    assert len(rows) == 3
    rows += await box.want_all("contact.remove", {"contact_ids": added[:21]})
    assert len(rows) == 5
    sizes = []
    for _ in rows:
        box.esi.say(box.esi.good(b"[]"))
        (row,) = await box.claim()
        assert (await box.carry_out(row)).status == "done"
        sizes.append(len(msgspec.json.decode(row.payload)["contact_ids"]))
    assert sizes == [100, 100, 50, 20, 1]
    assert [row.status for row in await box.rows()] == [Status.DONE] * 5
    assert len(await contacts(box)) == 229


async def test_a_row_of_another_program_is_sent_in_pieces_too(box: Outbox) -> None:
    await box.want("contact.remove", {"contact_ids": [ONE]})
    many = msgspec.json.encode({"contact_ids": list(range(ONE, ONE + 21))}).decode()
    await box.house.write(lambda c: c.exec_driver_sql("UPDATE outbox SET payload = ?", (many,)))
    box.esi.say(box.esi.good(b""), box.esi.good(b""))

    assert (await box.send()).status == "done"
    asked = [len(str(params["contact_ids"]).split(",")) for _, params, *_ in box.esi.asked]
    assert asked == [20, 1]


async def test_ids_that_are_refused_are_split_off(box: Outbox) -> None:
    ids = list(range(ONE, ONE + 40))
    await box.want("contact.add", {"contact_ids": ids, "standing": 5})
    ask, taken = ids_taken(ONE + 7, ONE + 30)
    answer_with(box, ask)

    done = await box.send()

    assert done.status == "done"
    assert sorted(taken) == [one for one in ids if one not in (ONE + 7, ONE + 30)]
    assert "2 of 40 refused" in done.reason
    result = msgspec.json.decode((await box.row()).result or "")
    assert sorted(result["refused"]) == [str(ONE + 7), str(ONE + 30)]
    assert sorted(await contacts(box)) == sorted(taken)


async def test_a_batch_that_is_refused_as_a_whole_costs_few_requests(box: Outbox) -> None:
    ids = list(range(ONE, ONE + 100))
    await box.want("contact.add", {"contact_ids": ids, "standing": 5})
    asked = 0

    async def ask(*_: Any, **__: Any) -> Any:
        nonlocal asked
        asked += 1
        raise RefusedWrite("400: label 3 does not exist")

    answer_with(box, ask)

    done = await box.send()

    assert done.status == "failed"
    assert "label 3" in done.reason
    assert asked < 40
    assert await contacts(box) == {}


async def test_an_owner_that_cannot_be_reached_is_split_off(box: Outbox) -> None:
    await box.want("contact.add", {"contact_ids": [ONE, TWO], "standing": 5})

    async def ask(route: Any, params: Any, *, body: Any, **_: Any) -> Any:
        if TWO in body:
            raise GameRefused("{ContactOwnerUnreachable}")

    answer_with(box, ask)

    assert (await box.send()).status == "done"
    assert list(await contacts(box)) == [ONE]


async def test_what_is_gone_already_is_removed(box: Outbox) -> None:
    await put(box, ONE, TWO)
    await box.want("contact.remove", {"contact_ids": [ONE, TWO]})
    ask, taken = ids_taken(TWO, error=Absent)
    answer_with(box, ask)

    assert (await box.send()).status == "done"
    assert taken == [ONE]
    assert await contacts(box) == {}


async def test_each_piece_is_kept_when_the_next_one_breaks_off(box: Outbox) -> None:
    await box.want("contact.remove", {"contact_ids": [ONE]})
    ids = list(range(ONE, ONE + 45))
    many = msgspec.json.encode({"contact_ids": ids}).decode()
    await box.house.write(lambda c: c.exec_driver_sql("UPDATE outbox SET payload = ?", (many,)))
    until = START + timedelta(seconds=30)
    box.esi.say(box.esi.good(b""), PauseBucket("char-social:9", until, 30))
    first = await box.send()
    assert first.status == "pending"
    box.clock.advance(first.next_in_s + 1)
    box.esi.say(Transient("502"))
    second = await box.send()
    box.clock.advance(second.next_in_s + 1)
    box.esi.say(box.esi.good(b""), box.esi.good(b""))

    assert (await box.send()).status == "done"
    asked = [len(str(params["contact_ids"]).split(",")) for _, params, *_ in box.esi.asked]
    assert asked == [20, 20, 20, 20, 5]
    assert msgspec.json.decode((await box.row()).result or "")["made"] == ids


async def test_what_an_edit_leaves_out_stays(box: Outbox) -> None:
    await put(box, ONE)
    await box.fill(
        character_contact,
        {"contact_id": TWO, "contact_type": "character", "standing": 1.0, "is_watched": False},
    )
    rows = await box.want_all("contact.edit", {"contact_ids": [ONE, TWO], "standing": 7.5})
    assert len(rows) == 2
    assert await contacts(box) == {ONE: (7.5, True, [4]), TWO: (7.5, False, [])}
    shown = [{"contact_id": ONE, "label_ids": [4]}]
    box.esi.say(box.esi.good(b""), box.esi.good(shown), box.esi.good(b""))
    for _ in rows:
        assert (await box.send()).status == "done"
    sent = {
        (params["watched"], params.get("label_ids"))
        for name, params, *_ in box.esi.asked
        if name == EDIT
    }
    assert sent == {("true", "4"), ("false", None)}


async def test_what_the_mirror_does_not_know_cannot_be_left_out(box: Outbox) -> None:
    await put(box, ONE)
    with pytest.raises(BadPayload, match=str(TWO)):
        await box.want("contact.edit", {"contact_ids": [ONE, TWO], "standing": 5})
    await box.want(
        "contact.edit", {"contact_ids": [TWO], "standing": 5, "watched": False, "label_ids": []}
    )


async def test_no_more_than_a_thousand(box: Outbox) -> None:
    await put(box, *range(ONE, ONE + 995))
    with pytest.raises(BadPayload, match="995 contacts"):
        await box.want("contact.add", {"contact_ids": list(range(5, 11)), "standing": 5})
    # Those that are there already need no room.
    await box.want("contact.add", {"contact_ids": [5, 6, 7, 8, 9, ONE], "standing": 5})


async def test_labels_are_looked_at_once_esi_can_show_them(box: Outbox) -> None:
    await box.want("contact.add", {"contact_ids": [ONE, TWO], "standing": 5, "label_ids": [1, 2]})
    stale = {"fresh_until": START + timedelta(seconds=200)}
    box.esi.say(box.esi.good([ONE]), box.esi.good([], **stale))

    first = await box.send()

    assert first.status == "pending"
    assert first.next_in_s == 201
    assert "arrived" in first.reason
    box.clock.advance(first.next_in_s)
    shown = [{"contact_id": ONE, "label_ids": [2, 1]}, {"contact_id": TWO, "label_ids": [2]}]
    box.esi.say(box.esi.good(shown))
    second = await box.send()

    assert second.status == "done"
    assert "labels were not applied to 1 of 2" in second.reason
    row = await box.row()
    assert row.last_error == second.reason
    assert msgspec.json.decode(row.result or "")["labels_not_applied"] == {str(TWO): [1]}
    assert box.sent() == [ADD, LIST, LIST]
    assert (await contacts(box))[ONE][2] == [1, 2]
    assert (await contacts(box))[TWO][2] == [2]


async def test_labels_that_show_at_once_need_no_second_look(box: Outbox) -> None:
    await box.want("contact.add", {"contact_ids": [ONE], "standing": 5, "label_ids": [1]})
    page = box.esi.good([], pages_text="2")
    box.esi.say(box.esi.good([ONE]), page, box.esi.good([{"contact_id": ONE, "label_ids": [1]}]))

    done = await box.send()

    assert (done.status, done.reason) == ("done", "")
    assert box.esi.asked[2][1]["page"] == 2


async def test_what_arrived_is_never_sent_again_though_looking_at_it_fails(box: Outbox) -> None:
    await box.want("contact.add", {"contact_ids": [ONE], "standing": 5, "label_ids": [1]})
    box.esi.say(box.esi.good([ONE]), Transient("502"))
    done = await box.send()
    while done.status == "pending":
        box.clock.advance(done.next_in_s + 3600)
        box.esi.say(Transient("502"))
        done = await box.send()

    assert done.status == "done"
    assert "how it shows cannot be seen" in done.reason
    assert box.sent().count(ADD) == 1


async def test_what_is_asked_for_last_is_sent_last(box: Outbox) -> None:
    await box.want("contact.add", {"contact_ids": [ONE], "standing": 5})
    box.clock.advance(1)
    await box.want("contact.remove", {"contact_ids": [ONE]})
    box.clock.advance(1)
    # The first row again, with a new payload: it must not be sent before the removal.
    await box.want("contact.add", {"contact_ids": [ONE], "standing": -5})
    assert await contacts(box) == {ONE: (-5.0, False, [])}
    for _ in range(2):
        box.esi.say(box.esi.good(b""))
        assert (await box.send()).status == "done"

    assert box.sent() == [REMOVE, ADD]
    assert await contacts(box) == {ONE: (-5.0, False, [])}


async def test_while_one_is_sent_the_next_one_waits(box: Outbox) -> None:
    await box.want("contact.add", {"contact_ids": [ONE], "standing": 5})
    (row,) = await box.claim()
    box.clock.advance(1)
    await box.want("contact.remove", {"contact_ids": [ONE, TWO]})
    box.clock.advance(1)
    await box.want("contact.add", {"contact_ids": [ONE], "standing": -5})
    assert await box.claim() == []
    box.esi.say(box.esi.good(b""))
    await box.carry_out(row)
    (after,) = await box.claim()
    assert after.kind == "contact.remove"


async def test_a_refusal_does_not_undo_what_was_asked_for_after_it(box: Outbox) -> None:
    await put(box, ONE)
    await box.want("contact.edit", {"contact_ids": [ONE], "standing": 5, "label_ids": []})
    box.clock.advance(1)
    await box.want("contact.remove", {"contact_ids": [ONE]})
    box.esi.say(RefusedWrite("404"))

    assert (await box.send()).status == "failed"
    assert await contacts(box) == {}
