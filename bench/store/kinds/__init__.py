"""Kinds that only this benchmark brings in."""
