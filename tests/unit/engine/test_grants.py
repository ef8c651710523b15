"""Which credential runs which part, and what is said when none can."""

from __future__ import annotations

from datetime import timedelta

from engine.grants import GLOBAL_READERS, NEEDS_LOGIN, Verdict, plan
from ipc.messages import PartBlock, PartGrant
from jobs.spec import Part
from tests.unit.engine.engine_kinds import ASSETS, NOW, PRICES, PROFILE, WALLET, holder, kind, part

BOTH = kind("character.both", parts=(part("public"), part("private", "wallet")))
OPTIONAL = kind(
    "character.optional", parts=(part("portrait", optional=True), part("main", "wallet"))
)
DIRECTOR = frozenset({"Director"})


def test_a_kind_without_a_scope_runs_without_a_credential() -> None:
    for of in (PROFILE, PRICES):
        found = plan(of, (), NOW)
        assert (found.verdict, found.credentials) == (Verdict.RUN, ())
        assert found.grants == (PartGrant("all", 0),)


def test_the_own_credential_runs_what_its_scopes_cover() -> None:
    found = plan(WALLET, (holder(7),), NOW)
    assert (found.verdict, found.grants, found.credentials) == (
        Verdict.RUN,
        (PartGrant("all", 7),),
        (7,),
    )


def test_a_missing_scope_blocks_and_is_named() -> None:
    found = plan(WALLET, (holder(7, "skills"),), NOW)
    assert found.verdict is Verdict.BLOCK
    assert found.reason == "missing scope wallet of character 90000007"


def test_a_missing_scope_blocks_its_part_only() -> None:
    found = plan(BOTH, (holder(7, "skills"),), NOW)
    assert (found.verdict, found.grants) == (Verdict.RUN, (PartGrant("public", 0),))
    assert found.blocked == (PartBlock("private", "missing scope wallet of character 90000007"),)


def test_an_optional_part_alone_is_no_grant() -> None:
    assert plan(OPTIONAL, (holder(7, "skills"),), NOW).verdict is Verdict.BLOCK


def test_a_flagged_credential_runs_nothing() -> None:
    found = plan(WALLET, (holder(7, flagged=True),), NOW)
    assert (found.verdict, found.reason) == (Verdict.SKIP, NEEDS_LOGIN)


def test_without_any_credential_a_private_kind_needs_a_login() -> None:
    assert plan(WALLET, (), NOW).verdict is Verdict.LOGIN


def test_a_corporation_is_read_through_one_that_has_the_role() -> None:
    clerk = holder(1, "corp_assets", roles=frozenset({"Accountant"}))
    director = holder(2, "corp_assets", roles=DIRECTOR)
    assert plan(ASSETS, (clerk, director), NOW).credentials == (2,)


def test_a_missing_role_is_named() -> None:
    clerk = holder(1, "corp_assets", roles=frozenset())
    assert plan(ASSETS, (clerk,), NOW).reason == "missing role Director of character 90000001"


def test_unknown_roles_are_tried_after_known_ones() -> None:
    unknown = holder(1, "corp_assets")
    known = holder(2, "corp_assets", roles=DIRECTOR)
    assert plan(ASSETS, (unknown,), NOW).credentials == (1,)
    assert plan(ASSETS, (unknown, known), NOW).credentials == (2,)


def test_one_that_esi_refused_waits_until_its_time() -> None:
    refused = holder(1, "corp_assets", roles=DIRECTOR, refused_until=NOW + timedelta(hours=1))
    assert plan(ASSETS, (refused,), NOW).verdict is Verdict.BLOCK
    assert plan(ASSETS, (refused,), NOW + timedelta(hours=2)).verdict is Verdict.RUN
    # It was refused while the clock was ahead.
    assert plan(ASSETS, (refused,), NOW - timedelta(days=30)).verdict is Verdict.RUN


def test_what_was_refused_for_a_role_leaves_what_needs_another() -> None:
    scopes = frozenset({"corp_assets"})
    accountant = frozenset({"Accountant", "Junior_Accountant"})
    wallet = kind(
        "corporation.wallet",
        parts=(
            Part(name="divisions", scopes=scopes, any_role=DIRECTOR),
            Part(name="balances", scopes=scopes, any_role=accountant),
            Part(name="members", scopes=scopes),
        ),
    )
    later = NOW + timedelta(hours=1)
    clerk = holder(1, "corp_assets", refused_until=later, refused_roles=DIRECTOR)
    found = plan(wallet, (clerk,), NOW)
    assert [grant.part for grant in found.grants] == ["balances", "members"]
    assert plan(ASSETS, (clerk,), NOW).verdict is Verdict.BLOCK
    assert plan(ASSETS, (clerk,), later).verdict is Verdict.RUN
    stranger = holder(1, "corp_assets", refused_until=later)
    assert plan(wallet, (stranger,), NOW).verdict is Verdict.BLOCK


def test_when_one_loses_its_role_the_next_is_taken() -> None:
    first = holder(1, "corp_assets", roles=frozenset())
    second = holder(2, "corp_assets", roles=DIRECTOR)
    assert plan(ASSETS, (first, second), NOW).credentials == (2,)


def test_a_corporation_is_flagged_when_no_credential_is_left() -> None:
    flagged = (holder(1, "corp_assets", flagged=True), holder(2, "corp_assets", flagged=True))
    assert plan(ASSETS, flagged, NOW).verdict is Verdict.SKIP
    well = (*flagged, holder(3, "corp_assets", roles=DIRECTOR))
    assert plan(ASSETS, well, NOW).credentials == (3,)


def test_a_global_part_may_ask_through_several() -> None:
    of = kind("global.orders", parts=(part("regions"), part("structures", "markets")))
    holders = [holder(one, "markets") for one in range(20, 0, -1)]
    found = plan(of, [*holders, holder(30, "wallet"), holder(31, "markets", flagged=True)], NOW)
    assert found.grants[0] == PartGrant("regions", 0)
    assert found.grants[1:] == tuple(
        PartGrant("structures", one) for one in range(1, GLOBAL_READERS + 1)
    )
    assert found.credentials == tuple(range(1, GLOBAL_READERS + 1))
    alone = plan(of, (), NOW)
    assert (alone.verdict, alone.grants) == (Verdict.RUN, (PartGrant("regions", 0),))
    assert alone.blocked == (PartBlock("structures", "no credential"),)


def test_a_credential_of_our_own_client_comes_first() -> None:
    of = kind("character.wallet", scope="wallet")
    other, ours = holder(1, "wallet", foreign=True), holder(2, "wallet")
    assert plan(of, [other, ours], NOW).credentials == (2,)
    assert plan(of, [other], NOW).credentials == (1,)
