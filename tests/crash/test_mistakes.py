"""The mistakes that the crash test is proved with fit the code: they are made by hand only."""

from __future__ import annotations

import pytest

from tests.prove_crash_test import MISTAKES, Mistake


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_every_edit_of_a_mistake_can_be_made(mistake: Mistake) -> None:
    assert [fault for edit in mistake.edits if (fault := edit.fault())] == []
