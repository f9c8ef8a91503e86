"""What intents own: a structured reference inside an intent means "delete with me"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Final, TypeAlias, Union

from engine.memory.collation import collation_key
from engine.memory.dialect import Dialect
from engine.memory.references import refs
from engine.memory.scope import Scope
from engine.memory.selectors import try_parse
from engine.records import dataclass
from engine.values import Json, JsonObject, has, is_object

INTENTS: Final = "intents"

Keys = tuple[str, ...]
_Deletions: TypeAlias = dict[str, Union["_Deletions", None]]


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
        root: _Deletions = {}
        for target in self.targets:
            node = root
            for key in target[:-1]:
                below = node.get(key)
                if below is None:
                    below = node[key] = {}
                node = below
            node[target[-1]] = None
        return root

    def covers(self, path: Iterable[str | int]) -> bool:
        """Whether `path`, which starts with the plane, is a target or below one."""
        return self.coverage()(path)

    def coverage(self) -> Callable[[Iterable[str | int]], bool]:
        """`covers`, to be asked of many paths."""
        targets: frozenset[tuple[str | int, ...]] = frozenset(self.targets)

        def covers(path: Iterable[str | int]) -> bool:
            keys = tuple(path)
            return any(keys[:length] in targets for length in range(1, len(keys) + 1))

        return covers


def spell(scope: Scope, target: Keys) -> str:
    return ".".join((scope, *target))


def target_of(dialect: Dialect, scope: Scope, ref: str) -> Keys | None:
    """The path (plane first) that a reference in an intent of `scope` can own, or None.

    Only present paths made of keys, below an ownable plane of the same scope.
    """
    selector = try_parse(dialect, ref)
    if selector is None or selector.root != scope or selector.offset is not None:
        return None
    keys = selector.keys
    return keys if keys is not None and len(keys) > 1 and keys[0] in dialect.ownable else None


def named_by(dialect: Dialect, scope: Scope, ref: str) -> Keys | None:
    """The keys along which a reference reaches into an ownable plane of `scope`, or None.

    More than can be owned: a whole plane is above all that it holds, and an array element below its array.
    """
    selector = try_parse(dialect, ref)
    if selector is None or selector.root != scope or selector.offset is not None:
        return None
    keys = tuple(takewhile(lambda step: isinstance(step, str), selector.steps))
    named = tuple(key for key in keys if isinstance(key, str))
    return named if named and named[0] in dialect.ownable else None


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
        target for name in deleted for target in _paths(dialect, scope, gone[name], target_of) if has(after, target)
    }
    if not wanted:
        return Cascade(scope, ())
    kept = {named for value in remaining.values() for named in _paths(dialect, scope, value, named_by)}
    above = {named[:n] for named in kept for n in range(1, len(named) + 1)}
    free = {t for t in wanted if t not in above and not any(t[:n] in kept for n in range(1, len(t)))}
    top = [target for target in free if not any(target[:n] in free for n in range(1, len(target)))]
    return Cascade(scope, tuple(sorted(top, key=lambda target: collation_key(spell(scope, target)))))


class Holdings:
    """Who names what among the intents of one scope, kept up as they come and go.

    Who names exactly a path, and who names it or anything below it, are looked up: each claim is compared with its own
    line alone.
    """

    def __init__(self, dialect: Dialect, scope: Scope, state: JsonObject) -> None:
        self._dialect, self._scope = dialect, scope
        self._named: dict[str, frozenset[Keys]] = {}
        self._rank: dict[str, int] = {}
        self._exactly: dict[Keys, set[str]] = {}
        self._within: dict[Keys, set[str]] = {}
        for name, value in _members(state).items():
            self._add(name, value)

    def renew(self, name: str, state: JsonObject) -> None:
        """The intent may have become another one, come or gone."""
        for path in self._named.pop(name, ()):
            self._exactly[path].discard(name)
            for length in range(1, len(path) + 1):
                self._within[path[:length]].discard(name)
        intents = _members(state)
        if name in intents:
            self._add(name, intents[name])
        else:
            self._rank.pop(name, None)

    def _add(self, name: str, value: Json) -> None:
        self._named[name] = frozenset(_paths(self._dialect, self._scope, value, named_by))
        self._rank.setdefault(name, 1 + next(reversed(self._rank.values()), 0))
        for path in self._named[name]:
            self._exactly.setdefault(path, set()).add(name)
            for length in range(1, len(path) + 1):
                self._within.setdefault(path[:length], set()).add(name)

    def claims(self, name: str, state: JsonObject) -> Iterator[Claim]:
        """What one intent claims."""
        value = _members(state).get(name)
        for target in dict.fromkeys(_paths(self._dialect, self._scope, value, target_of)):
            exactly = (self._exactly.get(target[:n], ()) for n in range(1, len(target)))
            others = self._within.get(target, set()).union(*exactly)
            shared = tuple(sorted(others - {name}, key=self._rank.__getitem__))
            yield Claim(name, target, has(state, target), shared)


def owned(dialect: Dialect, scope: Scope, state: JsonObject) -> tuple[Claim, ...]:
    """Every claim of the intents of one scope, in their order."""
    holdings = Holdings(dialect, scope, state)
    return tuple(claim for name in _members(state) for claim in holdings.claims(name, state))


def owned_paths(dialect: Dialect, scope: Scope, state: JsonObject) -> tuple[Keys, ...]:
    """The existing paths that intents own, without those below another: no value is counted twice."""
    there = {claim.path for claim in owned(dialect, scope, state) if claim.exists}
    return tuple(sorted(path for path in there if not any(path[:n] in there for n in range(1, len(path)))))


def _members(state: JsonObject) -> JsonObject:
    intents = state.get(INTENTS)
    return intents if is_object(intents) else {}


def _paths(
    dialect: Dialect, scope: Scope, intent: Json, read: Callable[[Dialect, Scope, str], Keys | None]
) -> Iterator[Keys]:
    for ref in refs(intent):
        path = read(dialect, scope, ref)
        if path is not None:
            yield path
