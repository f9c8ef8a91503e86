"""Values that no text gave: nested deeper than anything that is decoded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.errors import DecodeError, EngineError
from engine.values import Json, JsonObject, changes, decode, encode, is_deeper, merge, net_patch, prune, prune_along


def nested(levels: int, leaf: Json) -> JsonObject:
    value: JsonObject = {"leaf": leaf}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "work",
    [
        lambda: merge({}, nested(3000, 1)),
        lambda: merge(nested(3000, 1), nested(3000, 2)),
        lambda: net_patch(nested(3000, 1), nested(3000, 2)),
        lambda: changes(nested(3000, 1), nested(3000, 2)),
        lambda: prune(nested(3000, {})),
        lambda: prune_along(nested(3000, {}), {"a": None}),
    ],
)
def test_too_deep_is_said_clearly(work: Callable[[], object]) -> None:
    with pytest.raises(EngineError) as caught:
        work()
    assert caught.value.code == "too-deep"


@pytest.mark.parametrize("leaf", [1, "text", None, {}, [], [{}], {"a": [1]}])
@pytest.mark.parametrize("levels", [1, 2, 7, 200])
def test_what_is_deeper_is_what_a_reader_refuses(levels: int, leaf: Json) -> None:
    for depth in range(max(1, levels - 4), levels + 3):
        value = nested(depth - 1, leaf)
        try:
            decode(encode(value), max_depth=levels)
        except DecodeError:
            assert is_deeper(value, levels)
        else:
            assert not is_deeper(value, levels)


def test_depth_is_told_of_what_no_reader_could_follow() -> None:
    assert is_deeper(nested(100_000, 1), 200)
    assert not is_deeper(nested(99_999, 1), 100_000)
    assert not is_deeper("text", 0)
    assert is_deeper([], 0)
