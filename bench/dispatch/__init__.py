"""No-op jobs in a closed loop: the real scheduler beside what one might use instead."""
