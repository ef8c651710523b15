"""How an older schema becomes the present one; run by jobs.store.upgrade only."""
