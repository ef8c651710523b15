"""What is mirrored, and the worker processes that mirror it."""
