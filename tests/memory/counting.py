"""Containers that know whether anybody looked into them, and refuse to change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from engine.values import Json


class Watch:
    """Counts the containers that were visited, each once however often."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    @property
    def visited(self) -> int:
        return len(self.seen)


class WatchedObject(dict[str, Json]):
    watch: Watch


class WatchedArray(list[Json]):
    watch: Watch


def watched(value: Any, watch: Watch) -> Any:
    """A copy of a JSON value in containers that report to `watch`."""
    if isinstance(value, dict):
        copy = WatchedObject((key, watched(member, watch)) for key, member in value.items())
        copy.watch = watch
        return copy
    if isinstance(value, list):
        row = WatchedArray(watched(member, watch) for member in value)
        row.watch = watch
        return row
    return value


def _reported(name: str, base: type) -> Callable[..., Any]:
    original = getattr(base, name)

    def method(self: Any, *arguments: Any) -> Any:
        self.watch.seen.add(id(self))
        return original(self, *arguments)

    return method


def _refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a shared value was changed")


for _name in ("__getitem__", "__iter__", "get", "items", "keys", "values", "__contains__"):
    setattr(WatchedObject, _name, _reported(_name, dict))
for _name in ("__setitem__", "__delitem__", "clear", "pop", "popitem", "setdefault", "update", "__ior__"):
    setattr(WatchedObject, _name, _refuse)
for _name in ("__getitem__", "__iter__", "__contains__"):
    setattr(WatchedArray, _name, _reported(_name, list))
for _name in (
    "__setitem__",
    "__delitem__",
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "remove",
    "sort",
    "reverse",
    "__iadd__",
):
    setattr(WatchedArray, _name, _refuse)
