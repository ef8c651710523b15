"""Entry of `python -m bench.recovery`."""

from __future__ import annotations

from bench.recovery.rounds import main

if __name__ == "__main__":
    raise SystemExit(main())
