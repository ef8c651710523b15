"""Loading of Settings: one TOML file, the environment over it, flags over both.

Only the standard library and msgspec are used, since the supervisor loads settings too. Whether
the names in [features] and [intervals] exist is checked by those who know the catalogue.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ipc import config_values
from ipc.config_values import Type
from ipc.deathwatch import OWNER_VARIABLE
from ipc.settings import Settings

CONFIG_VARIABLE = "ESISYNCD_CONFIG"
SYSTEM_CONFIG = Path("/etc/esisyncd.toml")
SYSTEM_DATA_DIR = Path("/var/lib/esisyncd")
_PREFIX = "ESISYNCD_"
_NOT_SETTINGS = frozenset({CONFIG_VARIABLE, OWNER_VARIABLE})

KEYS: Mapping[str, Type] = {
    "data_dir": "text",
    "log_level": "text",
    "store.url": "text",
    "esi.base_url": "text",
    "esi.contact": "text",
    "esi.compatibility_date": "text",
    "sso.base_url": "text",
    "sso.client_id": "text",
    "sso.callback_url": "text",
    "images.base_url": "text",
    "zkillboard.base_url": "text",
    "market_watch.regions": "list of ids",
    "market_watch.structures": "list of ids",
    "market_watch.types": "list of pairs of ids",
    "control.socket": "text",
    "engine.workers": "whole number",
    "engine.jobs_per_worker": "whole number",
    "intervals.profile": "text",
}
# Tables whose keys are names of features and kinds.
OPEN_TABLES: Mapping[str, Type] = {
    "features": "true or false",
    "intervals": "whole number",
    "retention": "whole number",
}
_OPEN_NAMES = ("features.FEATURE", "intervals.KIND", "retention.KIND_OR_FEATURE")
_TABLES = frozenset(key.partition(".")[0] for key in KEYS if "." in key) | OPEN_TABLES.keys()


class ConfigError(Exception):
    """The configuration cannot be used; the text says what to do, in a line or two."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, and where each value that is no default came from."""

    settings: Settings
    # The file that was read, if any.
    path: Path | None
    # Key path -> the file's path, the environment variable's name, "flag" or "default".
    sources: Mapping[str, str]


def find_config(path: Path | None, environ: Mapping[str, str]) -> Path | None:
    """Return the file to read: the one named, else ESISYNCD_CONFIG, else the platform's place.

    The platform's places are $XDG_CONFIG_HOME/esisyncd/config.toml (~/.config by default) and
    /etc/esisyncd.toml; root looks into /etc first. None: neither is there, defaults apply.
    """
    if path is not None:
        return path
    if environ.get(CONFIG_VARIABLE):
        return _at_home(environ[CONFIG_VARIABLE], CONFIG_VARIABLE, "the environment")
    places = [_xdg(environ, "XDG_CONFIG_HOME", ".config") / "esisyncd" / "config.toml"]
    places.insert(0 if os.geteuid() == 0 else 1, SYSTEM_CONFIG)
    # A folder that may not be looked into has no file for us.
    return next((place for place in places if os.path.isfile(place)), None)  # noqa: PTH113


def load(
    path: Path | None, environ: Mapping[str, str], overrides: Mapping[str, object]
) -> Settings:
    """Return the settings of file, environment and flags; ConfigError if they cannot be used."""
    return load_with_sources(path, environ, overrides).settings


def load_with_sources(
    path: Path | None, environ: Mapping[str, str], overrides: Mapping[str, object]
) -> Loaded:
    """Return the settings with the source of each value; overrides are keyed by key path."""
    found = find_config(path, environ)
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    if found is not None:
        for key, value in _flatten(_read(found), str(found)):
            values[key] = _strict(key, value, str(found))
            sources[key] = str(found)
    for variable, text in sorted(environ.items()):
        if variable.startswith(_PREFIX) and variable not in _NOT_SETTINGS:
            key = _key_of_variable(variable)
            values[key] = _parsed(key, text, variable)
            sources[key] = variable
    for key, value in overrides.items():
        _type_of(key, "flag")
        is_text = isinstance(value, str)
        values[key] = _parsed(key, value, "flag") if is_text else _strict(key, value, "flag")  # type: ignore[arg-type]
        sources[key] = "flag"
    values.setdefault("data_dir", str(default_data_dir(found, environ)))
    _check_values(values, sources)
    for key in KEYS:
        sources.setdefault(key, "default")
    settings = _build(values, sources)
    if found is not None:
        settings = msgspec.structs.replace(settings, config_path=str(found))
    return Loaded(settings, found, sources)


