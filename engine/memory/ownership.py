"""What intents own: a structured reference inside an intent means "delete with me"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from engine.memory.collation import collation_key
from engine.memory.dialect import Dialect
from engine.memory.references import refs
from engine.memory.scope import Scope
from engine.memory.selectors import try_parse
from engine.values import Json, JsonObject, has, is_object

INTENTS: Final = "intents"

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that an intent owns. `path` starts with the plane; `shared_with` are other intents that keep it."""

    intent: str
    path: Keys
    exists: bool
    shared_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cascade:
    """What goes when intents are deleted: paths that start with the plane, in the order in which they are reported."""

    scope: Scope
    targets: tuple[Keys, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The targets as scoped read paths."""
        return tuple(spell(self.scope, target) for target in self.targets)

    @property
    def patch(self) -> JsonObject:
        """The patch that deletes them."""
        root: dict[str, Json] = {}
        for target in self.targets:
            node = root
            for key in target[:-1]:
                below = node.setdefault(key, {})
                # Targets never lie below one another, so what stands here is one of our own objects.
                assert isinstance(below, dict)
                node = below
            node[target[-1]] = None
        return root

    def covers(self, path: Iterable[str | int]) -> bool:
        """Whether `path`, which starts with the plane, is a target or below one."""
        keys = tuple(path)
        return any(keys[: len(target)] == target for target in self.targets)


def spell(scope: Scope, target: Keys) -> str:
    return ".".join((scope, *target))


def target_of(dialect: Dialect, scope: Scope, ref: str) -> Keys | None:
    """The path (plane first) that a reference in an intent of `scope` can own, or None.

    Only present paths made of keys, below an ownable plane of the same scope.
    """
    selector = try_parse(dialect, ref)
    if selector is None or selector.root != scope or selector.offset is not None:
        return None
    keys = tuple(step for step in selector.steps if isinstance(step, str))
    if len(keys) != len(selector.steps) or len(keys) < 2 or keys[0] not in dialect.ownable:
        return None
    return keys


def cascade(
    dialect: Dialect, scope: Scope, before: JsonObject, after: JsonObject, *, among: Iterable[str] | None = None
) -> Cascade:
    """What the deletion of intents between `before` and `after` takes along, out of `after`.

    `among` names the only intents that can have gone, where that is known. Kept is what a remaining intent refers to,
    or anything above or below it, whether or not its own target exists.
    """
    gone, remaining = _members(before), _members(after)
    deleted = [name for name in (gone if among is None else among) if name in gone and name not in remaining]
    wanted = {
        target for name in deleted for target in _targets(dialect, scope, gone[name]) if _exists(after, target)
    }
    if not wanted:
        return Cascade(scope, ())
    kept = {target for value in remaining.values() for target in _targets(dialect, scope, value)}
    free = [target for target in wanted if not any(_related(target, other) for other in kept)]
    top = [target for target in free if not any(target[:n] in wanted for n in range(1, len(target)))]
    return Cascade(scope, tuple(sorted(top, key=lambda target: collation_key(spell(scope, target)))))


def owned(dialect: Dialect, scope: Scope, state: JsonObject) -> tuple[Claim, ...]:
    """Every claim of the intents of one scope, in their order."""
    intents = _members(state)
    targets = {name: tuple(dict.fromkeys(_targets(dialect, scope, value))) for name, value in intents.items()}
    return tuple(
        Claim(
            name,
            target,
            _exists(state, target),
            tuple(
                other
                for other, others in targets.items()
                if other != name and any(_related(target, theirs) for theirs in others)
            ),
        )
        for name, mine in targets.items()
        for target in mine
    )


def owned_paths(dialect: Dialect, scope: Scope, state: JsonObject) -> tuple[Keys, ...]:
    """The existing paths that intents own, without those below another: no value is counted twice."""
    there = {claim.path for claim in owned(dialect, scope, state) if claim.exists}
    return tuple(sorted(path for path in there if not any(path[:n] in there for n in range(1, len(path)))))


def _members(state: JsonObject) -> JsonObject:
    intents = state.get(INTENTS)
    return intents if is_object(intents) else {}


def _targets(dialect: Dialect, scope: Scope, intent: Json) -> Iterator[Keys]:
    for ref in refs(intent):
        target = target_of(dialect, scope, ref)
        if target is not None:
            yield target


def _exists(state: JsonObject, target: Keys) -> bool:
    return has(state, target)


def _related(one: Keys, other: Keys) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
