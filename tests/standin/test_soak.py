"""Everybody at one store: the short form of an hour's soak. SFTUI_SOAK_SECONDS sets how long."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.standin.soak import soak

SECONDS = float(os.environ.get("SFTUI_SOAK_SECONDS", "120"))


@pytest.mark.parametrize(("dialect", "share"), [(4, 0.75), (2, 0.25)])
def test_an_agent_eight_writers_and_a_watcher(dialect: int, share: float) -> None:
    outcome = soak(SECONDS * share, 8, dialect=dialect)
    assert outcome.problems == []
    assert outcome.figures["session revision"] > 0
    assert outcome.figures["global revision"] > 8
    assert outcome.figures["updates seen"] > 1


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
def test_two_people_edit_at_their_apps_beside_an_agent_and_writers() -> None:
    outcome = soak(SECONDS * 0.25, 2, pause=1.4, interval=0.35, people=2)
    assert outcome.problems == []
    for name in ("p0", "p1"):
        assert outcome.figures[f"{name}, edits"] > 1
        assert outcome.figures[f"{name}, missed"] == 0
