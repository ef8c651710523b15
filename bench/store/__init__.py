"""SQLite under workers that write without pause: how long the scheduler's ledger waits."""
