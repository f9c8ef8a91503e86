"""The documents of a store, there and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.memory.stream import Boundary
from engine.store.format import (
    Malformed,
    encode_meta,
    encode_runtime,
    parse_meta,
    parse_mode,
    parse_operator,
    parse_runtime,
)
from tests.store.building import dump

ZERO = {"id": "o", "position": 0, "parent": None}
ONE = {"id": "b", "position": 1, "parent": "o"}
META: dict[str, Any] = {
    "version": 2,
    "artifacts": {"/a": {"sourceHash": "x", "odd": [1]}},
    "temporal": {"revision": 4, "checkpoint": ZERO, "patches": [ONE]},
    "owner": {"cwd": "/a"},
    "later": {"kept": [1, 2]},
}
RUNTIME: dict[str, Any] = {
    "version": 1,
    "identity": {"cwd": "/a", "sessionId": "s"},
    "lineage": [ZERO, ONE],
    "step": 3,
    "specification": "do it",
    "bootstrap": True,
    "validation": {"kept": True},
}


def test_metadata_comes_back_byte_for_byte_with_what_is_unknown() -> None:
    assert encode_meta(parse_meta(META)) == dump(META)
    with_roots: dict[str, Any] = {**META, "version": 4, "roots": {"plans": {"module": "m", "projection": "lazy"}}}
    assert encode_meta(parse_meta(with_roots)) == dump(with_roots)


def test_an_older_version_is_written_back_as_two_with_its_revision() -> None:
    old: dict[str, Any] = {"version": 1, "temporal": {"checkpoint": ZERO, "patches": [ONE]}}
    meta = parse_meta(old)
    assert meta.revision is None
    wanted = {"version": 2, "artifacts": {}, "temporal": {"revision": 1, "checkpoint": ZERO, "patches": [ONE]}}
    assert json.loads(encode_meta(meta)) == wanted


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("roots", [None, "text", [1], {"any": 1}])
def test_before_version_four_roots_are_a_member_like_any_other(version: int, roots: Any) -> None:
    kept = json.loads(encode_meta(parse_meta({**META, "version": version, "roots": roots})))
    assert kept == {**META, "version": 2, "roots": roots}


def test_roots_that_are_no_object_are_malformed_in_version_four() -> None:
    for roots in (None, "text", [1]):
        with pytest.raises(Malformed):
            parse_meta({**META, "version": 4, "roots": roots})


def test_whole_numbers_may_be_spelled_with_a_point() -> None:
    temporal = {**META["temporal"], "revision": 4.0, "checkpoint": {**ZERO, "position": 0.0}}
    assert encode_meta(parse_meta({**META, "version": 2.0, "temporal": temporal})) == dump(META)
    assert encode_runtime(parse_runtime({**RUNTIME, "version": 1.0, "step": 3.0})) == dump(RUNTIME)
    assert parse_operator({"historyLimit": 3.0}).history_limit == 3
    for wrong in (2.5, True, "2"):
        with pytest.raises(Malformed):
            parse_meta({**META, "version": wrong})


def test_a_runtime_record_comes_back_byte_for_byte() -> None:
    assert encode_runtime(parse_runtime(RUNTIME)) == dump(RUNTIME)
    bare = {key: RUNTIME[key] for key in ("version", "identity", "lineage", "step")}
    runtime = parse_runtime(bare)
    assert (runtime.specification, runtime.bootstrap) == (None, None)
    assert runtime.lineage == (Boundary("o", 0, None), Boundary("b", 1, "o"))
    assert encode_runtime(runtime) == dump(bare)


def without(document: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != name}


def temporal(**changes: Any) -> dict[str, Any]:
    return {**META, "temporal": {**META["temporal"], **changes}}


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ([], "bad-meta"),
        (without(META, "version"), "bad-meta"),
        ({**META, "version": "2"}, "bad-meta"),
        ({**META, "version": True}, "bad-meta"),
        (without(META, "temporal"), "no-temporal"),
        ({**META, "artifacts": []}, "bad-meta"),
        (temporal(revision="4"), "bad-revision"),
        (temporal(revision=None), "bad-revision"),
        (temporal(revision=-1), "bad-revision"),
        (temporal(revision=10**5000), "bad-revision"),
        ({**META, "version": 10**5000}, "bad-meta"),
        (temporal(checkpoint={**ZERO, "position": 10**5000}), "bad-boundary"),
        (temporal(patches={}), "no-temporal"),
        (temporal(checkpoint=None), "bad-boundary"),
        (temporal(checkpoint={**ZERO, "position": -1}), "bad-boundary"),
        (temporal(checkpoint={**ZERO, "parent": "x"}), "bad-boundary"),
        (temporal(checkpoint={**ZERO, "more": 1}), "bad-boundary"),
        (temporal(patches=[{**ONE, "parent": "b"}]), "bad-boundary"),
        (temporal(patches=[{**ONE, "id": ""}]), "bad-boundary"),
        ({**META, "owner": {"cwd": "/a", "more": 1}}, "bad-owner"),
        ({**META, "owner": {"cwd": ""}}, "bad-owner"),
        ({**META, "owner": None}, "bad-owner"),
        ({**META, "version": 4, "roots": []}, "bad-roots"),
    ],
)
def test_malformed_metadata_is_named(document: Any, code: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_meta(document)
    assert caught.value.code == code
    assert caught.value.reason


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (3, "bad-runtime"),
        ({**RUNTIME, "version": 2}, "bad-runtime"),
        ({**RUNTIME, "version": True}, "bad-runtime"),
        ({**RUNTIME, "lazy": {}}, "runtime-holds-state"),
        ({**RUNTIME, "tactics": {}}, "runtime-holds-state"),
        (without(RUNTIME, "identity"), "bad-runtime"),
        ({**RUNTIME, "identity": {"cwd": "/a", "sessionId": ""}}, "bad-runtime"),
        ({**RUNTIME, "step": -1}, "bad-runtime"),
        ({**RUNTIME, "step": 1.5}, "bad-runtime"),
        ({**RUNTIME, "specification": None}, "bad-runtime"),
        ({**RUNTIME, "bootstrap": 1}, "bad-runtime"),
        ({**RUNTIME, "lineage": []}, "bad-lineage"),
        ({**RUNTIME, "lineage": [ZERO, {**ONE, "position": 2}]}, "bad-lineage"),
        ({**RUNTIME, "lineage": [ZERO, {**ONE, "parent": "x"}]}, "bad-lineage"),
        (without(RUNTIME, "lineage"), "bad-lineage"),
    ],
)
def test_a_malformed_runtime_record_is_named(document: Any, code: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_runtime(document)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("document", "mode"),
    [
        ({"mode": "off"}, "off"),
        ({"mode": "active"}, "active"),
        ({"enabled": True}, "active"),
        ({"enabled": False}, "passive"),
    ],
)
def test_modes(document: Any, mode: str) -> None:
    assert parse_mode(document) == mode


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        {"mode": "x"},
        {"mode": None},
        {"enabled": 1},
        {"mode": "off", "enabled": True},
        {"mode": "off", "more": 1},
    ],
)
def test_other_modes_are_refused(document: Any) -> None:
    with pytest.raises(Malformed):
        parse_mode(document)


def test_the_operators_settings() -> None:
    assert parse_operator({}).history_limit == 7
    given = parse_operator({"historyLimit": 0, "mode": "passive", "logging": True, "passiveTools": False})
    assert (given.history_limit, given.mode) == (0, "passive")
    assert given.switches == {"logging": True, "passiveTools": False}


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"historyLimit": 101},
        {"historyLimit": -1},
        {"historyLimit": True},
        {"mode": "x"},
        {"logging": 1},
        {"new": 1},
    ],
)
def test_settings_that_are_not_understood_are_never_guessed(document: Any) -> None:
    with pytest.raises(Malformed):
        parse_operator(document)
