"""Buckets of all owners: what jobs need, what is lent to them, and what dead workers cost."""

from __future__ import annotations

from datetime import timedelta

from engine.budgets import EXPIRES_S, Budgets, allowances_of
from ipc.messages import Allowance, PartGrant, Spent
from ipc.subject import SubjectType
from jobs.rates import ERRORS, PERSON, ROUTINE, WRITE
from jobs.spec import Context, Kind, Part, PartResult, Route

SKILLS = Route("GET", "/characters/{character_id}/skills", rate_group="char-detail")
PORTRAIT = Route("GET", "/characters/{character_id}/portrait", rate_group="char-detail")
NOTES = Route("GET", "/characters/{character_id}/notifications", rate_group="char-notification")
KILLMAIL = Route("GET", "/killmails/{killmail_id}/{killmail_hash}", rate_group="killmail")
PLAIN = Route("GET", "/alliances")


def kind(*parts: Part) -> Kind:
    """Return a kind of these parts."""
    return Kind(
        name="character.some",
        subject=SubjectType.CHARACTER,
        feature=None,
        every=timedelta(hours=1),
        parts=parts,
    )


def grants(of: Kind, credential_id: int = 7) -> tuple[PartGrant, ...]:
    """Return grants of all parts under one credential."""
    return tuple(PartGrant(part.name, credential_id) for part in of.parts)


def known() -> Budgets:
    """Return budgets that know whose credential 7 is."""
    budgets = Budgets()
    budgets.know_owners([(7, 90)])
    return budgets


def heard(budgets: Budgets, name: str, remaining: int) -> None:
    """Have ESI tell what is left of a bucket."""
    budget = budgets.get(name)
    budget.hear(remaining, budget.limit, 900, 0.0)


def test_a_job_leaves_with_what_its_requests_are_likely_to_cost() -> None:
    budgets = known()
    of = kind(
        Part(name="a", route=SKILLS, fan_out=({"x": 1}, {"x": 2})), Part(name="b", route=NOTES)
    )
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    assert budgets.held(demands, ROUTINE, 0.0) is None
    loans = budgets.lend(demands, ROUTINE, 0.0)
    assert allowances_of(loans) == (
        Allowance("char-detail:90", 10),
        Allowance("char-notification:90", 5),
    )


def test_public_routes_spend_from_this_machines_bucket() -> None:
    budgets = known()
    of = kind(Part(name="a", route=PORTRAIT))
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    assert [each.budget.name for each in demands.buckets] == ["char-detail:public"]


def test_parts_that_are_not_granted_need_nothing() -> None:
    budgets = known()
    of = kind(Part(name="a", route=SKILLS), Part(name="b", route=NOTES))
    demands = budgets.demands_of(of, grants(of)[:1])
    assert demands is not None
    assert [each.budget.name for each in demands.buckets] == ["char-detail:90"]
    assert budgets.demands_of(kind(Part(name="none")), [PartGrant("none")]) is None


def test_an_optional_part_holds_no_job_back() -> None:
    budgets = known()
    of = kind(Part(name="a", route=SKILLS), Part(name="b", route=PORTRAIT, optional=True))
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    heard(budgets, "char-detail:90", 600)
    heard(budgets, "char-detail:public", 0)
    assert budgets.held(demands, ROUTINE, 0.0) is None
    loans = budgets.lend(demands, ROUTINE, 0.0)
    assert [loan.budget.name for loan in loans] == ["char-detail:90"]


async def read_nothing(_context: Context) -> PartResult:
    """Stand for a run that nobody calls."""
    raise NotImplementedError


def test_details_hold_no_list_back_and_leave_with_nothing() -> None:
    budgets = known()
    details = Part(name="details", route=KILLMAIL, run=read_nothing)
    of = kind(Part(name="list", route=SKILLS), details)
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    heard(budgets, "char-detail:90", 600)
    heard(budgets, "killmail:public", 0)
    assert budgets.held(demands, ROUTINE, 0.0) is None
    loans = budgets.lend(demands, ROUTINE, 0.0)
    assert [loan.budget.name for loan in loans] == ["char-detail:90"]


def test_details_alone_wait_for_their_bucket() -> None:
    budgets = known()
    of = kind(Part(name="details", route=KILLMAIL, run=read_nothing))
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    heard(budgets, "killmail:public", 0)
    held = budgets.held(demands, ROUTINE, 0.0)
    assert held is not None
    assert held.limit == "killmail:public"


