"""What the value of a setting may be: its type, as TOML or as text, and its limits."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Literal
from urllib.parse import urlsplit

from ipc import id_lists

_PROFILES = ("standard", "eager")
_LEVELS = ("debug", "info", "warning", "error")
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
# What ESI still lists comes back when it is removed: the longest such list is of 90 days.
_RETENTION_DAYS = (90, 36_500)

Type = Literal["text", "whole number", "true or false", "list of ids", "list of pairs of ids"]


def of_toml(wanted: Type, value: object) -> object | None:
    """Return a value that TOML or a program gave, None if it is of another type."""
    if wanted == "list of ids":
        return id_lists.ids_of(value)
    if wanted == "list of pairs of ids":
        return id_lists.pairs_of(value)
    fits = {
        "text": isinstance(value, str),
        "whole number": isinstance(value, int) and not isinstance(value, bool),
        "true or false": isinstance(value, bool),
    }[wanted]
    return value if fits else None


def of_text(wanted: Type, text: str) -> object | None:
    """Return the value that a variable or a flag spells, None if it spells none."""
    if wanted == "text":
        return text
    if wanted == "whole number" and re.fullmatch(r"-?\d{1,18}", text.strip(), re.ASCII):
        return int(text)
    if wanted == "true or false" and text.strip().lower() in _TRUE | _FALSE:
        return text.strip().lower() in _TRUE
    if wanted == "list of ids":
        return id_lists.ids_of(id_lists.ids_in(text))
    if wanted == "list of pairs of ids":
        return id_lists.pairs_of(id_lists.pairs_in(text))
    return None


def a_value(wanted: Type) -> str:
    """Return a type with its article, and an example where the form is not obvious."""
    example = {
        "list of ids": " such as [10000002, 10000043]",
        "list of pairs of ids": " such as [[10000002, 34], [10000002, 35]]",
    }
    return wanted if wanted == "true or false" else f"a {wanted}{example.get(wanted, '')}"


def trouble_of(key: str, value: object) -> str:
    """Return what is wrong with a value of the right type; empty if nothing is."""
    check = _CHECKS.get(key)
    if check is None and key.startswith("intervals."):
        check = _in_range(1, 366 * 86400)
    elif check is None and key.startswith("retention."):
        check = _in_range(*_RETENTION_DAYS)
    return "" if check is None else check(value)


def _in_range(low: int, high: int) -> Callable[[Any], str]:
    return lambda value: "" if low <= value <= high else f"must be {low} to {high}, not {value}"


def _is_web(value: str) -> str:
    try:
        parts = urlsplit(value)
        # A port is not looked at before it is asked for.
        good = parts.port != 0
    except ValueError as error:
        return f"is no address: {error}"
    good = good and parts.scheme in ("http", "https") and bool(parts.hostname)
    return "" if good else f"must start with https:// or http://, not {value!r}"


def _is_date(value: str) -> str:
    good = re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII)
    try:
        date.fromisoformat(value)
    except ValueError:
        good = None
    return "" if good else f"must be a date as 2026-06-09, not {value!r}"


def _is_store(value: str) -> str:
    good = not value or re.match(r"(sqlite|postgresql)(\+\w+)?://", value)
    # The URL is not shown: it may hold a password.
    if not good:
        return "must start with sqlite:/// or postgresql://"
    return _is_path(value) if value.startswith("sqlite") else ""


def _is_level(value: str) -> str:
    return "" if value in _LEVELS else f"must be one of {', '.join(_LEVELS)}, not {value!r}"


def _is_profile(value: str) -> str:
    return "" if value in _PROFILES else f"must be {' or '.join(_PROFILES)}, not {value!r}"


def _is_line(value: str) -> str:
    return "" if value.isprintable() else "must be one line of printable text"


def _is_set(value: str) -> str:
    return _is_path(value) if value and value.isprintable() else "must name a folder"


def _is_path(value: str) -> str:
    if "\0" in value:
        return "names no file: it holds a character 0"
    try:
        os.fsencode(value)
    except UnicodeEncodeError as error:
        return f"names no file in this locale ({error.encoding}); set LC_ALL=C.UTF-8"
    return ""


_CHECKS: Mapping[str, Callable[[Any], str]] = {
    "data_dir": _is_set,
    "log_level": _is_level,
    "control.socket": _is_path,
    "store.url": _is_store,
    "esi.base_url": _is_web,
    "esi.contact": _is_line,
    "esi.compatibility_date": _is_date,
    "sso.base_url": _is_web,
    "sso.client_id": _is_line,
    "sso.callback_url": _is_web,
    "images.base_url": _is_web,
    "zkillboard.base_url": _is_web,
    "engine.workers": _in_range(1, 32),
    "engine.jobs_per_worker": _in_range(1, 64),
    "intervals.profile": _is_profile,
}
