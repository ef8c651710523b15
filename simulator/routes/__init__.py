"""The ESI routes that the simulator serves: one table row a route."""

from __future__ import annotations
