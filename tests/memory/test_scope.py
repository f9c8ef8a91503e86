from __future__ import annotations

import pytest

from engine.errors import InvalidRequest
from engine.memory.scope import SCOPES, initial, is_scope, parse_wanted


def test_wanted_scopes_come_broad_to_narrow() -> None:
    assert parse_wanted("session,global") == ("global", "session")
    assert parse_wanted(["cwd", "cwd"]) == ("cwd",)
    assert parse_wanted(" global , cwd , session ") == SCOPES


@pytest.mark.parametrize("names", ["", "Session", "global,effective", "cwd,", [], ["sessions"]])
def test_a_name_that_is_no_scope_is_refused(names: str | list[str]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_wanted(names)
    assert refused.value.exit_code == 3


def test_scopes_are_told_apart_by_their_letters() -> None:
    assert [initial(scope) for scope in SCOPES] == ["g", "c", "s"]
    assert is_scope("cwd")
    assert not is_scope("CWD")
