"""Benchmarks: each is run as `python -m bench.NAME [--quick] [--json]` from a checkout."""