def default_data_dir(config: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the folder of the mirror where none is set.

    It depends on nothing that a service has and a command of the same user lacks, so that both
    find the same database: not on systemd's $STATE_DIRECTORY.
    """
    if os.geteuid() == 0 or (config is not None and config.absolute() == SYSTEM_CONFIG):
        return SYSTEM_DATA_DIR
    return _xdg(environ, "XDG_DATA_HOME", ".local/share") / "esisyncd"


def check_runnable(settings: Settings) -> None:
    """Refuse settings that a daemon may not run with; ConfigError says why."""
    if settings.esi.is_real and not settings.esi.contact:
        raise ConfigError(
            "esi.contact is empty, and the real ESI wants to know whom to write to.\n"
            "Set contact in [esi], or ESISYNCD_ESI_CONTACT, to a mail address or character name."
        )


def _xdg(environ: Mapping[str, str], variable: str, below_home: str) -> Path:
    value = environ.get(variable, "")
    if value and Path(value).is_absolute():
        return Path(value)
    home = environ.get("HOME", "")
    return (Path(home) if home else Path("/")) / below_home


def _at_home(text: str, key: str, where: str) -> Path:
    """Return a path that may begin with ~ or ~user."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        home = text.partition("/")[0]
        raise ConfigError(f"{key}: nobody knows what folder {home} is (in {where})") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such configuration file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is no valid TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply") from None


def _flatten(tree: Mapping[str, Any], where: str) -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        if name in _TABLES and not isinstance(value, dict):
            raise ConfigError(f"{name}: must be a table, written as [{name}] (in {where})")
        if name in OPEN_TABLES:
            yield from _leaves(name, value)
        elif name in _TABLES:
            yield from ((f"{name}.{key}", leaf) for key, leaf in value.items())
        else:
            yield name, value


def _leaves(prefix: str, value: object) -> Iterator[tuple[str, object]]:
    # An unquoted `character.wallet = 600` is a table in TOML, and a kind to us.
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _leaves(f"{prefix}.{name}", below)
    else:
        yield prefix, value


def _type_of(key: str, where: str) -> Type:
    if key in KEYS:
        return KEYS[key]
    table, _, name = key.partition(".")
    if table in OPEN_TABLES and name:
        return OPEN_TABLES[table]
    tables = [] if "." in key else sorted(_TABLES)
    raise _unknown(key, [*KEYS, *tables], where, _OPEN_NAMES)


def _unknown(name: str, known: list[str], where: str, others: tuple[str, ...] = ()) -> ConfigError:
    near = difflib.get_close_matches(name, known, 1, 0.6)
    if not near:
        # The right word in the wrong table, or without one.
        word = name.rpartition(".")[2]
        near = [key for key in known if key.rpartition(".")[2] == word]
    if near:
        hint = f"did you mean {near[0]}?"
    else:
        # Of a known table its keys, else all that there is.
        table = name.partition(".")[0] + "."
        choice = [key for key in known if key.startswith(table)]
        choice = choice or [key for key in known if key not in _TABLES] + list(others)
        hint = f"there are {', '.join(choice)}"
    return ConfigError(f"unknown key {name} (in {where}); {hint}")


def _key_of_variable(variable: str) -> str:
    known = {_PREFIX + key.replace(".", "_").upper(): key for key in KEYS}
    if variable in known:
        return known[variable]
    table, _, rest = variable.removeprefix(_PREFIX).lower().partition("_")
    if table == "features" and rest:
        return f"features.{rest}"
    subject, _, noun = rest.partition("_")
    if table == "intervals" and noun:
        return f"intervals.{subject}.{noun}"
    if table == "retention" and rest:
        is_kind = noun and subject in ("character", "corporation", "alliance", "global")
        return f"retention.{subject}.{noun}" if is_kind else f"retention.{rest}"
    raise _unknown(variable, list(known), "the environment")


def _strict(key: str, value: object, where: str) -> object:
    wanted = _type_of(key, where)
    return _fitting(key, wanted, value, config_values.of_toml(wanted, value), where)


def _parsed(key: str, text: str, where: str) -> object:
    wanted = _type_of(key, where)
    return _fitting(key, wanted, text, config_values.of_text(wanted, text), where)


def _fitting(key: str, wanted: Type, given: object, value: object | None, where: str) -> object:
    if value is None:
        a_value = config_values.a_value(wanted)
        raise ConfigError(f"{key}: must be {a_value}, not {given!r} (in {where})")
    return value


def _check_values(values: Mapping[str, object], sources: Mapping[str, str]) -> None:
    for key, value in values.items():
        if trouble := config_values.trouble_of(key, value):
            raise ConfigError(f"{key}: {trouble} (in {sources.get(key, 'the defaults')})")


def _build(values: Mapping[str, object], sources: Mapping[str, str]) -> Settings:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        table, _, name = key.partition(".")
        if name.endswith("base_url") and isinstance(value, str):
            value = value.rstrip("/")  # noqa: PLW2901 - joined with routes that begin with one
        if key == "intervals.profile":
            tree["profile"] = value
        elif name:
            tree.setdefault(table, {})[name] = value
        else:
            tree[table] = value
    data_dir = _at_home(tree["data_dir"], "data_dir", sources.get("data_dir", "the defaults"))
    tree["data_dir"] = _absolute(data_dir, "data_dir")
    if tree.get("control", {}).get("socket"):
        path = _at_home(tree["control"]["socket"], "control.socket", sources["control.socket"])
        tree["control"]["socket"] = _absolute(path, "control.socket")
    if tree.get("store", {}).get("url"):
        tree["store"]["url"] = _anchored(tree["store"]["url"])
    return msgspec.convert(tree, Settings)


def _absolute(path: Path, key: str) -> str:
    """Return a path as seen from anywhere; it keeps its symlinks."""
    try:
        return os.path.abspath(path)  # noqa: PTH100 - keeps symlinks
    except FileNotFoundError:
        raise ConfigError(f"{key}: {path} is relative to a folder that is gone") from None


def _anchored(url: str) -> str:
    """Return the URL of a database, that of a SQLite file with the whole path."""
    scheme, slashes, path = url.partition(":///")
    if not slashes or scheme.partition("+")[0] != "sqlite" or path.startswith(("/", ":memory:")):
        return url
    return f"{scheme}:///{_absolute(Path(), 'store.url')}/{path}"
