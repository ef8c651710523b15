"""Process 1: keeps the scheduler alive and answers the operator, whatever happens below."""
