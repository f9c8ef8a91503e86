"""Paths into a value, their spellings, and the two orders of keys."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, TypeAlias

from engine.errors import InvalidRequest
from engine.values.types import Json, KeyPath, is_array, is_object

_ADDRESSABLE: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_SLOT: Final = re.compile(r"\[(0|[1-9][0-9]*)\]")
_INDEX_LIMIT: Final = 4294967294
_INDEX_DIGITS: Final = 10

KeyTrie: TypeAlias = Mapping[str | int, "KeyTrie | None"]
"""A set of paths as nested mappings. None stands for its path and everything below it; `{}` is the empty set."""


def pointer(path: Iterable[str | int]) -> str:
    """The JSON Pointer of a path; the empty path is ''."""
    return "".join(["/" + str(key).replace("~", "~0").replace("/", "~1") for key in path])


def parse_pointer(text: str) -> tuple[str, ...]:
    """The keys of a JSON Pointer, all as str (it does not tell a key `0` from a position).

    Raises InvalidRequest `bad-pointer`.
    """
    if not text:
        return ()
    if not text.startswith("/") or re.search(r"~(?![01])", text):
        raise InvalidRequest("bad-pointer", "not a JSON Pointer", path=text)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/"))


def is_addressable(key: str) -> bool:
    """Whether a path of a read can name this key."""
    return _ADDRESSABLE.fullmatch(key) is not None


def slot(key: str) -> int | None:
    """The array position that a patch key `[N]` names, else None."""
    found = _SLOT.fullmatch(key)
    if found is None:
        return None
    digits = found[1]
    # Beyond any list that fits in memory; kept short so that no digit limit can bite.
    return int(digits) if len(digits) <= 18 else 10**18


def dotted(root: str, path: Iterable[str | int]) -> str:
    """`cwd.lazy.memory[4]`; keys that a read cannot name appear as `["..."]`. `root` may be empty."""
    from engine.values.canonical import canonical

    text = root
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        elif is_addressable(key):
            text += f".{key}" if text else key
        else:
            text += f"[{canonical(key)}]"
    return text


class _Nothing(Enum):
    """Marks that no default was given."""

    NOTHING = 0


_NOTHING: Final = _Nothing.NOTHING


def get(value: Json, path: Iterable[str | int], default: Json | _Nothing = _NOTHING) -> Json:
    """The value at a path; where there is none, `default`, or LookupError without one."""
    for key in path:
        if isinstance(key, str) and is_object(value) and key in value:
            value = value[key]
            continue
        if isinstance(key, int) and is_array(value) and 0 <= key < len(value):
            value = value[key]
            continue
        if default is _NOTHING:
            raise LookupError("no such path")
        return default
    return value


def has(value: Json, path: Iterable[str | int]) -> bool:
    """Whether there is a value, null included, at a path."""
    try:
        get(value, path)
    except LookupError:
        return False
    return True


def related(one: KeyPath, other: KeyPath) -> bool:
    """Whether one of two paths leads to the other, or through it, or they are the same."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def trie(paths: Iterable[Iterable[str | int]]) -> KeyTrie | None:
    """The set of these paths; a path above another swallows it, and the empty path is all (None)."""
    found: KeyTrie | None = {}
    for path in paths:
        single: KeyTrie | None = None
        for key in reversed(tuple(path)):
            single = {key: single}
        found = join_tries(found, single)
    return found


def join_tries(a: KeyTrie | None, b: KeyTrie | None) -> KeyTrie | None:
    """The union of two sets of paths."""
    if a is None or b is None:
        return None
    return {**a, **{key: join_tries(a[key], below) if key in a else below for key, below in b.items()}}


def trie_paths(tree: KeyTrie | None) -> tuple[KeyPath, ...]:
    """The topmost paths of a set, in its order."""
    if tree is None:
        return ((),)
    return tuple((key, *rest) for key, below in tree.items() for rest in trie_paths(below))


def is_index(key: str) -> bool:
    """Whether JavaScript takes a key for an array index: `0` to `4294967294` without a leading zero."""
    return (
        key.isascii()
        and key.isdigit()
        and len(key) <= _INDEX_DIGITS
        and (key[0] != "0" or len(key) == 1)
        and int(key) <= _INDEX_LIMIT
    )


def enumeration_order(keys: Iterable[str]) -> list[str]:
    """The order in which JavaScript lists members: indexes by number, then the rest as they were added."""
    listed = list(keys)
    indexes = [key for key in listed if key[:1].isdigit() and is_index(key)]
    if not indexes:
        return listed
    taken = set(indexes)
    return sorted(indexes, key=int) + [key for key in listed if key not in taken]


def utf16_order(keys: Iterable[str]) -> list[str]:
    """Canonical order: indexes by number, then the rest by UTF-16 code units."""
    ordered = sorted(keys)
    text = "".join(ordered)
    if not text.isascii() and max(text) >= "\ud800":
        ordered.sort(key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    # All index-like keys lie between these two, whichever way the rest was sorted.
    low, high = bisect_left(ordered, "0"), bisect_left(ordered, ":")
    if low == high:
        return ordered
    return enumeration_order(ordered)
