"""Routes of mail: reading, and the writes that take effect at once and show later."""

from __future__ import annotations

from simulator.errors import Refusal, bad_request
from simulator.routes.bodies import object_in, text_in
from simulator.routes.table import Call, Done, Read, Write
from simulator.universe.world import World

PREFIX = "/characters/{character_id}/mail"
KINDS = ("alliance", "character", "corporation", "mailing_list")


def _send(world: World, call: Call) -> Done:
    body = object_in(call.body)
    listed = body.get("recipients")
    if not isinstance(listed, list) or not 1 <= len(listed) <= 50:
        raise bad_request("recipients must be a list of 1 to 50")
    recipients: list[tuple[int, str]] = []
    for one in listed:
        row = object_in(one)
        who, kind = row.get("recipient_id"), row.get("recipient_type")
        if not isinstance(who, int) or not isinstance(kind, str) or kind not in KINDS:
            raise bad_request("a recipient has an id and a type")
        recipients.append((who, kind))
    _check_charges(world, call, [who for who, kind in recipients if kind == "character"])
    subject, text = text_in(body, "subject", 1000), text_in(body, "body", 10_000)
    mail, reached = world.mail.send(call.ids[0], recipients, subject, text, call.at_s)
    return Done(mail.mail_id, (call.ids[0], *reached), effect=True)


def _check_charges(world: World, call: Call, people: list[int]) -> None:
    """Refuse as the game does: a spam stop, a charge that was not approved."""
    who = call.ids[0]
    wait_s = world.mail.spam_stops.get(who, 0.0) - call.at_s
    if wait_s > 0:
        raise Refusal(520, f"{{MailStopSpamming, (remainingTime {int(wait_s * 10_000_000)})}}")
    cost = sum(world.contacts.charges.get(one, 0) for one in people if one != who)
    approved = object_in(call.body).get("approved_cost", 0)
    if not isinstance(approved, int):
        raise bad_request("approved_cost must be a whole number")
    if cost > approved:
        raise Refusal(520, f"{{ContactCostNotApproved, (cost {cost})}}")


def _change(world: World, call: Call) -> Done:
    body = object_in(call.body)
    read, labels = body.get("read"), body.get("labels")
    if read is not None and not isinstance(read, bool):
        raise bad_request("read must be true or false")
    if labels is not None and not (
        isinstance(labels, list) and len(labels) <= 25 and all(isinstance(x, int) for x in labels)
    ):
        raise bad_request("labels must be a list of at most 25 ids")
    world.mail.change(call.ids[0], call.ids[1], read, labels, call.at_s)
    return Done(None, call.ids[:1], effect=True)


def _delete(world: World, call: Call) -> Done:
    world.mail.delete(call.ids[0], call.ids[1], call.at_s)
    return Done(None, call.ids[:1], effect=True)


def _add_label(world: World, call: Call) -> Done:
    body = object_in(call.body)
    name = text_in(body, "name", 40, least=1)
    color = body.get("color", "#ffffff")
    if not isinstance(color, str):
        raise bad_request("color must be a text")
    label_id = world.mail.add_label(call.ids[0], name, color, call.at_s)
    return Done(label_id, call.ids[:1], effect=True)


def _delete_label(world: World, call: Call) -> Done:
    world.mail.delete_label(call.ids[0], call.ids[1], call.at_s)
    return Done(None, call.ids[:1], effect=True)


ROWS: tuple[Read | Write, ...] = (
    Read(
        PREFIX,
        lambda world, ids, at_s: world.mail.headers(ids[0], at_s),
        "character.mail_headers",
    ),
    Read(
        f"{PREFIX}/labels",
        lambda world, ids, at_s: world.mail.labels(ids[0], at_s),
        "character.mail_labels",
    ),
    Read(
        f"{PREFIX}/lists",
        lambda world, ids, _: world.mail.lists(ids[0]),
        "character.mail_lists",
    ),
    Read(
        f"{PREFIX}/{{mail_id}}",
        lambda world, ids, at_s: world.mail.mail(ids[0], ids[1], at_s),
        "character.mail_body",
    ),
    Write("POST", PREFIX, _send),
    Write("PUT", f"{PREFIX}/{{mail_id}}", _change),
    Write("DELETE", f"{PREFIX}/{{mail_id}}", _delete),
    Write("POST", f"{PREFIX}/labels", _add_label),
    Write("DELETE", f"{PREFIX}/labels/{{label_id}}", _delete_label),
)
