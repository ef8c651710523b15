"""Mail: what arrives by itself, and what clients send, read, label and delete."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.clock import iso
from simulator.errors import Refusal, bad_request, not_found
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import FIRST_CHARACTER, FIRST_STRANGER, STRANGERS, Population

FIRST_LIST = 145_000_001
LISTS = ("Haulers Anonymous", "Jita Local", "Wormhole Diaries", "Рынок", "Incursion Pings")
IDS_FROM_S = 1_704_067_200
IDS_EACH_S = 20_000
INBOX, SENT, CORPORATION, ALLIANCE = 1, 2, 4, 8
SYSTEM_LABELS = {INBOX: "Inbox", SENT: "Sent", CORPORATION: "[Corp]", ALLIANCE: "[Alliance]"}
_SUBJECTS = ("Fleet tonight", "Your contract", "re: courier", "Привет", "Ship replacement", "")
_BODIES = (
    "See you there.", "Please <b>accept</b> before downtime.", "o7", "Line one<br>Line two",
    "Прошу ответить", "\u202eright to left\u202c and back",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail as it was sent."""

    mail_id: int
    at_s: int
    sender_id: int
    subject: str
    body: str
    recipients: tuple[tuple[int, str], ...]
    labels: tuple[int, ...]
    is_read: bool = False


@dataclass(slots=True)
class Mailbox:
    """What a character has done with its mail, over what has arrived by itself."""

    custom: dict[int, tuple[str, str]]
    made_until_s: float = -1.0
    mails: dict[int, Mail] = field(default_factory=dict)
    read: dict[int, bool] = field(default_factory=dict)
    labels: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def labels_of(self, mail: Mail) -> tuple[int, ...]:
        """Return the labels that a mail bears now."""
        return self.labels.get(mail.mail_id, mail.labels)

    def is_read(self, mail: Mail) -> bool:
        """Tell whether a mail counts as read now."""
        return self.read.get(mail.mail_id, mail.is_read)


