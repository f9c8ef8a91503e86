"""A fence stands in the way of those who named the scope behind it, and of nobody else."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run, Stores, contents

FENCED_CWD = ("cwd-boundary-count", "cwd-owner-missing", "cwd-owner-other", "cwd-checkpoint-bad-card")
PATCH = json.dumps({"global": {"lazy": {"k": 1}}})


@pytest.mark.parametrize("name", FENCED_CWD)
@pytest.mark.parametrize("session", [False, True])
def test_a_broken_project_is_in_the_way_only_where_it_is_named(
    stores: Stores, run: Run, name: str, session: bool
) -> None:
    store = stores(name)
    before = contents(store.root)
    place = store.at(session=session)
    for command in ("status", "doctor"):
        assert run(command, *place).code == 5
        assert run(command, *place, "--scopes", "global").code == 0
    for dry in (["--dry-run"], []):
        assert run("patch", *dry, *place, stdin=PATCH).code == 5
    assert contents(store.root) == before
    for dry in (["--dry-run"], []):
        assert run("patch", *dry, *place, "--scopes", "global", stdin=PATCH).code == 0
    assert run("read", "--json", *place, "--scopes", "global", "global.lazy.k").json == {"value": 1}


@pytest.mark.parametrize("name", ["session-tail-missing", "runtime-other-session", "session-parent-wrong"])
def test_a_broken_session_is_in_the_way_only_where_it_is_named(stores: Stores, run: Run, name: str) -> None:
    store = stores(name)
    place = store.at(session=True)
    for command in ("status", "doctor"):
        assert run(command, *place).code == 5
        assert run(command, *place, "--scopes", "global").code == 0
        assert run(command, *place, "--scopes", "global,cwd").code == 0
    judged = run("doctor", "--json", *place, "--scopes", "global,cwd").json
    assert [scope["scope"] for scope in judged["scopes"]] == ["global", "cwd"]
