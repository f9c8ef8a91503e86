"""A small store that is whole, and the command line to use on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import run
from tests.store.building import Home, build

__all__ = ["run"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "store")
