"""The single sign-on: metadata, consent with PKCE, tokens, keys, revocation."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import parse_qs, unquote, urlencode

from simulator.answers import Answer, Question, json_answer
from simulator.clock import SimulatedClock
from simulator.config import SimulatorConfig
from simulator.contract import load
from simulator.tokens import InvalidGrant, Issued, Refresh, TokenOffice
from simulator.universe.people import Population

METADATA = "/.well-known/oauth-authorization-server"
AUTHORIZE, TOKEN, REVOKE = "/v2/oauth/authorize", "/v2/oauth/token", "/v2/oauth/revoke"
JWKS = "/oauth/jwks"
CODE_S = 300


class Problem(Exception):
    """A refusal with its OAuth error code."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.error = error
        self.status = status


@dataclass(frozen=True, slots=True)
class _Code:
    """A code that waits to be exchanged."""

    refresh: Refresh
    challenge: str
    redirect_uri: str
    expires_s: float


class Sso:
    """Answers questions to the SSO."""

    def __init__(
        self,
        office: TokenOffice,
        people: Population,
        clock: SimulatedClock,
        config: SimulatorConfig,
    ) -> None:
        self.office = office
        self.base_url = ""
        self.client_id = config.client_id
        self.next_character_id: int | None = None
        self._people = people
        self._clock = clock
        self._config = config
        self._codes: dict[str, _Code] = {}

    def default_scopes(self) -> tuple[str, ...]:
        """Return the scopes of a character's first grant."""
        return load().scopes() if self._config.scopes is None else self._config.scopes

    def answer(self, question: Question) -> Answer:
        """Answer a request as the SSO would."""
        route = f"{question.method} {question.path}"
        serve = {
            f"GET {METADATA}": self._metadata,
            f"GET {JWKS}": self._jwks,
            f"GET {AUTHORIZE}": self._authorize,
            f"POST {TOKEN}": self._token,
            f"POST {REVOKE}": self._revoke,
        }.get(route)
        if serve is None:
            return json_answer(404, {"error": "not_found"})
        try:
            answer = serve(question)
        except Problem as problem:
            content = {"error": problem.error, "error_description": str(problem)}
            answer = json_answer(problem.status, content)
        answer.route = route
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    def _metadata(self, _question: Question) -> Answer:
        base = self.base_url
        return json_answer(
            200,
            {
                "issuer": self.office.issuer,
                "authorization_endpoint": base + AUTHORIZE,
                "token_endpoint": base + TOKEN,
                "jwks_uri": base + JWKS,
                "revocation_endpoint": base + REVOKE,
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "subject_types_supported": ["public"],
                "code_challenge_methods_supported": ["S256"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
            },
        )

    def _jwks(self, _question: Question) -> Answer:
        return json_answer(200, self.office.jwks())

    def _authorize(self, question: Question) -> Answer:
        """Consent at once, for the character that was chosen, and send the browser back."""
        query = question.query
        client_id = self._client(query.get("client_id"))
        redirect_uri = query.get("redirect_uri", "")
        if not redirect_uri:
            raise Problem("invalid_request", "redirect_uri is missing")
        if query.get("response_type") != "code":
            raise Problem("unsupported_response_type", "response_type must be code")
        if query.get("code_challenge_method") != "S256" or not query.get("code_challenge"):
            raise Problem("invalid_request", "a code challenge with S256 is required")
        scopes = tuple(query.get("scope", "").split())
        unknown = set(scopes) - set(load().scopes())
        if unknown:
            raise Problem("invalid_scope", f"unknown scope: {min(unknown)}")
        refresh = self.office.grant(self._chosen(query), client_id, scopes)
        code = secrets.token_urlsafe(18)
        expires_s = self._clock.steady_s() + CODE_S
        self._codes[code] = _Code(refresh, query["code_challenge"], redirect_uri, expires_s)
        back = urlencode({"code": code, "state": query.get("state", "")})
        joint = "&" if "?" in redirect_uri else "?"
        return Answer(302, b"", {"Location": f"{redirect_uri}{joint}{back}"})

    def _chosen(self, query: Mapping[str, str]) -> int:
        text = query.get("character_id")
        if text is not None and text.isdecimal():
            character_id = int(text)
        else:
            character_id = self.next_character_id or self._people.character_ids[0]
        if character_id not in self._people.character_ids:
            raise Problem("access_denied", f"there is no character {character_id}")
        return character_id

    def _token(self, question: Question) -> Answer:
        form = _form(question)
        client_id = self._client(form.get("client_id"))
        kind = form.get("grant_type")
        if kind == "refresh_token":
            try:
                return _issued(self.office.refresh(form.get("refresh_token", ""), client_id))
            except InvalidGrant as refused:
                raise Problem("invalid_grant", str(refused)) from refused
        if kind == "authorization_code":
            return _issued(self._exchange(form, client_id))
        raise Problem("unsupported_grant_type", "grant_type is not served")

    def _exchange(self, form: dict[str, str], client_id: str) -> Issued:
        code = self._codes.pop(form.get("code", ""), None)
        if code is None or code.expires_s <= self._clock.steady_s():
            raise Problem("invalid_grant", "The code is unknown, used or expired.")
        if code.refresh.client_id != client_id:
            raise Problem("invalid_grant", "The code belongs to another client.")
        if form.get("redirect_uri", code.redirect_uri) != code.redirect_uri:
            raise Problem("invalid_grant", "redirect_uri is not the one of the consent.")
        digest = sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != code.challenge.rstrip("="):
            raise Problem("invalid_grant", "The code verifier does not fit the challenge.")
        return self.office.first_issue(code.refresh)

    def _revoke(self, question: Question) -> Answer:
        form = _form(question)
        self._client(form.get("client_id"))
        token = form.get("token")
        if not token:
            raise Problem("invalid_request", "token is missing")
        self.office.revoke_token(token)
        return Answer(200)

    def _client(self, client_id: str | None) -> str:
        if not client_id:
            raise Problem("invalid_request", "client_id is missing")
        if client_id != self.client_id:
            raise Problem("invalid_client", "The client is unknown.", 401)
        return client_id


def _form(question: Question) -> dict[str, str]:
    """Read a form body; a client that names itself by Basic authentication is put into it."""
    kind = question.headers.get("Content-Type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise Problem("invalid_request", "the body must be a form")
    try:
        text = question.body.decode("ascii")
    except UnicodeDecodeError:
        raise Problem("invalid_request", "the body must be a form") from None
    form = {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}
    scheme, _, encoded = question.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            pair = base64.b64decode(encoded, validate=True).decode()
        except ValueError:
            raise Problem("invalid_client", "not Basic authentication", 401) from None
        form.setdefault("client_id", unquote(pair.partition(":")[0]))
    return form


def _issued(issued: Issued) -> Answer:
    return json_answer(
        200,
        {
            "access_token": issued.access_token,
            "expires_in": issued.lifetime_s - 1,
            "token_type": "Bearer",
            "refresh_token": issued.refresh_token,
        },
    )
