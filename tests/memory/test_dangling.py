"""The sentinel: a single missing value that current memory still names."""

from __future__ import annotations

from typing import Any

import pytest

from engine.memory.cohort import Cohort
from engine.memory.dialect import V4
from engine.memory.reading import DANGLING_MESSAGE, View, read_state
from engine.memory.scope import SCOPES, Wanted
from tests.memory.reads import CWD, change, cohort, refused


def hinted(memory: Cohort, path: str, wanted: Wanted = SCOPES) -> Any:
    found = read_state(View(memory, wanted), {"path": path})
    hint: Any = found["hint"]
    assert found == {
        "value": None,
        "hint": [{"type": "dangling-reference", "message": DANGLING_MESSAGE, "paths": hint[0]["paths"]}],
    }
    assert list(found) == ["value", "hint"]
    assert list(hint[0]) == ["type", "message", "paths"]
    return hint[0]["paths"]


def test_structured_owners_come_before_texts_and_three_are_enough() -> None:
    memory = cohort(
        states={
            "cwd": {"working": {"a": "see $session.lazy.gone", "b": {"$ref": "session.lazy.gone"}}},
            "session": {"working": {"c": "(and $session.lazy.gone)", "d": {"$ref": "session.lazy.gone"}}},
        }
    )
    assert hinted(memory, "session.lazy.gone") == ["cwd.working.b", "cwd.working.a", "session.working.c"]


@pytest.mark.parametrize(
    ("named", "asked", "found"),
    [
        ({"$ref": "working.gone"}, "working.gone", True),
        ({"$ref": "effective.working.gone"}, "working.gone", True),
        ({"$ref": "working.gone"}, "effective.working.gone", False),
        ({"$ref": "working.gone", "more": 1}, "working.gone", True),
        ({"$ref": "working.gone.deeper"}, "working.gone", False),
        ({"$ref": "working.gone"}, "working.gone.deeper", False),
        ({"$ref": "session.working.gone"}, "working.gone", False),
        ("$working.gone", "working.gone", True),
        ("look at $working.gone, then", "working.gone", True),
        ("($working.gone)", "working.gone", True),
        ("$working.gone and so on", "working.gone", True),
        ("working.gone", "working.gone", False),
        ("$working.gone.deeper", "working.gone", False),
        ("$working.gone2", "working.gone", False),
        ("$working.gone-er", "working.gone", False),
        ("$working.gone[0]", "working.gone", False),
        ("$working.gone.", "working.gone", False),
        ({"response": "$working.gone"}, "working.gone", False),
        ([[{"$ref": "working.list[7]"}]], "working.list[7]", True),
        ([{"$ref": "working.list[0:9]"}], "working.list[0:9]", True),
    ],
)
def test_who_names_a_path(named: Any, asked: str, found: bool) -> None:
    memory = cohort(session={"contract": {"here": named}, "working": {"list": [1]}})
    if found:
        assert hinted(memory, asked)[0].startswith("session.contract.here")
    else:
        assert refused(memory, {"path": asked}) == "no-such-path"


def test_the_sentinel_is_for_one_value_alone() -> None:
    memory = cohort(cwd={"working": {"r": {"$ref": "cwd.lazy.gone"}}})
    assert hinted(memory, "cwd.lazy.gone") == ["cwd.working.r"]
    assert read_state(View(memory, SCOPES), {"paths": ["cwd.lazy.gone"]})["value"] is None
    assert refused(memory, {"path": "cwd.lazy.gone", "projection": "keys"}) == "no-such-path"
    assert change(memory, "cwd.lazy.gone") == {}
    assert refused(memory, {"paths": ["cwd.lazy.gone", "cwd.working"]}) == "no-such-path"
    # A plane that is absent is null, without a hint, whoever names it.
    assert read_state(View(cohort(cwd={"working": {"r": {"$ref": "cwd.lazy"}}}), SCOPES), {"path": "cwd.lazy"}) == {
        "value": None
    }


def test_the_look_up_is_of_current_memory_and_never_of_answers() -> None:
    memory = cohort(
        {"cwd": {"working": {"r": None}}},
        states={"cwd": {"working": {"r": {"$ref": "cwd.lazy.gone"}}}, "session": {"response": "$cwd.lazy.gone"}},
    )
    assert refused(memory, {"path": "cwd.lazy.gone"}) == "no-such-path"
    assert refused(memory, {"path": "cwd[1].lazy.gone"}) == "no-such-path"


def test_a_hint_shows_no_lazy_body_and_any_key() -> None:
    memory = cohort(cwd={"lazy": {"odd key.x": {"body": ["secret", "$cwd.lazy.gone"]}}})
    assert hinted(memory, "cwd.lazy.gone") == ["cwd.lazy.odd key.x.body[1]"]


def test_the_look_is_bounded() -> None:
    memory = cohort(
        states={"global": {"lazy": {"rows": [0] * 30_000}}, "session": {"working": {"r": {"$ref": "cwd.lazy.gone"}}}}
    )
    assert refused(memory, {"path": "cwd.lazy.gone"}) == "no-such-path"


def test_one_owner_gets_relative_owners_of_its_own_scope_alone() -> None:
    memory = cohort(
        dialect=V4,
        states={
            "global": {"tactics": {"r": {"$ref": "cwd.lazy.gone"}}},
            "cwd": {"tactics": {"a": {"$ref": "cwd.lazy.gone"}, "b": "$lazy.gone", "c": "$cwd.lazy.gone"}},
        },
    )
    assert hinted(memory, "lazy.gone", CWD) == ["tactics.a", "tactics.b", "tactics.c"]
    assert hinted(memory, "cwd.lazy.gone", CWD) == ["tactics.a", "tactics.c"]
    assert hinted(memory, "cwd.lazy.gone") == ["cwd.tactics.a", "global.tactics.r", "cwd.tactics.c"]
