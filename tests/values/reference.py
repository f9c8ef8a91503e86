"""Plain second versions of what the engine does to values, written apart from it: whole copies, no sharing."""

from __future__ import annotations

import copy
import json
import re
from decimal import Decimal
from typing import Any

from engine.values import Json

INHERITED = (
    *("__proto__", "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
    *("toString", "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
)


class Refused(Exception):
    """The patch is not applied."""


def js_keys(names: Any) -> list[str]:
    """Members as JavaScript lists them."""
    index = re.compile(r"0|[1-9][0-9]{0,9}")
    numeric = sorted((int(name), name) for name in names if index.fullmatch(name) and int(name) < 2**32 - 1)
    front = [name for _, name in numeric]
    return front + [name for name in names if name not in front]


def merged(state: Any, patch: Any) -> tuple[Any, list[tuple[str, str]]]:
    """The patched state and the deletions that missed, as pairs of pointers."""
    missing: list[tuple[str, str]] = []
    result = copy.deepcopy(state)
    _patch_object(result, copy.deepcopy(patch), [], state, missing)
    return result, missing


def _patch_object(target: dict[str, Any], patch: dict[str, Any], way: list[str], state: Any, missing: Any) -> bool:
    """Change `target` in place. Returns whether anything was set or removed in it."""
    did = False
    for key in js_keys(patch):
        wanted = patch[key]
        path = [*way, key]
        if wanted is None:
            if key in target:
                del target[key]
                did = True
            else:
                missing.append((_pointer(path), _first_gone(state, path)))
        elif not isinstance(wanted, dict):
            target[key] = wanted
            did = True
        elif key in target:
            target[key] = _patch_present(target[key], wanted, path, state, missing)
            did = True
        else:
            fresh: dict[str, Any] = {}
            made = _patch_object(fresh, wanted, path, state, missing)
            if made or not wanted or key in INHERITED:
                target[key] = fresh
                did = True
    return did


def _patch_present(old: Any, wanted: dict[str, Any], path: list[str], state: Any, missing: Any) -> Any:
    if isinstance(old, list) and wanted and all(re.fullmatch(r"\[(0|[1-9][0-9]*)\]", key) for key in wanted):
        for key in js_keys(wanted):
            at = int(key[1:-1])
            if wanted[key] is None or at >= len(old):
                raise Refused
            if isinstance(wanted[key], dict):
                old[at] = _patch_present(old[at], wanted[key], [*path, str(at)], state, missing)
            else:
                old[at] = wanted[key]
        return old
    target = old if isinstance(old, dict) else {}
    _patch_object(target, wanted, path, state, missing)
    return target


def _pointer(path: list[str]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def _first_gone(state: Any, path: list[str]) -> str:
    """The first part of a path that the state before the patch does not hold, or that is no container of the next."""
    node = state
    for depth, part in enumerate(path):
        if isinstance(node, dict) and part in node:
            node = node[part]
        elif isinstance(node, list) and _is_slot_step(state, path, depth):
            node = node[int(part)]
        else:
            return _pointer(path[:depth] if depth and not isinstance(node, dict) else path[: depth + 1])
    raise AssertionError("nothing is missing")


def _is_slot_step(state: Any, path: list[str], depth: int) -> bool:
    return path[depth].isdigit() and depth + 1 < len(path)


def pruned(value: Any) -> Any:
    """Without empty object members."""
    if isinstance(value, dict):
        kept = {key: pruned(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item != {} or isinstance(item, list)}
    if isinstance(value, list):
        return [pruned(item) for item in value]
    return value


def equal(a: Any, b: Any) -> bool:
    """JSON equality by way of text."""
    return stored(a) == stored(b)


def stored(value: Any, *, rounded: bool = False) -> str:
    """The canonical text; `rounded` as JavaScript would see the integers."""
    if isinstance(value, dict):
        members = sorted((_order(key), key) for key in value)
        return "{" + ",".join(f"{_quoted(key)}:{stored(value[key], rounded=rounded)}" for _, key in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(stored(item, rounded=rounded) for item in value) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int) and not isinstance(value, bool) and rounded and abs(value) < 2**1000:
        return _number(float(value))
    return json.dumps(value)


def _order(key: str) -> tuple[int, int, bytes]:
    if re.fullmatch(r"0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1:
        return (0, int(key), b"")
    return (1, 0, key.encode("utf-16-be", "surrogatepass"))


def _quoted(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    out = ""
    for char in units:
        if char in '"\\':
            out += "\\" + char
        elif char in "\b\t\n\f\r":
            out += "\\" + "btn?fr"[ord(char) - 8]
        elif char < " " or "\ud800" <= char <= "\udfff":
            out += f"\\u{ord(char):04x}"
        else:
            out += char
    return '"' + out + '"'


def _number(value: float) -> str:
    """The layout that ECMAScript prescribes for a double, from the shortest digits."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if text == "0":
        return "0"
    if 0 < point <= 21:
        body = text.ljust(point, "0") if len(text) <= point else text[:point] + "." + text[point:]
    elif -6 < point <= 0:
        body = "0." + "0" * -point + text
    else:
        body = text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1:+d}"
    return ("-" if sign else "") + body


def differences(before: Json, after: Json, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """The paths of the smallest places that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        found: set[tuple[str | int, ...]] = set()
        for key in {*before, *after}:
            if key in before and key in after:
                found |= differences(before[key], after[key], (*path, key))
            else:
                found.add((*path, key))
        return found
    if isinstance(before, list) and isinstance(after, list):
        found = set()
        for index in range(max(len(before), len(after))):
            if index < len(before) and index < len(after):
                found |= differences(before[index], after[index], (*path, index))
            else:
                found.add((*path, index))
        return found
    return set() if equal(before, after) else {path}
