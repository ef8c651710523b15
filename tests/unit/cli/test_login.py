from __future__ import annotations

import pytest

from cli.commands.login import chosen_features, options_for, wanted_scopes, write_scopes
from cli.errors import BadInput
from ipc.settings import Settings
from jobs.catalog import Catalog, load

SETTINGS = Settings(data_dir="/nowhere", features={"mail": False})


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(SETTINGS.kind_packages)


def test_what_is_switched_on_is_asked_for(catalog: Catalog) -> None:
    chosen = chosen_features(SETTINGS, catalog, None)
    assert "wallet" in chosen
    assert "mail" not in chosen
    scopes = wanted_scopes(catalog, chosen, corporation=False)
    assert "esi-wallet.read_character_wallet.v1" in scopes
    assert "esi-mail.read_mail.v1" not in scopes


def test_what_is_named_is_asked_for_and_what_is_always_on(catalog: Catalog) -> None:
    chosen = chosen_features(SETTINGS, catalog, " mail, skills ")
    assert chosen == {"mail", "skills"}
    scopes = wanted_scopes(catalog, chosen, corporation=False)
    assert "esi-mail.read_mail.v1" in scopes
    assert "esi-characters.read_corporation_roles.v1" in scopes
    assert "esi-wallet.read_character_wallet.v1" not in scopes


def test_a_corporation_needs_more(catalog: Catalog) -> None:
    alone = wanted_scopes(catalog, frozenset({"wallet"}), corporation=False)
    both = wanted_scopes(catalog, frozenset({"wallet"}), corporation=True)
    assert "esi-wallet.read_corporation_wallets.v1" in both - alone


def test_writes_are_those_of_the_features() -> None:
    windows = {"esi-ui.open_window.v1", "esi-ui.write_waypoint.v1"}
    assert write_scopes(frozenset({"mail"})) == windows | {
        "esi-mail.organize_mail.v1",
        "esi-mail.send_mail.v1",
    }
    assert write_scopes(frozenset({"contacts"})) == windows | {"esi-characters.write_contacts.v1"}
    assert write_scopes(frozenset({"wallet"})) == windows


def test_what_was_lost_names_the_options_that_ask_for_it(catalog: Catalog) -> None:
    wallet, corporation, mail = (
        "esi-wallet.read_character_wallet.v1",
        "esi-wallet.read_corporation_wallets.v1",
        "esi-mail.send_mail.v1",
    )
    assert options_for(frozenset({wallet}), catalog) == ""
    assert options_for(frozenset({wallet, corporation}), catalog) == " --corporation"
    assert options_for(frozenset({mail}), catalog) == " --writes"
    assert options_for(frozenset({mail, corporation}), catalog) == " --corporation --writes"


@pytest.mark.parametrize("names", ["walet", "", ","])
def test_what_does_not_exist_is_refused(catalog: Catalog, names: str) -> None:
    with pytest.raises(BadInput):
        chosen_features(SETTINGS, catalog, names)
