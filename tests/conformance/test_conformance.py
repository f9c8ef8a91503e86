"""The recorded vectors, one test per file and dialect."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.memory.dialect import Dialect
from tests.conformance.runner import DATA, passes, run


@pytest.mark.parametrize(
    ("name", "dialect"), passes(DATA), ids=[f"{name}-dialect{dialect.version}" for name, dialect in passes(DATA)]
)
def test_every_case_is_as_recorded(name: str, dialect: Dialect, tmp_path: Path) -> None:
    result = run(DATA, name, dialect, tmp_path)
    report = [f"{failure.id}: {difference}" for failure in result.failures for difference in failure.differences]
    assert result.failed == 0, "\n".join([result.line(), *report[:40]])
    assert result.passed > 0
