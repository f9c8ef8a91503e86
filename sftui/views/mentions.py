"""Who names what: references found once for each plane, where the store is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from engine.memory.dialect import RESPONSE, Dialect
from engine.memory.references import find
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, is_array, is_object
from sftui.views.kinds import Path

# Values looked at in one plane; beyond it the index says that it is not whole.
MOST_LOOKS: Final = 100_000
_MOST_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Index:
    """The places in one plane that name a path, by that path. `value` is the plane they were found in."""

    value: object
    places: Mapping[str, tuple[Path, ...]]
    whole: bool


Indices = Mapping[tuple[Scope, str], Index]


def indices(previous: Indices, dialect: Dialect, states: Mapping[Scope, JsonObject]) -> Indices:
    """Give the index of every plane in context; an unchanged plane keeps its own. Lazy bodies are never looked into."""
    found: dict[tuple[Scope, str], Index] = {}
    for scope, state in states.items():
        for plane in dialect.planes:
            if plane not in state or plane in dialect.lazy or plane == RESPONSE:
                continue
            known = previous.get((scope, plane))
            value = state[plane]
            found[scope, plane] = known if known is not None and known.value is value else _index(plane, value)
    return found


def _index(plane: str, value: Json) -> Index:
    if not is_small(value, MOST_LOOKS):
        return Index(value, {}, whole=False)
    places: dict[str, list[Path]] = {}
    for mention in islice(find(value, (plane,)), _MOST_KEPT):
        places.setdefault(mention.target, []).append(mention.at)
    return Index(value, {target: tuple(paths) for target, paths in places.items()}, whole=True)


def naming(known: Indices, targets: frozenset[str], scopes: tuple[Scope, ...]) -> Iterator[tuple[Scope, Path]]:
    """Give the places, in `scopes`, that name one of the `targets`."""
    for (scope, _), index in known.items():
        if scope in scopes:
            for target in targets:
                for path in index.places.get(target, ()):
                    yield scope, path


def is_small(value: Json, looks: int) -> bool:
    """Tell whether looking through `value` takes at most so many looks, and not too much text."""
    characters = looks << 6
    stack = [value]
    while stack:
        item = stack.pop()
        looks -= 1
        if is_object(item):
            looks -= len(item)
            stack.extend(item.values() if looks > 0 else ())
        elif is_array(item):
            looks -= len(item)
            stack.extend(item if looks > 0 else ())
        elif isinstance(item, str):
            characters -= len(item)
        if looks < 0 or characters < 0:
            return False
    return True
