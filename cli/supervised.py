"""The daemon as a child of a command that waits for it: it stops when that command is gone.

`python -P -m cli.supervised PARENT_PID --settings FILE`, or with the arguments of the supervisor
instead. Kept tiny: each of the daemon's processes imports this module again.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Safe from the first statement on; the supervisor unblocks them once it can handle them.
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
    from pathlib import Path

    from ipc.parentage import die_with_parent
    from ipc.settings import decode_settings
    from supervisor import arguments
    from supervisor.main import run

    die_with_parent(int(sys.argv[1]), signal.SIGTERM)
    if sys.argv[2:3] == ["--settings"]:
        path = Path(sys.argv[3])
        code = run(lambda: decode_settings(path.read_bytes()), exit_on_give_up=True)
    else:
        code = arguments.main(sys.argv[2:])
    sys.exit(code)
