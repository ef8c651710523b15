"""Answers for programs: one JSON object each, which says first of which form it is."""

from __future__ import annotations

import json
from typing import Any, Final

# Raised when a field goes or changes its meaning; new fields may come at any time.
JSON_SCHEMA: Final = 1


def json_document(**fields: Any) -> dict[str, Any]:
    """Return a document with these fields, in this order."""
    return {"schema": JSON_SCHEMA, **fields}


def json_text(**fields: Any) -> str:
    """Return a document with these fields as text, for people to read too."""
    return json.dumps(json_document(**fields), indent=2)
