"""Entry of `python -m bench.outbox`; see bench.dispatch for why it is a module of its own."""

from __future__ import annotations

from bench.outbox.rounds import main

if __name__ == "__main__":
    raise SystemExit(main())
