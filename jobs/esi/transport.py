"""HTTP of a process: bounded in time and size, and no surprises of the library's own.

A kept connection that the server is closing loses what is sent over it. Reads are repeated then;
what must not be in doubt goes over connections that were used a moment ago, or over new ones.
What goes over any belongs to one request alone: no cookies, no shared headers, no credentials of
the machine's files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDictProxy
from yarl import URL

from jobs.errors import BadAnswer, Transient
from jobs.esi.room import Room, Share

# Of a decoded body; the largest page of ESI is below 2 MiB, the largest answer below 10.
MAX_BODY_BYTES = 64 << 20
MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PROXY_SCHEMES = frozenset({"http", "https"})
_NO_BODY = frozenset({204, 304})
# At once, over all jobs of this process.
_CONNECTIONS = 64
# Servers keep connections for at least 5 s.
KEPT_FOR_READS_S = 15.0
KEPT_FOR_WRITES_S = 2.0


class NotSent(Transient):
    """No connection: the server has not seen the request."""


class AnswerLost(Transient):
    """The request may have reached the server; its answer did not come, or not whole."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each step of a request may take, in seconds."""

    connect_s: float = 10.0
    read_s: float = 20.0
    total_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, decoded as its Content-Encoding says."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes
    # Requests that were made for it before: lost ones that were repeated, and redirects.
    earlier: int = 0


@cache
def product_version() -> str:
    """Return this program's version, as installed."""
    try:
        return version("esisyncd")
    except PackageNotFoundError:
        return "0"


