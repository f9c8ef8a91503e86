"""What a JSON value is here: plain dict, list, str, int, float, bool and None, shared and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, TypeGuard, Union

from engine.values.numbers import SAFE_INTEGER, format_float, format_int

# A number too wide for a double is an int; a number with a point or an exponent is a float.
Json: TypeAlias = Union[bool, int, float, str, "Mapping[str, Json]", "Sequence[Json]", None]
JsonObject: TypeAlias = Mapping[str, Json]
JsonArray: TypeAlias = Sequence[Json]

Kind: TypeAlias = Literal["object", "array", "string", "number", "boolean", "null"]

KeyPath: TypeAlias = tuple[str | int, ...]
"""Object keys are str, array positions int."""

MAX_DEPTH: Final = 200
"""Levels of nesting that are accepted: far above any memory seen, far below what exhausts a stack."""


def is_object(value: object) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[JsonArray]:
    return isinstance(value, list)


def kind(value: Json) -> Kind:
    """The JSON name of the value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    return "object" if is_object(value) else "array"


def a_kind(value: Json) -> str:
    """The same with its article: `an object`, `a string`, `null`."""
    name = kind(value)
    return name if name == "null" else f"an {name}" if name[0] in "ao" else f"a {name}"


def is_deeper(value: Json, levels: int) -> bool:
    """Whether there are more than `levels` containers within one another; found level by level, whatever the depth."""
    level: list[Json] = [value]
    for _ in range(levels + 1):
        below: list[Json] = []
        inner = False
        for node in level:
            if is_object(node):
                inner = True
                below.extend(node.values())
            elif is_array(node):
                inner = True
                below.extend(node)
        if not inner:
            return False
        level = below
    return True


def same(a: Json, b: Json) -> bool:
    """JSON equality: order of members does not count, `-0` is `0`, `1` is `1.0`, `true` is not `1`.

    Shared parts are not walked.
    """
    if a is b:
        return True
    if isinstance(a, dict):
        if not isinstance(b, dict) or len(a) != len(b):
            return False
        for key, item in a.items():  # noqa: SIM110 -- a generator would take a second frame for each level
            if key not in b or not same(item, b[key]):
                return False
        return True
    if isinstance(a, list):
        if not isinstance(b, list) or len(a) != len(b):
            return False
        return all(map(same, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return False
    if isinstance(a, float) and isinstance(b, int):
        return _same_number(a, b)
    if isinstance(a, int) and isinstance(b, float):
        return _same_number(b, a)
    return a == b


def _same_number(real: float, whole: int) -> bool:
    """Whether both are stored as the same digits. Beyond 2^53 that is neither more nor less than being equal."""
    if -SAFE_INTEGER <= whole <= SAFE_INTEGER:
        return real == whole
    return format_float(real) == format_int(whole)
