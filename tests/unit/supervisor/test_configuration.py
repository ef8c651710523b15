"""Reloading: what holds, what must wait, who is told, and when."""

from __future__ import annotations

import msgspec
import pytest

from ipc.commands import SetFeatures
from ipc.config import ConfigError
from ipc.scheduler_messages import DoneCommand
from ipc.settings import Control, Esi, Settings, Sso, decode_settings
from supervisor.configuration import APPLY_S, Configuration, merge

OLD = Settings(data_dir="/d")


class Asker:
    def __init__(self) -> None:
        self.told: list[tuple[bool, str]] = []

    def __call__(self, ok: bool, text: str) -> None:
        self.told.append((ok, text))


class File:
    def __init__(self) -> None:
        self.settings = OLD
        self.is_broken = False

    def load(self) -> Settings:
        if self.is_broken:
            raise ConfigError("broken")
        return self.settings

    def change(self, **changes: object) -> None:
        self.settings = msgspec.structs.replace(self.settings, **changes)


@pytest.fixture
def file() -> File:
    return File()


def test_features_and_intervals_need_no_restart() -> None:
    new = msgspec.structs.replace(OLD, features={"mail": False}, intervals={"a.b": 60})
    assert merge(OLD, new) == (new, "feature mail is off; a.b runs every 60 s")
    newer = msgspec.structs.replace(new, features={"wars": True}, intervals={}, profile="eager")
    merged, note = merge(new, newer)
    assert merged == newer
    assert note.split("; ") == [
        "feature mail is as by default",
        "feature wars is on",
        "a.b runs as by default",
        "intervals are eager",
    ]
    assert merge(newer, newer) == (newer, "")


def test_what_needs_a_restart_is_told_and_the_daemons_place_stays() -> None:
    new = msgspec.structs.replace(
        OLD, data_dir="/e", control=Control("/s"), esi=Esi(contact="me"), log_level="debug"
    )
    merged, note = merge(OLD, new)
    assert (merged.data_dir, merged.control, merged.esi.contact) == ("/d", Control(), "me")
    assert note == (
        "esi.contact, log_level: changes with `esisyncd restart`; "
        "control.socket, data_dir: changes with the next start of the daemon"
    )


def test_every_key_is_taken_over_or_named() -> None:
    """Of each key there is: a changed one is live, or the asker is told what it waits for."""
    for field in msgspec.structs.fields(Settings):
        value = getattr(OLD, field.name)
        if isinstance(value, msgspec.Struct):
            keys = [f"{field.name}.{name}" for name in value.__struct_fields__]
        else:
            keys = [field.name]
        for key in keys:
            new = with_change(key)
            note = merge(OLD, new)[1]
            live = field.name in ("features", "intervals", "profile")
            assert (f"{key}: changes with" in note) is not live, key
            assert note, key


def with_change(key: str) -> Settings:
    """Return settings in which this key differs."""
    table, _, name = key.partition(".")
    value = getattr(OLD, table)
    if isinstance(value, dict):
        return msgspec.structs.replace(OLD, **{table: {"some": 1}})
    new = msgspec.structs.replace(value, **{name: object()}) if name else object()
    return msgspec.structs.replace(OLD, **{table: new})


def test_what_waits_for_a_restart_is_shown_until_there_was_one(file: File) -> None:
    configuration = Configuration(OLD, file.load)
    configuration.for_new_engine()
    file.change(sso=Sso(client_id="another"), features={"mail": True})
    asker = Asker()
    configuration.reload(asker, 0.0)
    configuration.finish(0.0)
    assert asker.told == [
        (True, "feature mail is on; sso.client_id: changes with `esisyncd restart`")
    ]
    assert configuration.waits_for_restart == ("sso.client_id",)
    # A second reload does not make it forgotten.
    configuration.reload(asker, 1.0)
    configuration.finish(1.0)
    assert configuration.waits_for_restart == ("sso.client_id",)
    configuration.for_new_engine()
    assert not configuration.waits_for_restart


def test_live_engine_is_asked_and_the_asker_waits_for_it(file: File) -> None:
    configuration, asker = Configuration(OLD, file.load), Asker()
    file.change(features={"mail": True})
    configuration.reload(asker, 10.0)
    do = configuration.for_live_engine(10.0)
    assert isinstance(do.command, SetFeatures)
    assert decode_settings(do.command.settings).features == {"mail": True}
    assert not configuration.finish(10.1)
    assert configuration.answered(DoneCommand(do.command_id, ok=True), 11.0)
    assert configuration.finish(11.0)
    assert asker.told == [(True, "feature mail is on")]
    assert not configuration.is_reloading


