"""Asking ESI for the pages of one set in the name of a job: its slots, its token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.errors import TokenRejected
from jobs.esi.client import EsiAnswer, Token, Validators
from jobs.running_job import RunningJob
from jobs.spec import Params, Route


@dataclass(slots=True)
class PageAsker:
    """Asks for one page of one set; on a 401 once more, if another token is there by now."""

    job: RunningJob
    route: Route
    params: Params
    token: Token | None
    body: Any

    async def __call__(self, extra: Mapping[str, int], validators: Validators | None) -> EsiAnswer:
        try:
            return await self._once(extra, validators)
        except TokenRejected:
            assert self.token is not None  # noqa: S101 - only a request with a token is rejected
            newer = await self.job.tokens.newer(self.token)
            if newer is None:
                raise
            self.token = newer
        return await self._once(extra, validators)

    async def _once(self, extra: Mapping[str, int], validators: Validators | None) -> EsiAnswer:
        async with self.job.slots:
            return await self.job.tools.esi.ask(
                self.route,
                {**self.params, **extra},
                token=self.token,
                validators=validators,
                body=self.body,
                purse=self.job.purse,
            )
