"""Loading of settings: precedence, and what a user's mistake is answered."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from ipc import config
from ipc.config import KEYS, ConfigError, check_runnable, find_config, load, load_with_sources
from ipc.settings import Esi, Settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(config, "SYSTEM_CONFIG", tmp_path / "etc.toml")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    return {"HOME": str(tmp_path)}


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "file.toml"
    path.write_text(text, "utf-8")
    return path


def test_defaults_need_no_file(home: dict[str, str], tmp_path: Path) -> None:
    settings = load(None, home, {})
    assert settings == Settings(data_dir=str(tmp_path / ".local/share/esisyncd"))


def test_flags_win_over_environment_over_file(home: dict[str, str], tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'data_dir = "/a"\n[esi]\ncontact = "file"\nbase_url = "http://file/"\n'
        "[engine]\nworkers = 2\njobs_per_worker = 3\n",
    )
    environ = home | {"ESISYNCD_ENGINE_WORKERS": "5", "ESISYNCD_ESI_CONTACT": "env"}
    loaded = load_with_sources(path, environ, {"esi.contact": "flag"})
    assert loaded.settings.config_path == str(loaded.path) == str(path)
    settings = loaded.settings
    assert settings.data_dir == "/a"
    assert (settings.engine.workers, settings.engine.jobs_per_worker) == (5, 3)
    assert (settings.esi.contact, settings.esi.base_url) == ("flag", "http://file")
    assert loaded.sources["esi.contact"] == "flag"
    assert loaded.sources["engine.workers"] == "ESISYNCD_ENGINE_WORKERS"
    assert loaded.sources["engine.jobs_per_worker"] == str(path)
    assert loaded.sources["store.url"] == "default"


def test_features_and_intervals(home: dict[str, str], tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[features]\nmail = false\n[intervals]\ncharacter.wallet = 600\n"character.skills" = 700\n',
    )
    environ = home | {
        "ESISYNCD_FEATURES_MARKET_ORDERS": "off",
        "ESISYNCD_INTERVALS_GLOBAL_MARKET_PRICES": "800",
    }
    settings = load(path, environ, {"features.wallet": True})
    assert settings.features == {"mail": False, "market_orders": False, "wallet": True}
    assert settings.intervals == {
        "character.wallet": 600,
        "character.skills": 700,
        "global.market_prices": 800,
    }


def test_retention_is_of_kinds_and_features(home: dict[str, str], tmp_path: Path) -> None:
    path = write(tmp_path, "[retention]\ncharacter.wallet = 400\nmail = 90\n")
    environ = {
        **home,
        "ESISYNCD_RETENTION_MAIL": "100",
        "ESISYNCD_RETENTION_CORPORATION_WALLET": "500",
        "ESISYNCD_RETENTION_MARKET_ORDERS": "600",
    }
    assert load(path, environ, {}).retention == {
        "character.wallet": 400,
        "corporation.wallet": 500,
        "mail": 100,
        "market_orders": 600,
    }


def test_a_profile_stands_beside_single_intervals(home: dict[str, str], tmp_path: Path) -> None:
    path = write(tmp_path, "[intervals]\nprofile = 'eager'\ncharacter.wallet = 600\n")
    settings = load(path, home, {})
    assert (settings.profile, settings.intervals) == ("eager", {"character.wallet": 600})
    environ = home | {"ESISYNCD_INTERVALS_PROFILE": "standard"}
    assert load(path, environ, {}).profile == "standard"
    assert load(path, home, {"intervals.profile": "standard"}).profile == "standard"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[esi]\ncontcat = 'x'", "unknown key esi.contcat .*did you mean esi.contact?"),
        ("[egnine]\nworkers = 1", "unknown key egnine .*did you mean engine?"),
        ("workers = 1", "unknown key workers .*did you mean engine.workers?"),
        ("[timings]\nheartbeat_s = 1", "unknown key timings"),
        (
            "nonsense = 1",
            "; there are data_dir, log_level, store.url, .*, features.FEATURE, intervals.KIND, .*$",
        ),
        ("[engine]\nqqqqqqqqqqqqqq = 1", "; there are engine.workers, engine.jobs_per_worker$"),
        ("kind_packages = ['x']", "unknown key kind_packages"),
        ("extra_path = 'x'", "unknown key extra_path"),
        ("config_path = 'x'", "unknown key config_path"),
        ("[engine]\nworkers = '4'", "engine.workers: must be a whole number, not '4'"),
        ("[engine]\nworkers = true", "engine.workers: must be a whole number, not True"),
        ("[engine]\nworkers = 33", "engine.workers: must be 1 to 32"),
        ("[engine]\njobs_per_worker = 0", "engine.jobs_per_worker: must be 1 to 64"),
        ("[intervals]\ncharacter.wallet = 0", "intervals.character.wallet: must be 1 to"),
        ("[retention]\nwallet = 89", "retention.wallet: must be 90 to"),
        ("[retention]\nwallet = true", "retention.wallet: must be a whole number"),
        ("retention = 90", r"must be a table, written as \[retention\]"),
        (
            "[intervals]\nprofile = 'fast'",
            "intervals.profile: must be standard or eager, not 'fast'",
        ),
        ("[intervals]\nprofile = 5", "intervals.profile: must be a text, not 5"),
        ("[features]\nmail = 1", "features.mail: must be true or false, not 1"),
        ("engine = 4", r"engine: must be a table, written as \[engine\]"),
        ("log_level = 'loud'", "log_level: must be one of debug"),
        ("[esi]\nbase_url = 'esi'", "esi.base_url: must start with https://"),
        ("[esi]\nbase_url = 'https://[esi'", "esi.base_url: is no address"),
        ("[sso]\ncallback_url = 'http://localhost:port'", "sso.callback_url: is no address"),
        ("[esi]\ncompatibility_date = 'now'", "esi.compatibility_date: must be a date"),
        ("[esi]\ncompatibility_date = '2026-13-01'", "esi.compatibility_date: must be a date"),
        ("data_dir = '~no-such-user/x'", "data_dir: nobody knows what folder ~no-such-user is"),
        ("[control]\nsocket = '~no-such-user/x'", "control.socket: nobody knows what folder"),
        ('[store]\nurl = "sqlite:////a\\u0000b"', "store.url: names no file"),
        ("[store]\nurl = 'mysql://u:secret@h/d'", "store.url: must start with sqlite:///"),
        ('[esi]\ncontact = "a\\nb"', "esi.contact: must be one line"),
        ("data_dir = ''", "data_dir: must name a folder"),
        ("x = ", "is no valid TOML"),
        ("x = " + "[" * 100_000, "is nested too deeply"),
    ],
)
def test_mistakes_in_the_file_are_named(
    home: dict[str, str], tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        load(write(tmp_path, text), home, {})
    assert "file.toml" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("ESISYNCD_ESI_CONTCAT", "x", "unknown key ESISYNCD_ESI_CONTCAT .*ESISYNCD_ESI_CONTACT?"),
        ("ESISYNCD_ENGINE_WORKERS", "four", "engine.workers: must be a whole number, not 'four'"),
        ("ESISYNCD_FEATURES_MAIL", "maybe", "features.mail: must be true or false"),
        ("ESISYNCD_TIMINGS_HEARTBEAT_S", "1", "unknown key"),
        ("ESISYNCD_KIND_PACKAGES", "x", "unknown key"),
    ],
)
def test_mistakes_in_the_environment_are_named(
    home: dict[str, str], variable: str, text: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        load(None, home | {variable: text}, {})


@pytest.mark.parametrize("key", ["timings.heartbeat_s", "kind_packages", "nothing", "features"])
def test_unknown_flags_are_refused(home: dict[str, str], key: str) -> None:
    with pytest.raises(ConfigError, match="unknown key"):
        load(None, home, {key: "1"})


def test_missing_and_unreadable_files(home: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such configuration file"):
        load(tmp_path / "none.toml", home, {})
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path, home, {})
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="no valid TOML"):
        load(tmp_path / "bytes.toml", home, {})


def test_places_of_the_file(home: dict[str, str], tmp_path: Path) -> None:
    assert find_config(None, home) is None
    config.SYSTEM_CONFIG.write_text("")
    assert find_config(None, home) == config.SYSTEM_CONFIG
    user = tmp_path / ".config/esisyncd/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text("")
    assert find_config(None, home) == user
    assert find_config(None, home | {"ESISYNCD_CONFIG": "/b"}) == Path("/b")
    assert find_config(Path("/c"), home | {"ESISYNCD_CONFIG": "/b"}) == Path("/c")


def test_root_prefers_the_system_file(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / ".config/esisyncd/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text("")
    config.SYSTEM_CONFIG.write_text("")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert find_config(None, home) == config.SYSTEM_CONFIG
    assert load(None, home, {}).data_dir == "/var/lib/esisyncd"


def test_a_service_and_its_users_commands_find_one_database(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 990)
    config.SYSTEM_CONFIG.write_text("")
    service = home | {"STATE_DIRECTORY": "/var/lib/other"}
    for path in (config.SYSTEM_CONFIG, None):
        for environ in (service, home):
            assert load(path, environ, {}).data_dir == "/var/lib/esisyncd"


def test_sample_for_the_service_names_the_folder_that_the_unit_makes(home: dict[str, str]) -> None:
    deploy = Path(__file__).parents[3] / "deploy"
    unit = (deploy / "esisyncd.service").read_text()
    (folder,) = re.findall(r"^StateDirectory=(.+)$", unit, re.MULTILINE)
    assert load(deploy / "esisyncd.toml", home, {}).data_dir == f"/var/lib/{folder}"


def test_home_that_may_not_be_looked_into_has_no_file(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: object, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("os.stat", forbidden)
    assert find_config(None, home) is None


def test_every_key_is_a_setting_and_every_setting_has_a_key(home: dict[str, str]) -> None:
    names = set()
    for field in msgspec.structs.fields(Settings):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            names |= {f"{field.name}.{f.name}" for f in msgspec.structs.fields(field.type)}
        else:
            names.add(field.name)
    closed = {name for name in names if not name.startswith("timings.")} - {"profile"}
    closed.add("intervals.profile")
    assert closed - {
        "features",
        "intervals",
        "retention",
        "config_path",
        "kind_packages",
        "extra_path",
    } == set(KEYS)


@pytest.mark.parametrize("base_url", ["https://esi.evetech.net", "https://esi.EVETECH.net/latest"])
def test_real_esi_wants_a_contact(home: dict[str, str], base_url: str) -> None:
    with pytest.raises(ConfigError, match=r"esi\.contact is empty"):
        check_runnable(load(None, home, {"esi.base_url": base_url}))
    check_runnable(load(None, home, {"esi.base_url": base_url, "esi.contact": "me@example.org"}))
    check_runnable(load(None, home, {"esi.base_url": "http://127.0.0.1:1"}))


@pytest.mark.parametrize(
    ("base_url", "is_real"),
    [
        ("https://esi.evetech.net", True),
        ("https://esi.EVETECH.net/latest", True),
        ("https://esi.evetech.net.example.org", False),
        ("http://127.0.0.1:1", False),
        ("nonsense", False),
    ],
)
def test_the_real_esi_is_known_by_its_host(base_url: str, is_real: bool) -> None:
    assert Esi(base_url=base_url).is_real is is_real


def test_markets_to_watch(home: dict[str, str], tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "[market_watch]\nregions = [10000002, 10000043, 10000002]\n"
        "types = [[10000002, 34], [10000002, 35]]\n",
    )
    environ = home | {"ESISYNCD_MARKET_WATCH_STRUCTURES": "1035466617946, 5"}
    watch = load(path, environ, {"market_watch.types": "10000002:34"}).market_watch
    assert watch.regions == (10000002, 10000043)
    assert watch.structures == (1035466617946, 5)
    assert watch.types == ((10000002, 34),)
    assert load(path, environ, {}).market_watch.types == ((10000002, 34), (10000002, 35))
    nothing = load(path, home, {"market_watch.regions": "", "market_watch.types": " "})
    assert (nothing.market_watch.regions, nothing.market_watch.types) == ((), ())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("regions", "10000002"),
        ("regions", "['10000002']"),
        ("regions", "[0]"),
        ("regions", "[true]"),
        ("regions", "[9223372036854775808]"),
        ("structures", "[[1, 2]]"),
        ("types", "[34]"),
        ("types", "[[10000002]]"),
        ("types", "[[10000002, 34, 35]]"),
    ],
)
def test_what_is_no_list_of_ids_is_refused(
    home: dict[str, str], tmp_path: Path, key: str, value: str
) -> None:
    path = write(tmp_path, f"[market_watch]\n{key} = {value}\n")
    with pytest.raises(ConfigError, match=rf"market_watch\.{key}: must be a list of .* such as \["):
        load(path, home, {})


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("regions", "1,,2"),
        ("regions", "Jita"),
        ("regions", "0"),
        ("types", "1"),
        ("types", "1:2:3"),
    ],
)
def test_a_flag_that_is_no_list_of_ids_is_refused(
    home: dict[str, str], key: str, text: str
) -> None:
    with pytest.raises(ConfigError, match="must be a list of"):
        load(None, home, {f"market_watch.{key}": text})
