"""References in memory: `{"$ref": path}` objects and `$path` mentions in text.

They are plain JSON. Only two things are ever done with them: a caller who wants one owner may write flat ones, which
are anchored to it, and a read of something missing may say who names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from engine.memory.collation import collation_key
from engine.memory.dialect import RESPONSE, Dialect
from engine.memory.scope import SCOPES, Scope
from engine.memory.selectors import EFFECTIVE, Selector, try_parse
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, enumeration_order, is_array, is_object

REF: Final = "$ref"
# A reverse look-up stops after this many owners, and after looking at this many values.
MOST_OWNERS: Final = 3
MOST_VISITS: Final = 20_000

# What would continue a path: a mention that goes on names something else.
_GOES_ON = r"(?![A-Za-z0-9_$.\[-])"


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in memory that names `target`: a structured reference (`at` is its object) or a text."""

    at: KeyPath
    target: str
    structured: bool


@dataclass(frozen=True, slots=True)
class Owner:
    """A current value that names a path. `path` is how it is shown, `scope` where it lives."""

    scope: Scope
    path: str
    structured: bool


@dataclass(frozen=True, slots=True)
class Owners:
    """What a reverse look-up found, structured first. `truncated`: it stopped before it had seen everything."""

    owners: tuple[Owner, ...]
    truncated: bool


def find(value: Json, at: KeyPath = ()) -> Iterator[Mention]:
    """Every structured reference in `value`, and every `$path` in its texts, in order."""
    for path, node in _walk(value, at):
        target = ref_of(node)
        if target is not None:
            yield Mention(path, target, structured=True)
        elif isinstance(node, str):
            for mention in MENTION.finditer(node):
                yield Mention(path, mention.group(1), structured=False)


def ref_of(value: Json) -> str | None:
    """The text of a structured reference, or None if `value` is none."""
    if not is_object(value):
        return None
    target = value.get(REF)
    return target if isinstance(target, str) else None


def refs(value: Json) -> Iterator[str]:
    """The texts of all structured references in `value`, in order."""
    for _, node in _walk(value, ()):
        target = ref_of(node)
        if target is not None:
            yield target


def anchor(dialect: Dialect, scope: Scope, value: Json) -> Json:
    """`value` with its flat references bound to `scope`: what a caller means who wants only that owner."""
    return _map_refs(value, partial(_anchored, dialect, scope))


def relative(dialect: Dialect, scope: Scope, value: Json) -> Json:
    """The reverse of `anchor`: present references into `scope` shown flat; all others keep their text."""
    return _map_refs(value, partial(_relative, dialect, scope))


def relative_path(dialect: Dialect, scope: Scope, path: str) -> str:
    """A shown path without the name of its only owner, where that leaves a path into a plane."""
    rest = path.removeprefix(f"{scope}.")
    plane = re.split(r"[.\[]", rest, maxsplit=1)[0]
    return rest if plane in dialect.planes else path


def owners(dialect: Dialect, states: Mapping[Scope, JsonObject], spellings: Iterable[str]) -> Owners:
    """Who names one of the `spellings` of a path in current memory: at most three, from a bounded look.

    Answers are never looked into, and nothing but the places is reported.
    """
    targets = frozenset(spellings)
    mention = re.compile(r"\$(?:" + "|".join(re.escape(target) for target in sorted(targets)) + ")" + _GOES_ON)
    found: list[Owner] = []
    visits = 0
    for scope in SCOPES:
        state = states.get(scope)
        for plane in dialect.patchable if state else ():
            if state is None or plane not in state:
                continue
            for path, node in _walk(state[plane], (plane,), skip=RESPONSE):
                visits += 1
                if visits > MOST_VISITS:
                    return _ranked(found, truncated=True)
                structured = ref_of(node) in targets
                if structured or (isinstance(node, str) and mention.search(node) is not None):
                    found.append(Owner(scope, _shown(scope, path), structured))
                    if len(found) == MOST_OWNERS:
                        return _ranked(found, truncated=True)
    return _ranked(found, truncated=False)


def spellings(selector: Selector, text: str) -> tuple[str, ...]:
    """How memory may name the path that was asked for as `text`: as it stands, a flat one also below effective."""
    return (text, f"{EFFECTIVE}.{text}") if selector.flat else (text,)


MENTION = re.compile(
    r"\$([A-Za-z_$][A-Za-z0-9_$-]*(?:\[[0-9]+\])?(?:\.[A-Za-z_$][A-Za-z0-9_$-]*|\[[0-9]+(?:(?::|\.\.)[0-9]+)?\])*)"
)


def _ranked(found: list[Owner], *, truncated: bool) -> Owners:
    ranked = sorted(found, key=lambda owner: (not owner.structured, collation_key(owner.path)))
    return Owners(tuple(ranked), truncated)


def _walk(value: Json, at: KeyPath, *, skip: str | None = None) -> Iterator[tuple[KeyPath, Json]]:
    """Every value from `value` down, parents first, in enumeration order; without members named `skip`.

    Takes no more steps than its caller does, however wide or deep the value is.
    """
    yield at, value
    pending = [(at, _members(value, skip))]
    while pending:
        path, members = pending[-1]
        for key, member in members:
            here = (*path, key)
            yield here, member
            if is_object(member) or is_array(member):
                pending.append((here, _members(member, skip)))
                break
        else:
            pending.pop()


def _members(value: Json, skip: str | None) -> Iterator[tuple[str | int, Json]]:
    if is_object(value):
        for key in enumeration_order(value):
            if key != skip:
                yield key, value[key]
    elif is_array(value):
        yield from enumerate(value)


def _shown(scope: Scope, path: KeyPath) -> str:
    """The path as it is shown, keys as they are: it is meant for eyes, and may not be readable as a path."""
    return scope + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


def _anchored(dialect: Dialect, scope: Scope, target: str) -> str:
    selector = try_parse(dialect, target)
    return f"{scope}.{target}" if selector is not None and selector.flat else target


def _relative(dialect: Dialect, scope: Scope, target: str) -> str:
    selector = try_parse(dialect, target)
    if selector is None or selector.root != scope or selector.offset is not None or not selector.steps:
        return target
    if selector.steps[0] not in dialect.planes:
        return target
    return target.removeprefix(f"{scope}.")


def _map_refs(value: Json, change: Callable[[str], str]) -> Json:
    """`value` with the text of every structured reference changed; parts without any keep their identity."""
    if is_object(value):
        result: dict[str, Json] | None = None
        for key, member in value.items():
            if key == REF and isinstance(member, str):
                text = change(member)
                new: Json = member if text == member else text
            else:
                new = _map_refs(member, change)
            if new is not member:
                result = dict(value) if result is None else result
                result[key] = new
        return value if result is None else result
    if is_array(value):
        slots = [_map_refs(slot, change) for slot in value]
        return value if all(new is old for new, old in zip(slots, value, strict=True)) else slots
    return value
