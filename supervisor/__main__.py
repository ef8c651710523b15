"""`python -P -m supervisor`: the daemon itself; `esisyncd run` ends up here with its own pid.

Kept tiny, and safe from its first statement on: USR1 would otherwise end the process.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    signal.pthread_sigmask(
        signal.SIG_BLOCK,
        {
            signal.SIGHUP,
            signal.SIGINT,
            signal.SIGQUIT,
            signal.SIGTERM,
            signal.SIGUSR1,
            signal.SIGUSR2,
        },
    )

    import sys

    from supervisor.arguments import main

    sys.exit(main(sys.argv[1:]))
