"""What every test may rely on: no colour switch, no motion, a home of its own, examples that never change."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.pop("NO_COLOR", None)  # it would empty every snapshot
for _size in ("COLUMNS", "LINES"):  # workers of xdist are given 80x24; a terminal's own size shall count
    os.environ.pop(_size, None)
os.environ["TEXTUAL_ANIMATIONS"] = "none"
os.environ["SFTUI_ASCII"] = "0"  # whatever the locale and the terminal of the suite
for _look in ("COLORFGBG", "TMUX", "STY"):  # nor do they choose a theme or the words about a copy
    os.environ.pop(_look, None)

settings.register_profile(
    "suite", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

_home = tempfile.TemporaryDirectory(prefix="sftui-tests-home-", ignore_cleanup_errors=True)
os.environ["HOME"] = _home.name
os.environ["XDG_STATE_HOME"] = str(Path(_home.name) / "state")
os.environ["XDG_CONFIG_HOME"] = str(Path(_home.name) / "config")
os.environ.pop("PI_CODING_AGENT_DIR", None)  # a real agent's store is out of reach of the suite


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("SFTUI_FAST_PATHS") == "off":
        from engine import values

        values.set_fast_paths(False)


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts with an empty state directory, so that no journal or ledger outlives it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
