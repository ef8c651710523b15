"""Reading of request bodies and queries, with the bounds that the contract sets."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.errors import bad_request

MOST_IDS = 1000


def ids_in(body: object, *, most: int = MOST_IDS, bits: int = 63) -> list[int]:
    """Return the ids of a body that is a list of them: some, no more than allowed, no twins."""
    if not isinstance(body, list) or not body:
        raise bad_request("the body must be a list of ids")
    if len(body) > most:
        raise bad_request(f"no more than {most} ids at once")
    ids: list[int] = []
    for one in body:
        if not isinstance(one, int) or isinstance(one, bool) or not 0 <= one < 2**bits:
            raise bad_request(f"not an id: {one!r}"[:200])
        ids.append(one)
    if len(set(ids)) != len(ids):
        raise bad_request("an id is there twice")
    return ids


def object_in(body: object) -> dict[str, object]:
    """Return a body that is an object."""
    if not isinstance(body, dict):
        raise bad_request("the body must be an object")
    return body


def text_in(body: dict[str, object], name: str, most: int, *, least: int = 0) -> str:
    """Return a required text of a body."""
    value = body.get(name)
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise bad_request(f"{name} must be a text of {least} to {most} characters")
    return value


def ids_in_query(query: Mapping[str, str], name: str, most: int, *, least: int = 0) -> list[int]:
    """Return the ids of a query parameter: apart by commas, or the parameter several times."""
    every = getattr(query, "getall", None)
    texts = every(name, []) if every is not None else [query[name]] if name in query else []
    try:
        ids = [int(one) for text in texts for one in text.split(",") if one]
    except ValueError:
        raise bad_request(f"{name} must be a list of ids") from None
    if not least <= len(ids) <= most:
        raise bad_request(f"{name} must be {least} to {most} ids")
    return ids


def word_in_query(query: Mapping[str, str], name: str, *, default: bool | None = None) -> bool:
    """Return a query parameter that is true or false; without a default it must be there."""
    text = query.get(name)
    if text is None and default is not None:
        return default
    if text not in ("true", "false"):
        raise bad_request(f"{name} must be true or false")
    return text == "true"


def id_in_query(query: Mapping[str, str], name: str) -> int:
    """Return a query parameter that is one id and must be there."""
    return ids_in_query(query, name, 1, least=1)[0]
