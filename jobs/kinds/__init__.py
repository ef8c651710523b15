"""What is mirrored: one module for each kind, found by jobs.catalog."""

from __future__ import annotations