class Transport:
    """Asks servers; one for each process, used on its loop only."""

    def __init__(
        self,
        contact: str,
        timeouts: Timeouts | None = None,
        *,
        max_body_bytes: int = MAX_BODY_BYTES,
        room: Room | None = None,
    ) -> None:
        """Take the operator's contact, which every server is told."""
        self.user_agent = f"esisyncd/{product_version()}" + (f" ({contact})" if contact else "")
        limits = timeouts or Timeouts()
        self._timeout = aiohttp.ClientTimeout(
            total=limits.total_s,
            # Name look-up and all addresses together; a look-up has no bound of its own.
            connect=limits.connect_s * 2,
            sock_connect=limits.connect_s,
            sock_read=limits.read_s,
        )
        # The answer to a write is a few bytes that come at once, or not: the time between two of
        # them is no other bound than that for all, and would cost two timers for each write.
        self._write_timeout = aiohttp.ClientTimeout(
            total=min(limits.total_s, limits.connect_s + limits.read_s),
            connect=limits.connect_s * 2,
            sock_connect=limits.connect_s,
        )
        self._max_body_bytes = max_body_bytes
        self._room = room or Room()
        # By how long their connections are kept.
        self._sessions: dict[float, aiohttp.ClientSession] = {}
        # By scheme, host and port.
        self._proxies: dict[tuple[str, str], tuple[URL | None, str | None]] = {}
        # Every request that went out, repeated ones included.
        self.sent = 0

    async def ask(
        self,
        method: str,
        url: URL,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        reads: bool,
    ) -> Answer:
        """Send a request and return its answer, whatever its status.

        reads: nothing changes at the server, so a lost connection is tried once more, and a
        redirect within the origin is followed. NotSent, AnswerLost or BadAnswer otherwise.
        """
        try:
            return await self._follow(method, url, headers, body, reads=reads, fresh=not reads)
        except AnswerLost as lost:
            if not reads or not _was_cut(lost.__cause__):
                raise
        # Not over another connection that was kept as long.
        answer = await self._follow(method, url, headers, body, reads=reads, fresh=True)
        return replace(answer, earlier=answer.earlier + 1)

    async def close(self) -> None:
        """Close the sessions and their connections."""
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    async def _follow(
        self,
        method: str,
        url: URL,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        reads: bool,
        fresh: bool,
    ) -> Answer:
        for followed in range(MAX_REDIRECTS + 1):
            answer = await self._once(method, url, headers, body, reads=reads, fresh=fresh)
            if answer.status not in _REDIRECTS:
                return answer if not followed else replace(answer, earlier=followed)
            target = answer.headers.get("Location", "")
            if not reads:
                raise BadAnswer(f"{method} {url.path} was redirected, and is not sent elsewhere")
            try:
                onward = url.join(URL(target))
                # An address without a server, as of a mail, has none.
                is_same = bool(target) and onward.origin() == url.origin()
            except ValueError:
                raise BadAnswer(f"{url.path} was redirected to {target[:100]!r}") from None
            if not is_same:
                raise BadAnswer(f"{url.path} was redirected to another server")
            url = onward
        raise BadAnswer(f"{url.path} was redirected more than {MAX_REDIRECTS} times")

    async def _once(
        self,
        method: str,
        url: URL,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        reads: bool,
        fresh: bool,
    ) -> Answer:
        """Send one request; the errors of three hierarchies become ours."""
        headers = {**headers, "User-Agent": self.user_agent}
        proxy, proxy_auth = self._proxy_of(url)
        proxy_headers = {"Proxy-Authorization": proxy_auth} if proxy_auth else None
        if proxy_headers is not None and url.scheme == "http":
            # Without a tunnel the proxy reads the request itself.
            headers |= proxy_headers
        self.sent += 1
        try:
            async with self._session(KEPT_FOR_WRITES_S if fresh else KEPT_FOR_READS_S).request(
                method,
                url,
                headers=headers,
                data=body,
                proxy=proxy,
                proxy_headers=proxy_headers,
                allow_redirects=False,
                timeout=self._timeout if reads else self._write_timeout,
            ) as response:
                return Answer(response.status, response.headers, await self._body(response))
        except (
            aiohttp.ConnectionTimeoutError,
            aiohttp.ClientConnectorError,
            aiohttp.InvalidURL,
        ) as error:
            raise NotSent(f"{_what(method, url)}: no connection ({_words(error)})") from error
        except aiohttp.ClientHttpProxyError as error:
            raise NotSent(f"{_what(method, url)}: the proxy refused ({error.status})") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise AnswerLost(f"{_what(method, url)}: no answer ({_words(error)})") from error

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        """Read the body piece by piece, so that one that swells costs no more than the limit."""
        if response.status in _NO_BODY:
            return b""
        framed = (
            "Content-Length" in response.headers
            or "chunked" in response.headers.get("Transfer-Encoding", "").lower()
        )
        if response.status < 300 and not framed:
            # Such a body ends with the connection: a cut one could not be told from a whole one.
            raise AnswerLost(f"{response.url.path}: the answer does not say how long it is")
        parts: list[bytes] = []
        share = Share(self._room)
        try:
            while part := await response.content.readany():
                parts.append(part)
                await share.take(len(part))
                if share.size_bytes > self._max_body_bytes:
                    raise BadAnswer(
                        f"{response.url.path}: the answer is larger than"
                        f" {self._max_body_bytes} bytes"
                    )
            return parts[0] if len(parts) == 1 else b"".join(parts)
        finally:
            share.give_back()

    def _session(self, kept_s: float) -> aiohttp.ClientSession:
        """Return the session whose connections are kept so long for the next request."""
        session = self._sessions.get(kept_s)
        if session is None:
            session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=_CONNECTIONS, ttl_dns_cache=60, keepalive_timeout=kept_s
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
            )
            # The library would send GET, PUT and DELETE again by itself on a lost connection.
            # There is no public switch; a test counts at the server.
            session._retry_connection = False  # noqa: SLF001
            self._sessions[kept_s] = session
        return session

    def _proxy_of(self, url: URL) -> tuple[URL | None, str | None]:
        """Return the proxy that the environment names for this origin, looked up once.

        Not left to the library: with its trust_env each request goes twice through a thread, and
        an entry in ~/.netrc collides with the access token.
        """
        known = self._proxies.get((url.scheme, url.raw_authority))
        if known is None:
            known = _environment_proxy(url.origin())
            self._proxies[url.scheme, url.raw_authority] = known
        return known


def _environment_proxy(origin: URL) -> tuple[URL | None, str | None]:
    """Return the proxy for an origin, and what to tell it as authorization."""
    text = getproxies().get(origin.scheme)
    if not text or (origin.host is not None and proxy_bypass(origin.host)):
        return None, None
    # Without the text itself, which may hold a password.
    unusable = NotSent(
        f"no connection: the proxy that {origin.scheme}_proxy names in the environment cannot be"
        " used; it has to be http://HOST:PORT or https://HOST:PORT"
    )
    try:
        proxy = URL(text if "://" in text else f"http://{text}")
        auth = proxy.user and aiohttp.encode_basic_auth(proxy.user, proxy.password or "")
    except ValueError:
        raise unusable from None
    if proxy.scheme not in _PROXY_SCHEMES or not proxy.host:
        raise unusable
    return proxy.with_user(None), auth or None


def _what(method: str, url: URL) -> str:
    """Return how a request is named: without its query, which may say too much."""
    return f"{method} {url.origin()}{url.path}"


def _was_cut(error: BaseException | None) -> bool:
    """Tell whether a connection broke, as a kept one does when the server has closed it."""
    return isinstance(error, aiohttp.ClientConnectionError) and not isinstance(error, TimeoutError)


def _words(error: BaseException) -> str:
    """Return an error in a few words; some of the library's have none."""
    return str(error) or ("timed out" if isinstance(error, TimeoutError) else type(error).__name__)
