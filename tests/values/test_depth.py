"""Values that no text gave: nested deeper than anything that is decoded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.errors import EngineError
from engine.values import Json, JsonObject, changes, merge, net_patch, prune, prune_along


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
