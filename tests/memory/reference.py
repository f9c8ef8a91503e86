"""Memory worked out the long way, for comparison: everything is copied, nothing is shared, nothing is clever."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from engine.memory.scope import SCOPES, Scope

SLOT = re.compile(r"\[(0|[1-9][0-9]*)\]")
INHERITED = ("__proto__", "constructor", "toString")


class Refused(Exception):
    """The reference says no."""


def patched(value: Any, patch: Any, *, inherited: bool = False, absent: bool = False) -> Any:
    """`value` with `patch` applied, by the letter of the description. Raises Refused. `absent`: there is no value."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    if not absent and isinstance(value, list) and patch and all(SLOT.fullmatch(key) for key in patch):
        slots = copy.deepcopy(value)
        for key, wanted in patch.items():
            index = int(key[1:-1])
            if wanted is None or index >= len(slots):
                raise Refused
            slots[index] = patched(slots[index], wanted)
        return slots
    result = copy.deepcopy(value) if not absent and isinstance(value, dict) else {}
    for key, wanted in patch.items():
        if wanted is None:
            result.pop(key, None)
            continue
        lacking = key not in result
        if lacking and deletes_only(wanted) and key not in INHERITED:
            continue
        result[key] = patched(result.get(key), wanted, absent=lacking)
    return result


def deletes_only(patch: Any) -> bool:
    """Whether a patch creates nothing where nothing is: deletions, and objects of nothing else."""
    return (
        isinstance(patch, dict)
        and bool(patch)
        and all(wanted is None or (deletes_only(wanted) and key not in INHERITED) for key, wanted in patch.items())
    )


def pruned(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: pruned(member) for key, member in value.items()}
        return {key: member for key, member in kept.items() if member != {} or isinstance(member, list)}
    return [pruned(member) for member in value] if isinstance(value, list) else value


def effective(planes: tuple[str, ...], states: Mapping[Scope, Any]) -> Any:
    """The view of three scopes; raises Refused."""
    view: dict[str, Any] = {}
    for plane in planes:
        for scope in SCOPES:
            stored = states[scope].get(plane)
            if stored is None or (plane == "response" and stored == ""):
                continue
            view[plane] = patched(view[plane], stored) if plane in view else copy.deepcopy(stored)
    return view


def found(value: Any, path: tuple[str | int, ...]) -> tuple[bool, Any]:
    """Whether something is at a path, and what."""
    for key in path:
        named = isinstance(value, dict) and isinstance(key, str) and key in value
        if not named and not (isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value)):
            return False, None
        value = value[key]
    return True, value


def paths(value: Any, before: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every path in a value, the empty one aside."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    listed: list[tuple[str | int, ...]] = []
    for key, member in members:
        here: tuple[str | int, ...] = (*before, key)
        listed += [here, *paths(member, here)]
    return listed
