"""What decoding raises for text from outside that cannot be read."""

from __future__ import annotations

from typing import Final

import msgspec

# No JSON, or of another form (ValidationError is one of these); no Unicode; or nested without end.
UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