def test_a_spent_bucket_holds_the_job_and_is_named() -> None:
    budgets = known()
    of = kind(Part(name="a", route=NOTES))
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    heard(budgets, "char-notification:90", 8)
    held = budgets.held(demands, ROUTINE, 0.0)
    assert held is not None
    assert held.limit == "char-notification:90"
    assert held.wait.exhausted
    assert budgets.waits(1.0) == ("char-notification:90",)
    assert budgets.held(demands, PERSON, 0.0) is None


def test_what_comes_back_with_the_answer_is_free_again() -> None:
    budgets = known()
    of = kind(Part(name="a", route=SKILLS))
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    loans = budgets.lend(demands, ROUTINE, 0.0)
    budgets.settle(loans, [Spent("char-detail:90", 2, 598, 600, 900)], 1.0)
    assert budgets.get("char-detail:90").left(1.0) == 598
    loans = budgets.lend(demands, ROUTINE, 2.0)
    budgets.settle(loans, (), 2.0)
    assert budgets.get("char-detail:90").left(2.0) == 598


def test_what_dead_workers_and_lost_jobs_held_counts_as_spent() -> None:
    budgets = known()
    heard(budgets, "char-detail:90", 600)
    of = kind(Part(name="a", route=SKILLS))
    demands = budgets.demands_of(of, grants(of))
    assert demands is not None
    budgets.write_off(budgets.lend(demands, ROUTINE, 0.0), 1.0)
    assert budgets.borrow(2, 1, "char-detail:90", 20, ROUTINE, 1.0) is None
    assert budgets.borrow(3, 1, "char-detail:90", 20, ROUTINE, 1.0) is None
    budgets.bury(2, 2.0)
    assert budgets.get("char-detail:90").left(2.0) == 600 - 5 - 20 - 20
    assert budgets.give_back(3, 1, 4, 3.0)
    assert not budgets.give_back(2, 1, 4, 3.0)
    assert budgets.get("char-detail:90").left(3.0) == 600 - 5 - 20 - 4


def test_a_write_leaves_with_what_one_request_may_cost_down_to_the_last_token() -> None:
    budgets = known()
    heard(budgets, "char-social:90", 12)
    names = ("char-social:90", "char-detail:90")
    heard(budgets, "char-detail:90", 4)
    first = budgets.lend_to_write(names, 0.0)
    assert allowances_of(first) == (Allowance("char-social:90", 5),)
    assert len(budgets.lend_to_write(names, 0.0)) == 1
    assert budgets.lend_to_write(names, 0.0) == ()
    budgets.settle(first, [Spent("char-social:90", 2, 5, 600, 900)], 1.0)
    assert budgets.get("char-social:90").left(1.0) == 5


def test_a_lease_that_expired_counts_as_spent() -> None:
    budgets = known()
    heard(budgets, "char-detail:90", 600)
    budgets.borrow(2, 1, "char-detail:90", 20, ROUTINE, 0.0)
    budgets.expire(EXPIRES_S - 1)
    assert budgets.get("char-detail:90").lent == 20
    budgets.expire(EXPIRES_S)
    assert budgets.get("char-detail:90").lent == 0
    assert budgets.get("char-detail:90").left(EXPIRES_S) == 580
    assert not budgets.give_back(2, 1, 0, EXPIRES_S)


def test_four_workers_never_borrow_more_than_there_is() -> None:
    budgets = known()
    heard(budgets, "char-wallet:90", 150)
    lent = 0
    for round_ in range(20):
        for worker in range(4):
            if budgets.borrow(worker, round_, "char-wallet:90", 20, WRITE, 0.0) is None:
                lent += budgets.lent(worker, round_)
    assert lent == 150


def test_little_is_lent_rather_than_nothing() -> None:
    budgets = known()
    heard(budgets, "char-wallet:90", 22)
    assert budgets.borrow(0, 1, "char-wallet:90", 40, ROUTINE, 0.0) is None
    assert budgets.lent(0, 1) == 5


def test_jobs_that_may_meet_errors_wait_when_few_are_left() -> None:
    budgets = known()
    of = kind(Part(name="a", route=PLAIN))
    demands = budgets.demands_of(of, [PartGrant("a")])
    assert demands is not None
    assert demands.risks_errors
    budgets.errors.hear(15, 30, 0.0)
    held = budgets.held(demands, PERSON, 0.0)
    assert held is not None
    assert (held.limit, held.wait.seconds) == (ERRORS, 30.0)
