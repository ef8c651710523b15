"""Tokens: consent with PKCE, signatures, rotation with its grace, revocation."""

from __future__ import annotations

import base64
from hashlib import sha256
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import msgspec
import pytest

from simulator.answers import Answer, Question
from tests.simulator._bench import FIRST, Bench, make_bench

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
CLIENT = "simulated-client"
VERIFIER = "v" * 43
SCOPE = "esi-skills.read_skills.v1"


def post(bench: Bench, path: str, **form: str) -> Answer:
    question = Question("POST", path, {}, FORM, urlencode(form).encode(), "127.0.0.1")
    return bench.services.sso.answer(question)


def get(bench: Bench, path: str, **query: str) -> Answer:
    return bench.services.sso.answer(Question("GET", path, query, {}, b"", "127.0.0.1"))


def refresh(bench: Bench, token: str, client_id: str = CLIENT) -> tuple[int, dict[str, str]]:
    answer = post(
        bench,
        "/v2/oauth/token",
        grant_type="refresh_token",
        refresh_token=token,
        client_id=client_id,
    )
    content = msgspec.json.decode(answer.body, type=dict[str, object])
    return answer.status, {name: str(value) for name, value in content.items()}


def first_token(bench: Bench) -> str:
    return str(bench.services.control.tokens(FIRST)["refresh_token"])


def challenge(verifier: str = VERIFIER) -> str:
    return base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def consent(bench: Bench, **changes: str) -> Answer:
    query = {
        "response_type": "code",
        "client_id": CLIENT,
        "redirect_uri": "http://127.0.0.1:9/callback",
        "scope": SCOPE,
        "state": "xyz",
        "code_challenge": challenge(),
        "code_challenge_method": "S256",
        **changes,
    }
    return get(bench, "/v2/oauth/authorize", **query)


def code_of(answer: Answer) -> str:
    assert answer.status == 302, answer.body
    query = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert query["state"] == ["xyz"]
    return query["code"][0]


def exchange(bench: Bench, code: str, verifier: str = VERIFIER) -> Answer:
    return post(
        bench,
        "/v2/oauth/token",
        grant_type="authorization_code",
        code=code,
        code_verifier=verifier,
        client_id=CLIENT,
    )


def test_metadata_names_every_endpoint(bench: Bench) -> None:
    answer = get(bench, "/.well-known/oauth-authorization-server")
    told = msgspec.json.decode(answer.body, type=dict[str, object])
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "revocation_endpoint"):
        assert str(told[name]).startswith("http://sso.test/sso/")
    assert told["issuer"] == "http://sso.test/sso"


def test_login_gives_a_token_that_checks_out(bench: Bench) -> None:
    answer = exchange(bench, code_of(consent(bench, character_id=str(FIRST + 1))))
    assert answer.status == 200, answer.body
    issued = msgspec.json.decode(answer.body)
    keys = msgspec.json.decode(get(bench, "/oauth/jwks").body)["keys"]
    claims = jwt.decode(
        issued["access_token"],
        jwt.PyJWK(keys[0]).key,
        algorithms=["RS256"],
        audience="EVE Online",
        issuer="http://sso.test/sso",
        options={"verify_exp": False, "verify_iat": False},
    )
    assert claims["sub"] == f"CHARACTER:EVE:{FIRST + 1}"
    assert claims["aud"] == [CLIENT, "EVE Online"]
    assert claims["azp"] == CLIENT
    assert claims["scp"] == SCOPE
    assert claims["exp"] - claims["iat"] == 1200
    assert issued["expires_in"] == 1199
    path = f"/characters/{FIRST + 1}/skills"
    assert bench.esi(path, token=issued["access_token"]).status == 200


def test_several_scopes_are_a_list(bench: Bench) -> None:
    token = bench.token(FIRST)
    claims = jwt.decode(token, options={"verify_signature": False})
    assert isinstance(claims["scp"], list)
    assert SCOPE in claims["scp"]


