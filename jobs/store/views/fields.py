"""Columns that many views have."""

from __future__ import annotations

from jobs.store.views.view import Branch, Field, Shape

BOTH = ("character", "corporation")


def integer(name: str, about: str = "") -> Field:
    """Return a column of whole numbers, ids among them."""
    return Field(name, Shape.INTEGER, about)


def double(name: str, about: str = "") -> Field:
    """Return a column of numbers."""
    return Field(name, Shape.DOUBLE, about)


def text(name: str, about: str = "") -> Field:
    """Return a column of texts."""
    return Field(name, Shape.TEXT, about)


def flag(name: str, about: str = "") -> Field:
    """Return a column of truths."""
    return Field(name, Shape.BOOLEAN, about)


def time(name: str, about: str = "") -> Field:
    """Return a column of times."""
    return Field(name, Shape.TIME, about)


def day(name: str, about: str = "") -> Field:
    """Return a column of days."""
    return Field(name, Shape.DAY, about)


def isk(name: str, about: str = "") -> Field:
    """Return a column of amounts of ISK."""
    return Field(name, Shape.ISK, about)


CHARACTER = (integer("character_id"), text("character"))
OWNER = (
    text("owner_type", "character or corporation"),
    integer("owner_id"),
    text("owner"),
)
WHERE = (text("system"), text("region"))


def me(b: Branch) -> dict[str, str]:
    """Return the CHARACTER columns of a row that is a character's."""
    return {"character_id": "o.character_id", "character": b.character("o.character_id")}


def owner(kind: str, b: Branch, row: str = "o") -> dict[str, str]:
    """Return the OWNER columns of a row that is of a character or corporation."""
    return {
        "owner_type": f"'{kind}'",
        "owner_id": f"{row}.{kind}_id",
        "owner": b.owner(kind, f"{row}.{kind}_id"),
    }
