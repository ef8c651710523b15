"""What the simulated EVE refuses, and with which status."""

from __future__ import annotations


class CannotListen(Exception):
    """The address that was asked for is not to be had."""


class Refusal(Exception):
    """An answer other than success, with the status and message that ESI would give."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}


def bad_request(message: str) -> Refusal:
    """Return the refusal of a request that is not well formed."""
    return Refusal(400, message)


def unauthorized(message: str) -> Refusal:
    """Return the refusal of a token that is missing, unknown, expired or revoked."""
    return Refusal(401, message, {"WWW-Authenticate": 'Bearer error="invalid_token"'})


def forbidden(message: str) -> Refusal:
    """Return the refusal of a token that is good but not good for this."""
    return Refusal(403, message)


def not_found(message: str) -> Refusal:
    """Return the refusal of something that is not there."""
    return Refusal(404, message)
