"""Contacts and their labels, alike for characters, corporations and alliances; standings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.spec import Pages, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema import metadata

# Seconds that ESI caches contacts and labels.
CACHE_AGE_S = 300


class Contact(Wire, frozen=True):
    """One contact; of its labels the numbers only."""

    contact_id: int
    contact_type: str
    standing: float
    label_ids: tuple[int, ...] = ()


class WatchedContact(Contact, frozen=True):
    """One contact of a character or corporation, which can be watched."""

    is_watched: bool | None = None


class ContactLabel(Wire, frozen=True):
    """A label that contacts can have."""

    label_id: int
    label_name: str


class Standing(Wire, frozen=True):
    """What an agent, an NPC corporation or a faction thinks of the owner."""

    from_type: str
    from_id: int
    standing: float


def contact_parts(
    owner: SubjectType, *, scope: str, rate_group: str, wire: type[Contact]
) -> tuple[Part, Part]:
    """Return the two parts of a kind of contacts: the contacts with their labels, and labels."""
    path = f"/{owner}s/{{{owner}_id}}/contacts"
    scopes = frozenset({scope})
    tables = metadata.tables
    return (
        Part(
            name="contacts",
            route=Route(
                "GET", path, pages=Pages.X_PAGES, cache_age_s=CACHE_AGE_S, rate_group=rate_group
            ),
            wire=wire,
            scopes=scopes,
            targets=(
                Target(
                    tables[f"{owner}_contact"],
                    key=(f"{owner}_id", "contact_id"),
                    write=Write.REPLACE,
                    rows=contact_rows,
                ),
                Target(
                    tables[f"{owner}_contact_label_link"],
                    key=(f"{owner}_id", "contact_id", "label_id"),
                    write=Write.REPLACE,
                    rows=link_rows,
                ),
            ),
        ),
        Part(
            name="labels",
            route=Route("GET", f"{path}/labels", cache_age_s=CACHE_AGE_S, rate_group=rate_group),
            wire=ContactLabel,
            scopes=scopes,
            targets=(
                Target(
                    tables[f"{owner}_contact_label"],
                    key=(f"{owner}_id", "label_id"),
                    write=Write.REPLACE,
                ),
            ),
        ),
    )


def contact_rows(answer: Iterable[Contact], params: Params) -> Iterator[Row]:
    """Yield a row for each contact."""
    for one in answer:
        row = asdict(one)
        del row["label_ids"]
        yield row


def link_rows(answer: Iterable[Contact], params: Params) -> Iterator[Row]:
    """Yield a row for each label on each contact."""
    for one in answer:
        for label_id in one.label_ids:
            yield {"contact_id": one.contact_id, "label_id": label_id}
