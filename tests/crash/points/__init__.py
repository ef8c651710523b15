"""Puts the points into the process that loads this as a package of kinds; it has no kinds."""

from __future__ import annotations

from tests.crash.wrappers import hurry, install

install()
hurry()
