"""Entry of `python -m bench.dispatch`.

Every child process of the scheduler imports its starter's main module again; one named
`__main__` inside a package is spared, as it is for the daemon itself.
"""

from __future__ import annotations

from bench.dispatch.rounds import main

if __name__ == "__main__":
    raise SystemExit(main())
