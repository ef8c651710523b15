"""Writes to ESI: what can be asked for, and how the outbox's rows are carried out."""

from __future__ import annotations
