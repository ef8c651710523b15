"""Which kinds of writes there are, by name."""

from __future__ import annotations

from collections.abc import Mapping

from jobs.writes import calendar, contacts, fittings, mail, mail_changes, mail_labels, ui
from jobs.writes.kind import WriteKind

_MODULES = (mail, mail_changes, mail_labels, calendar, contacts, fittings, ui)

WRITES: Mapping[str, WriteKind] = {kind.name: kind for module in _MODULES for kind in module.KINDS}
