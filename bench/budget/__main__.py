"""Entry of `python -m bench.budget`."""

from __future__ import annotations

from bench.budget.run import main

if __name__ == "__main__":
    raise SystemExit(main())
