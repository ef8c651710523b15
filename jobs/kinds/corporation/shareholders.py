"""Who holds the shares of a corporation."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Pages, Part, Route, Target, Wire, Write
from jobs.store.schema.wallet import corporation_shareholder


class Shareholder(Wire, frozen=True):
    """A character or a corporation with shares."""

    shareholder_type: str
    shareholder_id: int
    share_count: int


KIND = Kind(
    name="corporation.shareholders",
    subject=SubjectType.CORPORATION,
    feature="wallet",
    every=timedelta(hours=1),
    summary="Who holds how many shares.",
    parts=(
        Part(
            name="shareholders",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/shareholders",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="corp-detail",
            ),
            wire=Shareholder,
            scopes=frozenset({"esi-wallet.read_corporation_wallets.v1"}),
            any_role=frozenset({"Director"}),
            targets=(
                Target(
                    corporation_shareholder,
                    key=("corporation_id", "shareholder_type", "shareholder_id"),
                    write=Write.REPLACE,
                ),
            ),
        ),
    ),
)
