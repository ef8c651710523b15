from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cli.errors import ConfigFault
from cli.foreign import refuse_foreign_supervisor


def test_our_own_supervisor_is_fine() -> None:
    refuse_foreign_supervisor()


def test_another_distribution_of_that_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "supervisor-4.2.5.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigFault, match=r"supervisor 4\.2\.5"):
        refuse_foreign_supervisor()


def test_a_package_of_that_name_elsewhere_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "supervisor").mkdir()
    (tmp_path / "supervisor" / "__init__.py").touch()
    for name in [name for name in sys.modules if name.partition(".")[0] == "supervisor"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigFault, match="is not esisyncd's"):
        refuse_foreign_supervisor()
