"""Mutated items among the assets of characters and corporations: each is asked for once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from msgspec.structs import asdict
from sqlalchemy import Connection, Table, exists, select

from jobs.kinds._mutated_types import MUTATED_TYPES
from jobs.kinds._one_by_one import Found, asking, fetch_one_by_one
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, waits
from jobs.spec import Context, Params, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store.schema.abyssals import abyssal_attribute, abyssal_effect, abyssal_item

# Without a rate group: refusals count against the error limit that all routes share.
ITEM = Route("GET", "/dogma/dynamic/items/{type_id}/{item_id}")
# What refused items are remembered as.
REFUSED = "abyssal"


class Attribute(Wire, frozen=True):
    """One attribute, as it was rolled."""

    attribute_id: int
    value: float


class Effect(Wire, frozen=True):
    """One effect."""

    effect_id: int
    is_default: bool


class Dynamic(Wire, frozen=True):
    """What GET /dogma/dynamic/items/{type_id}/{item_id} tells."""

    source_type_id: int
    mutator_type_id: int
    created_by: int
    dogma_attributes: tuple[Attribute, ...]
    dogma_effects: tuple[Effect, ...]


def item_rows(answer: Dynamic, params: Params) -> Iterator[Row]:
    """Yield the item itself; its id and type are of the request."""
    yield {
        "source_type_id": answer.source_type_id,
        "mutator_type_id": answer.mutator_type_id,
        "created_by": answer.created_by,
    }


def attribute_rows(answer: Dynamic, params: Params) -> Iterator[Row]:
    """Yield a row for each attribute."""
    yield from (asdict(one) for one in answer.dogma_attributes)


def effect_rows(answer: Dynamic, params: Params) -> Iterator[Row]:
    """Yield a row for each effect."""
    yield from (asdict(one) for one in answer.dogma_effects)


TARGETS = (
    Target(abyssal_item, key=("item_id",), write=Write.APPEND, rows=item_rows),
    Target(
        abyssal_attribute,
        key=("item_id", "attribute_id"),
        write=Write.APPEND,
        rows=attribute_rows,
    ),
    Target(abyssal_effect, key=("item_id", "effect_id"), write=Write.APPEND, rows=effect_rows),
)


def wanted(connection: Connection, context: Context, assets: Table) -> list[Params]:
    """Return the unpacked mutated items of the subject that nothing is known of, newest first."""
    a, owner = assets.c, context.subject
    rows = connection.execute(
        select(a.type_id, a.item_id)
        .where(
            a[f"{owner.type}_id"] == owner.id,
            a.is_singleton,
            a.type_id.in_(sorted(MUTATED_TYPES)),
            ~exists().where(abyssal_item.c.item_id == a.item_id),
            ~waits(REFUSED, a.item_id, context.now()),
        )
        .order_by(a.item_id.desc())
    )
    return [{"type_id": row.type_id, "item_id": row.item_id} for row in rows]


def store(
    context: Context, connection: Connection, found: Sequence[Found], refused: Sequence[Params]
) -> int:
    """Write what was found; what ESI does not know is left alone for a growing while."""
    rows = 0
    for params, answer in found:
        for target, rows_of in zip(TARGETS, (item_rows, attribute_rows, effect_rows), strict=True):
            rows += context.apply(connection, target, rows_of(answer, params), params)
    forget_unknown(connection, REFUSED, _ids(params for params, _ in found))
    note_unknown(context, REFUSED, _ids(refused), connection)
    return rows


def _ids(params: Iterable[Params]) -> list[int]:
    return [int(one["item_id"]) for one in params]


def abyssals_part(assets: Table) -> Part:
    """Return the part that looks at the mutated items in a table of assets."""

    async def sync_items(context: Context) -> PartResult:
        items = await context.read(partial(wanted, context=context, assets=assets))
        ask = asking(context, ITEM, Dynamic)
        return await fetch_one_by_one(context, ask, items, partial(store, context))

    return Part(name="items", route=ITEM, wire=Dynamic, many=False, targets=TARGETS, run=sync_items)
