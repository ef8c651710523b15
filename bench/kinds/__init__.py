"""Kinds that only benchmarks bring in."""
