"""SSO: who signed what for whom, and which refusals concern the token."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from aioresponses import aioresponses
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from jobs.errors import Transient
from jobs.esi.sso import (
    BadToken,
    Challenge,
    Misconfigured,
    RefreshRefused,
    SsoClient,
    Unverified,
)
from jobs.esi.transport import Transport
from tests.clocks import ManualClock

BASE = "https://sso.example"
CLIENT = "client-1"
DEEP = b'{"x":' + b"[" * 20_000 + b"]" * 20_000 + b"}"
METADATA = {
    "issuer": BASE,
    "authorization_endpoint": f"{BASE}/v2/oauth/authorize",
    "token_endpoint": f"{BASE}/v2/oauth/token",
    "revocation_endpoint": f"{BASE}/v2/oauth/revoke",
    "jwks_uri": f"{BASE}/oauth/jwks",
}
# JWT libraries compare with the machine's clock, so the tokens here are of today; and they hold
# for longer than a whole run of the tests takes.
NOW = datetime.now(UTC).replace(microsecond=0)  # noqa: TID251

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public(key: rsa.RSAPrivateKey, name: str) -> dict[str, Any]:
    found: dict[str, Any] = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return found | {"kid": name, "alg": "RS256", "use": "sig"}


def token(key: rsa.RSAPrivateKey = KEY, kid: str = "one", **claims: Any) -> str:
    return jwt.encode(
        {
            "iss": "https://login.eveonline.com",
            "aud": [CLIENT, "EVE Online"],
            "sub": "CHARACTER:EVE:9",
            "name": "Nine",
            "scp": ["esi-mail.read_mail.v1", "esi-skills.read_skills.v1"],
            "exp": NOW + timedelta(days=1),
        }
        | claims,
        key,
        algorithm="RS256",
        headers={"kid": kid},
    )


class Office:
    """A client, and the answers that SSO gives it."""

    def __init__(self, mock: aioresponses) -> None:
        self.mock = mock
        self.clock = ManualClock(NOW)
        self.transport = Transport("me@example.com")
        self.client = SsoClient(BASE, CLIENT, self.transport, self.clock)
        self.answer("GET", f"{BASE}/.well-known/oauth-authorization-server", METADATA)

    def answer(
        self, method: str, url: str, payload: Any, status: int = 200, *, repeat: bool = False
    ) -> None:
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.mock.add(
            url,
            method,
            status=status,
            body=body,
            headers={"Content-Length": str(len(body))},
            repeat=repeat,
        )

    def keys(self, **keys: rsa.RSAPrivateKey) -> None:
        self.answer(
            "GET",
            METADATA["jwks_uri"],
            {"keys": [public(key, name) for name, key in keys.items()]},
        )

    def tokens(self, payload: Any, status: int = 200) -> None:
        self.answer("POST", METADATA["token_endpoint"], payload, status)

    def posted(self, path: str = "token_endpoint") -> list[dict[str, list[str]]]:
        return [
            parse_qs(call.kwargs["data"].decode())
            for (method, url), calls in self.mock.requests.items()
            if method == "POST" and str(url) == METADATA[path]
            for call in calls
        ]


@pytest.fixture
async def office(mocked: aioresponses) -> AsyncIterator[Office]:
    found = Office(mocked)
    yield found
    await found.transport.close()


async def test_a_refresh_gives_new_tokens(office: Office) -> None:
    office.keys(one=KEY)
    office.tokens({"access_token": token(), "refresh_token": "R1", "expires_in": 1199})

    grant = await office.client.refresh("R0")

    assert grant.refresh_token == "R1"
    assert grant.character_id == 9
    assert grant.character_name == "Nine"
    assert grant.scopes == {"esi-mail.read_mail.v1", "esi-skills.read_skills.v1"}
    assert grant.expires_at == NOW + timedelta(seconds=1199)
    (form,) = office.posted()
    assert form == {
        "grant_type": ["refresh_token"], "refresh_token": ["R0"], "client_id": [CLIENT]
    }  # fmt: skip


async def test_tokens_do_not_show(office: Office) -> None:
    office.keys(one=KEY)
    access = token()
    office.tokens({"access_token": access, "refresh_token": "R1-secret", "expires_in": 1199})

    grant = await office.client.refresh("R0")

    assert access not in repr(grant)
    assert "R1-secret" not in repr(grant)


async def test_metadata_and_keys_are_asked_for_once(office: Office) -> None:
    office.keys(one=KEY)
    for _ in range(3):
        office.tokens({"access_token": token(), "refresh_token": "R", "expires_in": 60})
        await office.client.refresh("R")

    assert sum(len(calls) for calls in office.mock.requests.values()) == 5


@pytest.mark.parametrize(
    ("status", "payload", "kind"),
    [
        (400, {"error": "invalid_grant", "error_description": "Invalid refresh token"},
         RefreshRefused),
        (400, {"error": "invalid_client"}, Misconfigured),
        (401, {"error": "invalid_client"}, Misconfigured),
        (400, {"error": "unauthorized_client"}, Misconfigured),
        (400, {"error": "invalid_request"}, Transient),
        (400, {"error": "invalid_scope"}, Transient),
        (400, b"<html>invalid_grant</html>", Transient),
        (400, {"message": "invalid_grant"}, Transient),
        (400, ["invalid_grant"], Transient),
        (500, {"error": "invalid_grant"}, Transient),
        (503, b"", Transient),
        (429, b"", Transient),
        (302, b"", Exception),
        (200, b"<html>", Transient),
        (200, DEEP, Transient),
        (400, DEEP, Transient),
        (200, {"access_token": 7}, Transient),
        (204, b"", Transient),
    ],
)  # fmt: skip
async def test_only_one_refusal_is_of_the_token(
    office: Office, status: int, payload: Any, kind: type[Exception]
) -> None:
    office.keys(one=KEY)
    office.tokens(payload, status)

    with pytest.raises(kind) as refused:
        await office.client.refresh("R0")

    assert isinstance(refused.value, RefreshRefused) == (kind is RefreshRefused)


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "login.eveonline.com"},
        {"iss": "https://login.eveonline.com"},
        {"iss": BASE},
        {"aud": ["EVE Online", CLIENT]},
        {"scp": "esi-mail.read_mail.v1"},
        {"scp": []},
    ],
)
async def test_what_sso_may_say_of_itself(office: Office, claims: dict[str, Any]) -> None:
    office.keys(one=KEY)

    assert (await office.client.verify(token(**claims)))["sub"] == "CHARACTER:EVE:9"


async def test_clocks_may_differ_a_little(office: Office) -> None:
    office.keys(one=KEY)
    # The library reads the machine's clock, and this module may have been imported a while ago.
    just_over = datetime.now(UTC) - timedelta(seconds=5)  # noqa: TID251

    assert await office.client.verify(token(exp=just_over))


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://login.example"},
        {"iss": "https://login.eveonline.com.example"},
        {"aud": ["EVE Online", "another"]},
        {"aud": CLIENT},
        {"exp": NOW - timedelta(minutes=5)},
    ],
)
async def test_what_is_not_sso_or_not_for_us(office: Office, claims: dict[str, Any]) -> None:
    office.keys(one=KEY)

    with pytest.raises(BadToken):
        await office.client.verify(token(**claims))


async def test_a_signature_of_somebody_else_does_not_hold(office: Office) -> None:
    office.keys(one=KEY)

    with pytest.raises(BadToken):
        await office.client.verify(token(OTHER_KEY))


async def test_a_token_without_signature_does_not_hold(office: Office) -> None:
    office.keys(one=KEY)
    claims = {"sub": "CHARACTER:EVE:9", "aud": [CLIENT, "EVE Online"], "iss": BASE}
    unsigned = jwt.encode(claims, None, algorithm="none", headers={"kid": "one"})  # type: ignore[arg-type]

    with pytest.raises(BadToken):
        await office.client.verify(unsigned)
    with pytest.raises(BadToken):
        await office.client.verify("not a token")


async def test_a_new_key_is_found_and_an_unknown_one_asks_no_flood(office: Office) -> None:
    office.keys(one=KEY)
    await office.client.verify(token())
    office.clock.advance(60)
    office.keys(one=KEY, two=OTHER_KEY)

    await office.client.verify(token(OTHER_KEY, "two"))
    for _ in range(5):
        with pytest.raises(BadToken):
            await office.client.verify(token(OTHER_KEY, "three"))

    asked = [url for (_, url) in office.mock.requests if "jwks" in str(url)]
    calls = office.mock.requests[("GET", asked[0])]
    assert len(calls) == 2


async def test_another_key_of_the_same_name_is_found_and_asks_no_flood(office: Office) -> None:
    office.keys(one=KEY)
    await office.client.verify(token())
    office.clock.advance(60)
    office.keys(one=OTHER_KEY)

    await office.client.verify(token(OTHER_KEY))
    for _ in range(5):
        with pytest.raises(BadToken, match="Signature"):
            await office.client.verify(token(KEY))

    asked = [url for (_, url) in office.mock.requests if "jwks" in str(url)]
    assert len(office.mock.requests[("GET", asked[0])]) == 2


async def test_a_refresh_token_is_not_lost_with_an_access_token_that_does_not_hold(
    office: Office,
) -> None:
    office.keys(one=KEY)
    office.tokens({"access_token": token(OTHER_KEY), "refresh_token": "R1", "expires_in": 60})

    with pytest.raises(Unverified) as failed:
        await office.client.refresh("R0")

    assert failed.value.refresh_token == "R1"
    assert "R1" not in repr(failed.value)


def whole(**fields: Any) -> bytes:
    """Return an answer with a new refresh token, some of whose fields are others."""
    answer = {"access_token": token(), "expires_in": 60, "refresh_token": "R1"} | fields
    return json.dumps(answer).encode()


@pytest.mark.parametrize(
    "body",
    [
        whole(access_token=5),
        whole(access_token="opaque"),
        whole(expires_in=None),
        whole(expires_in="soon"),
        whole(access_token=token(scp=5)),
        whole(access_token=token(scp=[1, 2])),
        whole(access_token=token(name=7)),
        whole(access_token=token(sub="CHARACTER:EVE:" + "9" * 5000)),
        whole(access_token=token(kid="two")),
        b'{"access_token":"A","refresh_token":"R1","more":' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"access_token":"A","refresh_token" : "R1","expires_in":60',
        b'{"access_token":"\xff","refresh_token":"\\u0052\\u0031","expires_in":60}',
    ],
)
@pytest.mark.parametrize(
    "keys",
    [
        (b"", 503),
        (b'{"keys":[{"kid":' + b"[" * 5000 + b"]" * 5000 + b"}]}", 200),
        (b"", 302),
    ],
    ids=["down", "deep", "moved"],
)
async def test_a_refresh_token_is_not_lost_whatever_else_is_wrong_with_the_answer(
    office: Office, body: bytes, keys: tuple[bytes, int]
) -> None:
    office.keys(one=KEY)
    await office.client.prepare()
    office.clock.advance(60)
    office.answer("GET", METADATA["jwks_uri"], *keys)
    office.tokens(body)

    with pytest.raises(Unverified) as failed:
        await office.client.refresh("R0")

    assert failed.value.refresh_token == "R1"
    assert "R1" not in failed.value.reason


@pytest.mark.parametrize(
    ("fields", "refresh_token"),
    [
        ({"expires_in": "60"}, "R1"),
        ({"access_token": token(scp=None)}, "R1"),
        ({"refresh_token": None}, ""),
    ],
)
async def test_what_can_be_understood_is(
    office: Office, fields: dict[str, Any], refresh_token: str
) -> None:
    office.keys(one=KEY)
    office.tokens(whole(**fields))

    grant = await office.client.refresh("R0")

    assert grant.refresh_token == refresh_token
    assert grant.expires_at == NOW + timedelta(seconds=60)


async def test_an_answer_without_any_token_is_sso_trouble(office: Office) -> None:
    office.keys(one=KEY)
    office.tokens(b"<html>200</html>")

    with pytest.raises(Transient):
        await office.client.refresh("R0")


async def test_keys_that_cannot_be_had_fail_before_the_token_is_spent(office: Office) -> None:
    office.answer("GET", METADATA["jwks_uri"], b"", 503)

    with pytest.raises(Transient):
        await office.client.refresh("R0")

    assert office.posted() == []


async def test_a_login_begins_with_a_challenge_and_ends_with_its_secret(office: Office) -> None:
    challenge = Challenge.new()
    url = await office.client.login_url(challenge, "http://localhost:8642/callback", ["b", "a"])
    query = parse_qs(urlsplit(url).query)
    office.keys(one=KEY)
    office.tokens({"access_token": token(), "refresh_token": "R0", "expires_in": 1199})

    grant = await office.client.redeem("code-1", challenge, "http://localhost:8642/callback")

    assert url.startswith(METADATA["authorization_endpoint"])
    assert query["scope"] == ["a b"]
    assert query["state"] == [challenge.state]
    assert query["code_challenge_method"] == ["S256"]
    (form,) = office.posted()
    digest = hashlib.sha256(form["code_verifier"][0].encode()).digest()
    assert query["code_challenge"] == [base64.urlsafe_b64encode(digest).rstrip(b"=").decode()]
    assert form["code"] == ["code-1"]
    assert grant.character_id == 9


def test_challenges_differ() -> None:
    first, second = Challenge.new(), Challenge.new()

    assert first.verifier != second.verifier
    assert first.state != second.state
    assert 43 <= len(first.verifier) <= 128


async def test_a_revocation_is_told(office: Office) -> None:
    office.answer("POST", METADATA["revocation_endpoint"], b"")

    await office.client.revoke("R0")

    (form,) = office.posted("revocation_endpoint")
    assert form["token"] == ["R0"]


async def test_a_refused_revocation_is_an_error(office: Office) -> None:
    office.answer("POST", METADATA["revocation_endpoint"], b"", 503)

    with pytest.raises(Transient):
        await office.client.revoke("R0")


@pytest.mark.parametrize("field", ["token_endpoint", "revocation_endpoint", "jwks_uri"])
@pytest.mark.parametrize("address", ["mailto:a@b", "http://[x", "/token"])
async def test_metadata_with_what_is_no_address_are_trouble(
    mocked: aioresponses, office: Office, field: str, address: str
) -> None:
    mocked.clear()
    elsewhere = METADATA | {field: address}
    office.answer("GET", f"{BASE}/.well-known/oauth-authorization-server", elsewhere)

    with pytest.raises(Transient, match="no address"):
        await office.client.refresh("R0")


async def test_no_token_goes_to_another_server(mocked: aioresponses, office: Office) -> None:
    mocked.clear()
    elsewhere = METADATA | {"token_endpoint": "https://evil.example/token"}
    office.answer("GET", f"{BASE}/.well-known/oauth-authorization-server", elsewhere)

    with pytest.raises(Misconfigured, match="another server"):
        await office.client.refresh("R0")

    assert not [url for method, url in mocked.requests if method == "POST"]


async def test_without_a_client_id_nothing_is_asked(office: Office) -> None:
    client = SsoClient(BASE, "", office.transport, office.clock)

    with pytest.raises(Misconfigured, match="client_id"):
        await client.refresh("R0")

    assert not office.mock.requests


async def test_a_subject_that_is_no_character_is_not_taken(office: Office) -> None:
    office.keys(one=KEY)
    office.tokens(
        {"access_token": token(sub="CORPORATION:EVE:9"), "refresh_token": "R", "expires_in": 60}
    )

    with pytest.raises(Unverified, match="no character"):
        await office.client.refresh("R0")