def test_code_works_once_in_time_and_with_its_verifier(bench: Bench) -> None:
    code = code_of(consent(bench))
    assert exchange(bench, code, "w" * 43).status == 400
    code = code_of(consent(bench))
    assert exchange(bench, code).status == 200
    assert exchange(bench, code).status == 400
    code = code_of(consent(bench))
    bench.pass_time(301)
    assert exchange(bench, code).status == 400


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"redirect_uri": ""}, "invalid_request"),
        ({"client_id": ""}, "invalid_request"),
        ({"client_id": "other"}, "invalid_client"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "esi-made.up.v1"}, "invalid_scope"),
        ({"character_id": "5"}, "access_denied"),
    ],
)
def test_refused_consent(bench: Bench, changes: dict[str, str], error: str) -> None:
    answer = consent(bench, **changes)
    assert answer.status in (400, 401)
    assert msgspec.json.decode(answer.body)["error"] == error


def test_the_control_route_chooses_who_logs_in(bench: Bench) -> None:
    bench.control("/login", character_id=FIRST + 3)
    issued = msgspec.json.decode(exchange(bench, code_of(consent(bench))).body)
    claims = jwt.decode(issued["access_token"], options={"verify_signature": False})
    assert claims["sub"].endswith(str(FIRST + 3))


def test_old_refresh_token_lives_until_the_new_one_is_used(bench: Bench) -> None:
    old = first_token(bench)
    status, answer = refresh(bench, old)
    new = answer["refresh_token"]
    assert status == 200
    assert new != old
    status, again = refresh(bench, old)  # the answer was lost
    assert (status, again["refresh_token"]) == (200, new)
    status, third = refresh(bench, new)
    assert (status, third["refresh_token"] != new) == (200, True)
    status, refused = refresh(bench, old)
    assert (status, refused["error"]) == (400, "invalid_grant")
    assert refresh(bench, new)[0] == 200
    assert first_token(bench) == third["refresh_token"]


def test_single_use_is_a_switch(bench: Bench) -> None:
    bench.control("/sso", single_use=True)
    old = first_token(bench)
    new = refresh(bench, old)[1]["refresh_token"]
    assert refresh(bench, old)[1]["error"] == "invalid_grant"
    assert refresh(bench, new)[0] == 200


def test_without_rotation_the_token_stays() -> None:
    bench = make_bench(rotate_refresh=False)
    token = first_token(bench)
    for _ in range(3):
        assert refresh(bench, token)[1]["refresh_token"] == token


def test_foreign_client_and_unknown_token(bench: Bench) -> None:
    token = first_token(bench)
    assert refresh(bench, token, "other")[1]["error"] == "invalid_client"
    assert refresh(bench, "made-up")[1]["error"] == "invalid_grant"
    assert refresh(bench, token)[0] == 200


def test_revoked_by_the_client_or_by_the_owner(bench: Bench) -> None:
    token = first_token(bench)
    access = bench.token(FIRST)
    assert post(bench, "/v2/oauth/revoke", token=token, client_id=CLIENT).status == 200
    assert refresh(bench, token)[1]["error"] == "invalid_grant"
    assert bench.esi(f"/characters/{FIRST}/skills", token=access).status == 401
    told = bench.control("/grant", character_id=FIRST, scopes=[SCOPE])
    fresh = str(msgspec.convert(told, dict[str, object])["refresh_token"])
    assert refresh(bench, fresh)[0] == 200
    bench.control("/revoke", character_id=FIRST)
    assert refresh(bench, fresh)[1]["error"] == "invalid_grant"
    assert bench.services.control.tokens(FIRST)["alive"] is False


def test_basic_authentication_names_the_client(bench: Bench) -> None:
    pair = base64.b64encode(f"{CLIENT}:secret".encode()).decode()
    body = urlencode({"grant_type": "refresh_token", "refresh_token": first_token(bench)})
    headers = {**FORM, "Authorization": f"Basic {pair}"}
    question = Question("POST", "/v2/oauth/token", {}, headers, body.encode(), "127.0.0.1")
    assert bench.services.sso.answer(question).status == 200


def test_a_jump_of_the_clock_expires_tokens_but_not_new_ones(bench: Bench) -> None:
    access = bench.token(FIRST)
    bench.control("/clock", advance_s=3600)
    assert bench.esi(f"/characters/{FIRST}/skills", token=access).status == 401
    assert bench.esi(f"/characters/{FIRST}/skills", character_id=FIRST).status == 200
