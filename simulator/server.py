"""The HTTP side: one port, five services by prefix, faults and latency on the way out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aiohttp import web

from simulator.answers import Answer, Question
from simulator.clock import SimulatedClock
from simulator.control import Control
from simulator.esi import Esi
from simulator.faults import Cut, FaultBook, FaultRule, Service
from simulator.images import Images
from simulator.sso import Sso
from simulator.traffic import Asked, Traffic
from simulator.zkillboard import Zkillboard

_SERVICES: tuple[Service, ...] = ("esi", "sso", "images", "zkillboard")


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that answers behind the port."""

    esi: Esi
    sso: Sso
    images: Images
    zkillboard: Zkillboard
    control: Control
    faults: FaultBook
    traffic: Traffic
    clock: SimulatedClock


class FrontDoor:
    """Takes requests off the socket and puts answers on it, whole or spoilt."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        name, _, rest = request.path[1:].partition("/")
        question = Question(
            request.method,
            "/" + rest,
            request.query,
            request.headers,
            await request.read() if request.can_read_body else b"",
            request.remote or "",
        )
        if name == "control":
            return _response(self._services.control.answer(question))
        for service in _SERVICES:
            if service == name:
                return await self._counted(request, service, question)
        return web.json_response({"error": "no such service"}, status=404)

    async def _counted(
        self, request: web.BaseRequest, service: Service, question: Question
    ) -> web.StreamResponse:
        traffic = self._services.traffic
        count = traffic.begin()
        answer = Answer(0)
        try:
            answer, response = await self._served(request, service, question)
        finally:
            asked = Asked(
                self._services.clock.now_s(),
                service,
                question.method,
                question.path,
                request.query_string,
                answer.route,
                answer.status,
                answer.character_id,
                question.headers,
            )
            traffic.end(asked, count)
        return response

    async def _served(
        self, request: web.BaseRequest, service: Service, question: Question
    ) -> tuple[Answer, web.StreamResponse]:
        services = self._services
        if services.control.latency_s:
            await asyncio.sleep(services.control.latency_s)
        rule = None
        if services.faults:
            query = request.query_string
            rule = services.faults.find(service, question.method, question.path, query)
        if rule is None:
            answer = self._answer(service, question)
            return answer, _response(answer)
        answer = self._spoilt(service, question, rule)
        if rule.delay_s:
            await asyncio.sleep(rule.delay_s)
        if rule.cut is None:
            return answer, _response(answer)
        return answer, await _cut(request, answer, rule.cut, rule.hold_s)

    def _answer(self, service: Service, question: Question, *, metered: bool = True) -> Answer:
        match service:
            case "esi":
                return self._services.esi.answer(question, metered=metered)
            case "sso":
                return self._services.sso.answer(question)
            case "images":
                return self._services.images.answer(question)
            case "zkillboard":
                return self._services.zkillboard.answer(question)

    def _spoilt(self, service: Service, question: Question, rule: FaultRule) -> Answer:
        answer = Answer(0)
        if rule.apply or (rule.status is None and rule.cut != "before_headers"):
            answer = self._answer(service, question, metered=rule.status is None)
        elif service == "esi":
            answer.route = self._services.esi.route_of(question)
        body = None if rule.body is None else rule.body.encode()
        if rule.status is not None:
            route = answer.route
            if service == "esi":
                answer = self._services.esi.spoilt(question, rule.status, body)
            else:
                content = {"Content-Type": "application/json"}
                answer = Answer(rule.status, body or b'{"error":"server_error"}', content, route)
        elif body is not None:
            answer.body = body
        for header, value in rule.headers.items():
            for known in [one for one in answer.headers if one.lower() == header.lower()]:
                del answer.headers[known]
            if value:
                answer.headers[header] = value
        if rule.cut == "before_headers":
            answer.status = 0
        return answer


def _response(answer: Answer) -> web.Response:
    return web.Response(status=answer.status, body=answer.body, headers=answer.headers)


async def _cut(
    request: web.BaseRequest, answer: Answer, cut: Cut, hold_s: float
) -> web.StreamResponse:
    """Answer in part only: nothing, half a body, or a body that never says it is over."""
    transport = request.transport
    if cut == "before_headers":
        if transport is not None:
            transport.abort()
        return web.Response()
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    if cut == "mid_body":
        response.content_length = max(1, len(answer.body))
        await response.prepare(request)
        await response.write(answer.body[: len(answer.body) // 2])
        if transport is not None:
            transport.close()
        return response
    response.enable_chunked_encoding()
    await response.prepare(request)
    await response.write(answer.body)
    await _held(request, hold_s)
    if transport is not None:
        transport.abort()
    return response


async def _held(request: web.BaseRequest, hold_s: float) -> None:
    """Wait until the client has gone, or as long as was told."""
    loop = asyncio.get_running_loop()
    until_s = loop.time() + hold_s
    while loop.time() < until_s:
        if request.transport is None or request.transport.is_closing():
            return
        await asyncio.sleep(min(0.05, hold_s))
