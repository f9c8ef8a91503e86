"""One value laid over another: how a narrower scope's memory covers a broader one's."""

from __future__ import annotations

from engine.errors import InvalidRequest
from engine.values import Json, JsonObject, KeyPath, dotted, is_array, is_object, slot


def lay_over(low: Json, high: Json, path: KeyPath = ()) -> Json:
    """`high` over `low`, both free of nulls: objects merge, anything else replaces.

    An object whose keys all have the form `[N]` changes the elements of an array; every element must exist
    (InvalidRequest "index-unavailable", named under `path`).
    """
    result: list[Json] = [None]
    # Each entry: the container being built (a fresh copy), the key in it, what lies there, what is laid over it, where.
    pending: list[tuple[dict[str, Json] | list[Json], str | int, Json, Json, KeyPath]] = [(result, 0, low, high, path)]
    while pending:
        target, key, below, above, where = pending.pop()
        if is_object(above) and is_object(below) and below:
            merged = dict(below)
            _put(target, key, merged if above else below)
            for name, value in above.items():
                if name not in below:
                    merged[name] = value
                elif below[name] is not value:
                    pending.append((merged, name, below[name], value, (*where, name)))
        elif is_object(above) and is_array(below) and is_selection(above):
            elements = list(below)
            _put(target, key, elements)
            for name, value in above.items():
                index = element(name, len(elements), where)
                pending.append((elements, index, below[index], value, (*where, index)))
        else:
            _put(target, key, above)
    return result[0]


def is_selection(value: JsonObject) -> bool:
    """Whether every key of a (not empty) object selects an array element."""
    return bool(value) and all(slot(key) is not None for key in value)


def _put(target: dict[str, Json] | list[Json], key: str | int, value: Json) -> None:
    target[key] = value  # type: ignore[index]


def element(key: str, length: int, where: KeyPath) -> int:
    index = slot(key)
    if index is None or index >= length:
        raise InvalidRequest(
            "index-unavailable",
            f"A narrower scope changes element {key} of an array that has {length}",
            path=dotted("effective", where),
            hint="Each scope can still be read by itself",
        )
    return index
