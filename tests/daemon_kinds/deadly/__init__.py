"""A kind that kills its worker."""
