"""Types of payload fields with the bounds that ESI sets, so that a bad value is refused early."""

from __future__ import annotations

from typing import Annotated

import msgspec

AnId = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
# Labels of contacts and mail; for contacts all 64 bits are in use.
LabelId = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Isk = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