class Mailboxes:
    """The mail of every character."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._boxes: dict[int, Mailbox] = {}
        self._sent = 0
        # Until when a character may send none.
        self.spam_stops: dict[int, float] = {}

    def lists(self, character_id: int) -> list[Row]:
        """Return the mailing lists that a character has joined."""
        first = character_id % len(LISTS)
        return [
            {"mailing_list_id": FIRST_LIST + number, "name": LISTS[number]}
            for number in sorted({first, (first + 2) % len(LISTS)})
        ]

    def headers(self, character_id: int, at_s: float) -> list[Row]:
        """Return the headers of a mailbox, newest first."""
        box = self._box(character_id, at_s)
        newest_first = sorted(box.mails.values(), key=lambda mail: -mail.mail_id)
        return [
            {
                "mail_id": mail.mail_id,
                "timestamp": iso(mail.at_s),
                "from": mail.sender_id,
                "subject": mail.subject,
                "recipients": _recipients(mail),
                "labels": list(box.labels_of(mail)),
                "is_read": box.is_read(mail),
            }
            for mail in newest_first
            if mail.at_s <= at_s
        ]

    def mail(self, character_id: int, mail_id: int, at_s: float) -> Row:
        """Return one mail with its body."""
        box = self._box(character_id, at_s)
        mail = _find(box, mail_id)
        return {
            "body": mail.body,
            "from": mail.sender_id,
            "labels": list(box.labels_of(mail)),
            "read": box.is_read(mail),
            "recipients": _recipients(mail),
            "subject": mail.subject,
            "timestamp": iso(mail.at_s),
        }

    def labels(self, character_id: int, at_s: float) -> Row:
        """Return the labels of a mailbox with what is unread under each."""
        box = self._box(character_id, at_s)
        unread: dict[int, int] = {}
        total = 0
        for mail in box.mails.values():
            if mail.at_s <= at_s and not box.is_read(mail):
                total += 1
                for label_id in box.labels_of(mail):
                    unread[label_id] = unread.get(label_id, 0) + 1
        known = {key: (name, "#ffffff") for key, name in SYSTEM_LABELS.items()} | box.custom
        return {
            "labels": [
                {
                    "label_id": label_id,
                    "name": name,
                    "color": color,
                    "unread_count": unread.get(label_id, 0),
                }
                for label_id, (name, color) in sorted(known.items())
            ],
            "total_unread_count": total,
        }

    def send(
        self,
        character_id: int,
        recipients: list[tuple[int, str]],
        subject: str,
        body: str,
        at_s: float,
    ) -> tuple[Mail, list[int]]:
        """Put a mail into the sender's box and into those of the characters it is for."""
        for recipient_id, kind in recipients:
            if kind == "character" and not self._people.exists(recipient_id):
                raise bad_request(f"recipient {recipient_id} does not exist")
        self._sent += 1
        mail_id = (int(at_s) - IDS_FROM_S) * IDS_EACH_S + IDS_EACH_S // 2
        mail_id += self._sent % (IDS_EACH_S // 2)
        mail = Mail(
            mail_id, int(at_s), character_id, subject, body, tuple(recipients), (SENT,), True
        )
        self._box(character_id, at_s).mails[mail_id] = mail
        reached = [who for who, _ in recipients if who in self._people.character_ids]
        for who in reached:
            if who != character_id:
                copy = Mail(
                    mail_id, int(at_s), character_id, subject, body, mail.recipients, (INBOX,)
                )
                self._box(who, at_s).mails[mail_id] = copy
        return mail, reached

    def change(
        self,
        character_id: int,
        mail_id: int,
        read: bool | None,
        labels: list[int] | None,
        at_s: float,
    ) -> None:
        """Mark a mail as read or unread and set its labels."""
        box = self._box(character_id, at_s)
        _find(box, mail_id)
        if labels is not None:
            unknown = [one for one in labels if one not in box.custom and one not in SYSTEM_LABELS]
            if unknown:
                raise bad_request(f"label {unknown[0]} does not exist")
            box.labels[mail_id] = tuple(labels)
        if read is not None:
            box.read[mail_id] = read

    def delete(self, character_id: int, mail_id: int, at_s: float) -> None:
        """Take a mail out of a mailbox for good."""
        box = self._box(character_id, at_s)
        _find(box, mail_id)
        del box.mails[mail_id]

    def add_label(self, character_id: int, name: str, color: str, at_s: float) -> int:
        """Make a label and return its id."""
        box = self._box(character_id, at_s)
        if any(name == known for known, _ in box.custom.values()):
            raise bad_request(f"label {name!r} exists already")
        label_id = max([8, *box.custom]) * 2
        box.custom[label_id] = (name, color)
        return label_id

    def delete_label(self, character_id: int, label_id: int, at_s: float) -> None:
        """Remove a label, from every mail that bears it too."""
        box = self._box(character_id, at_s)
        if label_id in SYSTEM_LABELS:
            raise Refusal(422, "a label of the system cannot be deleted")
        if label_id not in box.custom:
            raise not_found("label not found")
        del box.custom[label_id]
        for mail in box.mails.values():
            worn = box.labels_of(mail)
            if label_id in worn:
                box.labels[mail.mail_id] = tuple(one for one in worn if one != label_id)

    def _box(self, character_id: int, at_s: float) -> Mailbox:
        box = self._boxes.get(character_id)
        if box is None:
            box = self._boxes[character_id] = Mailbox(
                {16: ("Trade", "#0099ff"), 32: ("Ops", "#9a0000")}
            )
        if at_s > box.made_until_s:
            for index, sent_s in self._beat(character_id).between(box.made_until_s, at_s):
                mail = self._arrived(character_id, index, sent_s)
                box.mails[mail.mail_id] = mail
            box.made_until_s = at_s
        return box

    def _beat(self, character_id: int) -> Beat:
        past = draw(self._people.seed, "mails", character_id).randrange(20, 130)
        start_s = self._people.start_s
        return Beat(self._people.seed, f"mail {character_id}", start_s, past, 21_600, 300)

    def _arrived(self, character_id: int, index: int, at_s: int) -> Mail:
        luck = draw(self._people.seed, "mail", character_id, index)
        mail_id = (at_s - IDS_FROM_S) * IDS_EACH_S + (character_id - FIRST_CHARACTER) % 10_000
        sender_id = FIRST_STRANGER + luck.randrange(STRANGERS)
        recipients: tuple[tuple[int, str], ...] = ((character_id, "character"),)
        labels: tuple[int, ...] = (INBOX,)
        roll = luck.random()
        if roll < 0.15:
            list_id = FIRST_LIST + character_id % len(LISTS)
            recipients, labels = ((list_id, "mailing_list"),), ()
            if roll < 0.05:  # the list itself can be named as the sender
                sender_id = list_id
        elif roll < 0.3:
            corporation_id = self._people.pilot(character_id).corporation_id
            recipients, labels = ((corporation_id, "corporation"),), (CORPORATION,)
        elif roll < 0.45:
            labels = (INBOX, luck.choice((16, 32)))
        subject = luck.choice(_SUBJECTS)
        body = luck.choice(_BODIES) * luck.randrange(1, 8)
        is_read = index < 0 and luck.random() < 0.8
        return Mail(mail_id, at_s, sender_id, subject, body, recipients, labels, is_read)


def _find(box: Mailbox, mail_id: int) -> Mail:
    mail = box.mails.get(mail_id)
    if mail is None:
        raise not_found("mail not found")
    return mail


def _recipients(mail: Mail) -> list[Row]:
    return [
        {"recipient_id": recipient_id, "recipient_type": kind}
        for recipient_id, kind in mail.recipients
    ]
