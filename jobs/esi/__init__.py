"""HTTP: the clients of ESI, of EVE's single sign-on and of the image server."""
