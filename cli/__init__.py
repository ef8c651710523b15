"""The front door: the `esisyncd` command."""
