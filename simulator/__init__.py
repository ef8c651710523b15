"""A simulated EVE Online: ESI, SSO and image server on loopback."""

from __future__ import annotations
