"""Mutated items: what they were made of, and the attributes that are theirs alone."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Table

from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id
from jobs.store.schema.types import metadata

_ITEM = "GET /dogma/dynamic/items/{type_id}/{item_id}"

abyssal_item = Table(
    "abyssal_item",
    metadata,
    key_id("item_id"),
    an_id("type_id", Names.TYPE),
    an_id("source_type_id", Names.TYPE, "what it was before"),
    an_id("mutator_type_id", Names.TYPE, "the mutaplasmid"),
    an_id("created_by", Names.CHARACTER),
    comment=f"Mutated items; they never change. {_ITEM}",
    info=dict(SHARED),
)

abyssal_attribute = Table(
    "abyssal_attribute",
    metadata,
    key_id("item_id"),
    key_id("attribute_id"),
    Column("value", Double, nullable=False),
    comment=f"Attributes of mutated items. {_ITEM}",
    info=dict(SHARED),
)

abyssal_effect = Table(
    "abyssal_effect",
    metadata,
    key_id("item_id"),
    key_id("effect_id"),
    Column("is_default", Boolean, nullable=False),
    comment=f"Effects of mutated items. {_ITEM}",
    info=dict(SHARED),
)
