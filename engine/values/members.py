"""Members of a decoded value that hold a text, at any depth: looked for in short steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias, cast

from engine.values.encode import encode
from engine.values.needle import Needle
from engine.values.types import Json, JsonArray, JsonObject, is_array, is_object

# Members looked at between two chances to stop: less than a millisecond of work.
_STEP: Final = 1_000
# Texts of a short array are looked through together: most hold nothing.
_TOGETHER: Final = 64

Member: TypeAlias = tuple[tuple[str | int, ...], Json, bool]
"""(path, what stands there, whether it is the last key that holds the text)."""


def spelled(value: Json) -> str:
    """A scalar as it is looked for: a text as it reads, anything else as JSON spells it."""
    return value if isinstance(value, str) else encode(value).decode("utf-8", "surrogatepass")


def members(root: JsonObject, sought: Needle) -> Iterator[Member | None]:
    """Each member, at any depth and in reading order, whose key holds the text or that is a scalar which does.

    None now and then while there is none.
    """
    matches, scalars = sought.matches, sought.may_be_scalar
    steps = 0
    stack: list[tuple[tuple[str | int, ...], Iterator[tuple[str | int, Json]]]] = [((), iter(root.items()))]
    while stack:
        above, rest = stack[-1]
        for key, value in rest:
            steps += 1
            if steps >= _STEP:
                steps = 0
                yield None
            hit = isinstance(key, str) and matches(key)
            if isinstance(value, str):
                if hit or matches(value):
                    yield (*above, key), value, hit
            elif is_object(value):
                if hit:
                    yield (*above, key), value, True
                stack.append(((*above, key), iter(value.items())))
                break
            elif is_array(value):
                if hit:
                    yield (*above, key), value, True
                if len(value) <= _TOGETHER and (texts := joined(value)) is not None and not matches(texts):
                    steps += len(value)
                    continue
                stack.append(((*above, key), iter(enumerate(value))))
                break
            elif hit or (scalars and matches(spelled(value))):
                yield (*above, key), value, hit
        else:
            stack.pop()


def joined(array: JsonArray) -> str | None:
    """All texts of an array in one, which holds whatever one of them does; None where there is anything else in it."""
    try:
        return "\0".join(cast("list[str]", array))
    except TypeError:
        return None
