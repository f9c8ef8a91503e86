"""Locks that nobody will release: told at once, never taken away, and how a person goes on."""

from __future__ import annotations

import os
import re
import time

import pytest

from tests.cases.at import at, patch
from tests.cli.conftest import Run
from tests.store.building import LOCK, Home, ended, in_child

CHANGE = patch(cwd={"tactics": {"new": 1}})


def left_by_a_dead_process(home: Home) -> bytes:
    pid = in_child(lambda: None)
    ended(pid)
    return b"%d\n" % pid


def test_a_lock_of_a_dead_process_stops_every_writer_and_no_reader(home: Home, run: Run) -> None:
    content = left_by_a_dead_process(home)
    home.lock.write_bytes(content)
    os.utime(home.lock, (time.time() - 90,) * 2)
    for _ in range(2):
        refused = run("patch", "--timeout", "20", *at(home), stdin=CHANGE)
        assert refused.code == 5
        for part in (str(home.lock), content.decode().strip()):
            assert part in refused.err
        assert re.search(r"\b(9\d|1\d\d) s old|[123] min old", refused.err)
        assert run("read", "--json", *at(home), "cwd.tactics.kept").json == {"value": "cwd"}
        assert run("log", *at(home)).code == 0
    assert home.lock.read_bytes() == content


@pytest.mark.parametrize("empty", [True, False], ids=["empty", "of a dead process"])
def test_a_person_is_led_out_of_it(home: Home, run: Run, empty: bool) -> None:
    home.lock.write_bytes(b"" if empty else left_by_a_dead_process(home))
    if empty:
        refused = run("patch", *at(home), stdin=CHANGE)
        assert 2.0 <= time.time() - home.lock.stat().st_mtime < 10
        assert refused.code == 5
        assert "empty, and so names no process" in refused.err
    said = " ".join(run("doctor", *at(home)).out.split())
    for part in ("make sure that no agent uses this store", f"remove {home.root}/{LOCK} by hand"):
        assert part in said
    home.lock.unlink()
    assert run("patch", *at(home), stdin=CHANGE).code == 0
    assert run("doctor", *at(home)).code == 0
