"""What the processes agree on: messages, framing, settings, clocks, logs and child processes."""
