"""The catalogue as configured: which kinds are on, and how often each runs."""

from __future__ import annotations

from collections.abc import Mapping

from ipc.settings import Settings
from ipc.subject import SubjectType
from jobs.catalog import Catalog
from jobs.configured import unknown_names
from jobs.intervals import every_s
from jobs.spec import Kind


class Lineup:
    """Kinds by subject type, with the features and intervals of the present settings."""

    def __init__(self, catalog: Catalog, settings: Settings) -> None:
        """Take the catalogue and the settings."""
        self._catalog = catalog
        self._kinds = {of: catalog.of(of) for of in SubjectType}
        self._profiles = {of: catalog.profile_of(of) for of in SubjectType}
        # With a credential that has one of these, a global kind can ask for more.
        self.global_scopes: frozenset[str] = frozenset().union(
            *(part.scopes for kind in catalog.of(SubjectType.GLOBAL) for part in kind.parts)
        )
        self._features: dict[str, bool] = {}
        # Seconds between runs, by name of the kind.
        self.every_s: Mapping[str, float] = {}
        self.deadline_s: Mapping[str, float] = {}
        self.configure(settings)

    def configure(self, settings: Settings) -> None:
        """Take over changed features and intervals."""
        self._features = {**self._catalog.features(), **settings.features}
        self.every_s = {name: every_s(kind, settings) for name, kind in self._catalog.items()}
        self.deadline_s = {
            name: kind.deadline_s or settings.timings.job_deadline_s
            for name, kind in self._catalog.items()
        }

    def unknown_names(self, settings: Settings) -> list[str]:
        """Return a line for each feature or kind that is configured and does not exist."""
        return unknown_names(settings, self._catalog)

    def kind(self, name: str) -> Kind | None:
        """Return a kind by its name; None if there is none, as in a ledger of another version."""
        return self._catalog.get(name)

    def is_on(self, kind: Kind) -> bool:
        """Tell whether a kind's features switch it on: any one of them does."""
        return kind.is_on(self._features)

    def of(self, subject_type: SubjectType) -> tuple[Kind, ...]:
        """Return the kinds for a type of subject, switched off ones included."""
        return self._kinds[subject_type]

    def profile_of(self, subject_type: SubjectType) -> Kind | None:
        """Return the kind that writes the parent row of such a subject."""
        return self._profiles[subject_type]
