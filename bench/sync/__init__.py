"""Whole sections against the simulated EVE: this project, the limit, and Celery."""
