"""Kinds for tests of real processes; put this folder's parent on extra_path to load them."""

from __future__ import annotations
