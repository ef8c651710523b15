"""What the commands that write to EVE share: names, rights, appending, waiting."""

from __future__ import annotations
