"""One module for each command, imported when it is called; each has a click command `command`."""
