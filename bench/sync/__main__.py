"""Entry of `python -m bench.sync`; see bench.dispatch.__main__ for why it is so short."""

from __future__ import annotations

from bench.sync.rounds import main

if __name__ == "__main__":
    raise SystemExit(main())
