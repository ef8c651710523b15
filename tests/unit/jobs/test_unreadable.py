"""JSON that is nested without end is no JSON to whoever reads what came from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from cli.credential_lines import parse_lines
from cli.errors import BadInput
from jobs import errors, resolving
from jobs.esi import paging
from jobs.esi.decoding import decode
from jobs.esi.reactions import error_text, is_own_error
from jobs.kinds import _projects
from jobs.kinds.character._payloads import readable
from jobs.store.write_status import Status
from jobs.writes import answers, settle, twins
from jobs.writes.notes import Notes, notes_of
from jobs.writes.payloads import BadPayload, read_row
from tests.unit.jobs.writes.test_decision import ROW

DEEP = '{"mail_id":7,"read":true,"x":' + "[" * 20_000 + "]" * 20_000 + "}"
RAW = DEEP.encode()


class Mail(msgspec.Struct):
    """What can be read."""

    mail_id: int


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda: answers.decoded(RAW, Mail, "the mail"), errors.Transient),
        (lambda: resolving._found(RAW), errors.Transient),
        (lambda: decode(RAW, Mail), errors.Transient),
        (lambda: decode(b"[" + RAW + b"]", list[Mail]), errors.Transient),
        (lambda: paging.rows_of(b"[" + RAW + b"]"), errors.Transient),
        (lambda: _projects.json_text(msgspec.Raw(RAW)), errors.BadAnswer),
        (lambda: read_row(replace(ROW, kind="mail.set_read", payload=DEEP)), BadPayload),
        (lambda: parse_lines([RAW]), BadInput),
    ],
)
def test_what_cannot_be_read_is_an_error_that_everybody_knows(
    read: Callable[[], Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        read()


def test_what_another_program_wrote_so_costs_nothing_else() -> None:
    done = replace(ROW, status=Status.DONE, result=DEEP)

    assert list(readable([DEEP, '{"mail_id":8}'], Mail)) == [Mail(8)]
    assert notes_of(replace(ROW, result=DEEP)) == Notes()
    assert settle.result_of(done) == {}
    assert twins._seen(DEEP) is None
    assert paging._id_of(msgspec.Raw(RAW), "mail_id") is None
    assert not is_own_error(RAW)
    assert error_text(RAW).startswith('{"mail_id":7')
