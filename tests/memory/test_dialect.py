from __future__ import annotations

from typing import Any

import pytest

from engine.errors import EngineError, InvalidRequest
from engine.memory.dialect import (
    V2,
    V4,
    ExternalRoot,
    check_contents,
    check_patch,
    check_state,
    check_touched,
    check_types,
    dialect_for,
    union,
    unknown_keys,
)
from engine.values import Json

NOTES: dict[str, Json] = {"notes": {"module": "notebook", "projection": "hot"}}
ARCHIVE: dict[str, Json] = {"archive": {"module": "shelf", "projection": "lazy"}}


def test_versions_one_and_two_speak_alike() -> None:
    assert dialect_for(1) is V2
    assert dialect_for(2) is V2
    assert dialect_for(4) is V4


@pytest.mark.parametrize("version", [0, 3, 5, -2, True])
def test_another_version_is_not_guessed_at(version: int) -> None:
    with pytest.raises(EngineError) as refused:
        dialect_for(version)
    assert refused.value.code == "unsupported-version"


def test_declared_roots_follow_the_planes_in_the_order_of_declaration() -> None:
    dialect = dialect_for(4, {**NOTES, **ARCHIVE})
    assert dialect.planes == (*V4.planes, "notes", "archive")
    assert dialect.roots == (ExternalRoot("notes", "notebook", "hot"), ExternalRoot("archive", "shelf", "lazy"))
    assert dialect.lazy == {"lazy", "archive"}
    assert dialect.ownable == V4.ownable
    assert "notes" in dialect.patchable
    assert "response" not in dialect.patchable


def test_roots_mean_nothing_in_an_older_version() -> None:
    assert dialect_for(2, NOTES) is V2


@pytest.mark.parametrize(
    "name",
    ["lazy", "strategy", "effective", "global", "cwd", "session", "patches", "", "a b", "1a", "a.b", "notes\n", "é"],
)
def test_a_root_that_cannot_be_named_is_a_fault(name: str) -> None:
    with pytest.raises(EngineError) as refused:
        dialect_for(4, {name: {"module": "m", "projection": "hot"}})
    assert refused.value.code == "bad-roots"


@pytest.mark.parametrize("roots", [[], "notes", 1, True])
def test_roots_that_are_no_object_are_a_fault(roots: Json) -> None:
    with pytest.raises(EngineError) as refused:
        dialect_for(4, roots)
    assert refused.value.code == "bad-roots"


@pytest.mark.parametrize(
    "declaration",
    [None, {}, {"module": "m"}, {"module": "", "projection": "hot"}, {"module": "m", "projection": "warm"},
     {"module": "m", "projection": "hot", "more": 1}],
)  # fmt: skip
def test_a_declaration_that_is_not_understood_is_remembered_as_strange(declaration: Json) -> None:
    dialect = dialect_for(4, {"notes": declaration})
    assert dialect.strange == ("notes",)
    assert dialect.planes == V4.planes
    assert unknown_keys(dialect, {"lazy": {}, "notes": {}}) == ("notes",)


def test_scopes_are_read_together_with_all_their_roots() -> None:
    both = union([dialect_for(4, NOTES), V4, dialect_for(4, ARCHIVE)])
    assert both == dialect_for(4, {**NOTES, **ARCHIVE})
    assert union([V2, V2]) is V2


def test_scopes_of_two_dialects_are_not_composed() -> None:
    with pytest.raises(EngineError) as refused:
        union([V2, V4])
    assert refused.value.code == "mixed-dialects"


def test_one_root_is_declared_one_way() -> None:
    with pytest.raises(EngineError) as refused:
        union([dialect_for(4, NOTES), dialect_for(4, {"notes": {"module": "other", "projection": "hot"}})])
    assert refused.value.code == "bad-roots"


@pytest.mark.parametrize(
    ("state", "code", "path"),
    [
        ({"working": []}, "plane-type", "working"),
        ({"lazy": "text"}, "plane-type", "lazy"),
        ({"working": None}, "plane-type", "working"),
        ({"response": 5}, "plane-type", "response"),
        ({"response": None}, "plane-type", "response"),
        ({"working": {"a": {"b": None}}}, "null-stored", "working.a.b"),
        ({"lazy": {"a": [1, {"b c": None}]}}, "null-stored", 'lazy.a[1]["b c"]'),
        ({"contract": {"compiled_skills": {}}}, "retired-key", "contract.compiled_skills"),
        ({"artifacts": {"p": {}}}, "invalid-artifact", "artifacts.p.description"),
    ],
)
def test_what_may_not_be_stored_is_named(state: dict[str, Json], code: str, path: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_state(V2, state)
    assert (refused.value.code, refused.value.path) == (code, path)


@pytest.mark.parametrize("state", [[], None, "text", 5])
def test_memory_that_is_no_object_is_refused(state: Any) -> None:
    for check in (check_types, check_contents, check_state):
        with pytest.raises(InvalidRequest) as refused:
            check(V2, state)
        assert refused.value.code == "not-an-object"


def test_a_root_is_held_to_what_a_plane_is_held_to() -> None:
    dialect = dialect_for(4, NOTES)
    check_state(dialect, {"notes": {"a": [1]}})
    bad: list[dict[str, Json]] = [{"notes": []}, {"notes": {"a": None}}]
    for state in bad:
        with pytest.raises(InvalidRequest):
            check_state(dialect, state)


def test_what_is_beside_the_planes_may_hold_anything() -> None:
    check_state(V2, {"extra": None, "tactics": [None], "__proto__": {"x": None}})


def test_bytes_without_a_null_are_not_walked_for_one() -> None:
    check_state(V2, {"working": {"a": None}}, maybe_null=False)


@pytest.mark.parametrize("scope", ["global", "cwd"])
@pytest.mark.parametrize("answer", ["text", "", None])
def test_an_answer_is_recorded_in_a_session_only(scope: str, answer: Json) -> None:
    with pytest.raises(InvalidRequest):
        check_patch(V2, "global" if scope == "global" else "cwd", {"response": answer})
    check_patch(V2, "session", {"response": answer})


def test_a_patch_may_delete_but_leave_no_null_behind() -> None:
    check_patch(V2, "session", {"working": {"a": None}, "lazy": None, "extra": [None]})
    for patch in ({"working": {"a": [None]}}, {"lazy": {"a": {"b": [{"c": None}]}}}):
        with pytest.raises(InvalidRequest):
            check_patch(V2, "session", patch)


def test_only_touched_cards_are_checked() -> None:
    after: dict[str, Json] = {"artifacts": {"old": {}, "new": {"description": "d"}}}
    check_touched(V2, "cwd", {"artifacts": {"new": {"description": "d"}}}, after)
    with pytest.raises(InvalidRequest):
        check_touched(V2, "cwd", {"artifacts": {"old": {"description": None}}}, after)