def test_engine_that_refuses_is_trouble(file: File) -> None:
    configuration, asker = Configuration(OLD, file.load), Asker()
    file.change(features={"nothing": True})
    configuration.reload(asker, 0.0)
    do = configuration.for_live_engine(0.0)
    configuration.answered(DoneCommand(do.command_id, ok=False, text="no feature nothing"), 1.0)
    configuration.finish(1.0)
    assert asker.told == [(False, "reload: no feature nothing")]
    assert configuration.trouble == "reload: no feature nothing"


def test_what_the_engine_refuses_is_taken_back(file: File) -> None:
    taken: list[str] = []
    configuration = Configuration(OLD, file.load, lambda settings: taken.append(settings.log_level))
    file.change(features={"nothing": True}, log_level="debug", esi=Esi(contact="me"))
    configuration.reload(Asker(), 0.0)
    do = configuration.for_live_engine(0.0)
    configuration.answered(DoneCommand(do.command_id, ok=False, text="no feature nothing"), 1.0)
    assert configuration.settings == OLD
    assert not configuration.must_be_sent
    assert taken == ["debug", "info"]
    # The next engine hears of nothing either.
    assert decode_settings(configuration.for_new_engine()) == OLD


def test_a_new_engine_may_refuse_names_that_no_engine_has_seen(file: File) -> None:
    configuration = Configuration(OLD, file.load)
    file.change(features={"nothing": True}, retention={"none": 90}, esi=Esi(contact="me"))
    configuration.reload(Asker(), 0.0)
    configuration.finish(0.0)
    greeted = decode_settings(configuration.for_new_engine())
    assert (greeted.features, greeted.retention, greeted.esi.contact) == ({}, {}, "me")
    assert configuration.must_be_sent
    do = configuration.for_live_engine(1.0)
    configuration.answered(DoneCommand(do.command_id, ok=False, text="no feature nothing"), 2.0)
    assert configuration.settings == greeted
    assert configuration.trouble == "reload: no feature nothing"
    assert not configuration.must_be_sent


def test_features_that_an_engine_took_greet_the_next(file: File) -> None:
    configuration = Configuration(OLD, file.load)
    file.change(features={"mail": False})
    configuration.reload(Asker(), 0.0)
    do = configuration.for_live_engine(0.0)
    configuration.answered(DoneCommand(do.command_id, ok=True), 1.0)
    assert decode_settings(configuration.for_new_engine()).features == {"mail": False}
    assert not configuration.must_be_sent


def test_engine_that_does_not_answer_is_not_waited_for_for_ever(file: File) -> None:
    configuration, asker = Configuration(OLD, file.load), Asker()
    configuration.reload(asker, 0.0)
    configuration.for_live_engine(0.0)
    assert not configuration.finish(APPLY_S - 0.1)
    assert configuration.finish(APPLY_S)


def test_death_of_the_engine_ends_the_wait(file: File) -> None:
    configuration, asker = Configuration(OLD, file.load), Asker()
    configuration.reload(asker, 0.0)
    configuration.for_live_engine(0.0)
    configuration.hurry(1.0)
    assert configuration.finish(1.0)


def test_bad_file_keeps_the_old_until_a_good_one_comes(file: File) -> None:
    configuration, asker = Configuration(OLD, file.load), Asker()
    file.is_broken = True
    configuration.reload(asker, 0.0)
    assert configuration.finish(0.0)
    assert asker.told == [(False, "reload: broken")]
    assert (configuration.settings, configuration.trouble) == (OLD, "reload: broken")
    assert not configuration.must_be_sent
    file.is_broken = False
    configuration.reload(asker, 1.0)
    configuration.finish(1.0)
    assert asker.told[1] == (True, "")
    assert configuration.trouble == ""


def test_requests_meanwhile_share_the_last_result(file: File) -> None:
    configuration = Configuration(OLD, file.load)
    askers = [Asker(), Asker()]
    configuration.reload(askers[0], 0.0)
    first = configuration.for_live_engine(0.0)
    file.is_broken = True
    configuration.reload(askers[1], 0.1)
    # The late answer to the first round does not hide that the second failed.
    assert configuration.answered(DoneCommand(first.command_id, ok=True), 0.2)
    configuration.finish(0.2)
    assert [asker.told for asker in askers] == [[(False, "reload: broken")]] * 2


def test_answers_to_clients_are_none_of_its_business(file: File) -> None:
    assert not Configuration(OLD, file.load).answered(DoneCommand("x", ok=True), 0.0)


def test_new_engine_gets_the_present_settings(file: File) -> None:
    configuration = Configuration(OLD, file.load)
    file.change(esi=Esi(contact="me"))
    configuration.reload(Asker(), 0.0)
    assert decode_settings(configuration.for_new_engine()).esi.contact == "me"
    assert not configuration.must_be_sent
