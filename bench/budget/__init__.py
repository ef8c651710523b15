"""A day of a large mirror on a fake clock: which limits it meets, and how fresh its data are."""
