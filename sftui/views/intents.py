"""Screen 4: what each intent owns, shares, uses and names in vain; what no intent owns; what a deletion takes along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from engine.memory.ownership import INTENTS, Cascade, Claim
from engine.memory.relations import KINDS, Kind, Relation, alone, relations, unowned
from engine.memory.scope import SCOPES, Scope, Wanted
from engine.records import dataclass, field, replace
from engine.values import Json, JsonObject, dotted, encoded_size, get, has, is_object
from sftui.views.kinds import Path, View
from sftui.views.mentions import MOST_LOOKS, is_small
from sftui.views.picture import Picture
from sftui.views.preview import gist

# A row: an intent or what is unowned in a scope, and below it one path, as it is spelled.
RowKey = tuple[str, ...]
UNOWNED: Final = "unowned"


@dataclass(frozen=True, slots=True)
class Intent:
    """One intent, everything that it names, and what of that it claims.

    One that is not `whole` is too large to be looked through in passing: nothing but what it claims is known.
    """

    scope: Scope
    name: str
    says: str
    relations: tuple[Relation, ...]
    claims: tuple[Claim, ...]
    whole: bool = True

    @property
    def key(self) -> RowKey:
        """Its row."""
        return intent_key(self.scope, self.name)

    @property
    def path(self) -> Path:
        """Where it is, below its scope."""
        return (INTENTS, self.name)

    @property
    def takes(self) -> Cascade:
        """What goes with it when it alone is deleted."""
        return alone(self.scope, self.claims)

    def count(self, kind: Kind) -> int:
        """How many places it has this to do with."""
        return sum(1 for relation in self.relations if relation.kind == kind)

    def to_json(self, goes: int | None) -> JsonObject:
        """The intent as data; `goes` is the size of what it takes along."""
        listed: dict[str, Json] = {
            kind: [_relation_json(relation) for relation in self.relations if relation.kind == kind] for kind in KINDS
        }
        takes: list[Json] = list(self.takes.paths)
        told: dict[str, Json] = {"scope": self.scope, "intent": self.name, "says": self.says, **listed}
        if not self.whole:
            told["whole"] = False
        return {**told, "deletion": {"cascaded": takes, "bytes": goes}}


@dataclass(frozen=True, slots=True)
class Goes:
    """What the deletion of an intent takes along: scoped read paths, and their sizes where these are known.

    `stays` says of the other places that it names why they stay.
    """

    paths: tuple[tuple[str, int | None], ...]
    stays: tuple[tuple[str, str], ...]

    @property
    def size(self) -> int:
        """What goes in bytes, as far as it is known."""
        return sum(size or 0 for _, size in self.paths)

    @property
    def is_measured(self) -> bool:
        """Whether every size is known."""
        return all(size is not None for _, size in self.paths)


@dataclass(frozen=True, slots=True)
class Intents:
    """Every intent of the readable scopes, the session's first, and what no intent of a scope owns, by scoped path.

    `added` are rows of intents that only a draft adds: they are told from the picture `then`, as it would be.
    """

    picture: Picture
    items: tuple[Intent, ...] = ()
    unowned: Mapping[Scope, Mapping[str, Path]] = field(default_factory=dict)
    users: Mapping[tuple[str, Path], tuple[str, ...]] = field(default_factory=dict)
    hidden: tuple[Scope, ...] = ()
    then: Picture | None = None
    added: frozenset[RowKey] = frozenset()

    def told_from(self, key: RowKey) -> Picture:
        """The picture that a row, or what is below it, is of."""
        return self.picture if self.then is None or key[:1] not in self.added else self.then

    def users_of(self, scope: Scope, path: Path) -> tuple[str, ...]:
        """The intents that name a path, or something in it, without owning it."""
        found = (*self.users.get((scope, path), ()), *self.users.get(("effective", path), ()))
        return tuple(dict.fromkeys(found))

    def size(self, scope: Scope, path: Path) -> int | None:
        """The size of what a scope holds at a path; None where that is nothing or not known yet."""
        for picture in (self.picture, self.then):
            state = None if picture is None else picture.states.get(scope)
            if picture is not None and state is not None and has(state, path):
                return picture.sizes.quick(get(state, path))
        return None

    def goes(self, item: Intent) -> int | None:
        """The size of what goes with an intent; None while some of it is not known."""
        sizes = [self.size(item.scope, path) for path in item.takes.targets]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    def to_json(self) -> JsonObject:
        """The whole of it as data."""
        intents: list[Json] = [item.to_json(self.goes(item)) for item in self.items]
        left: dict[str, Json] = {
            scope: [self._unowned_json(scope, told, path) for told, path in paths.items()]
            for scope, paths in self.unowned.items()
        }
        return {"intents": intents, "unowned": left, "unreadable": list(self.hidden)}

    def _unowned_json(self, scope: Scope, told: str, path: Path) -> JsonObject:
        users: list[Json] = list(self.users_of(scope, path))
        size = encoded_size(get(self.picture.states[scope], path))
        return {"path": told, "bytes": size, "used_by": users}


def intents(picture: Picture, wanted: Wanted = SCOPES) -> Intents:
    """Look through the intents of the wanted scopes; takes time with many, so that a screen does it beside."""
    dialect = picture.dialect
    if dialect is None:
        return Intents(picture)
    whole = picture.memory.get("effective")
    items: list[Intent] = []
    left: dict[Scope, Mapping[str, Path]] = {}
    for scope in reversed(SCOPES):
        state = picture.states.get(scope)
        if state is None or scope not in wanted:
            continue
        claims = picture.claims.get(scope, ())
        left[scope] = dict(_spelled(scope, unowned(dialect, state, claims)))
        held = state.get(INTENTS)
        by_intent: dict[str, list[Claim]] = {}
        for claim in claims:
            by_intent.setdefault(claim.intent, []).append(claim)
        for name, value in held.items() if is_object(held) else ():
            mine = by_intent.get(name, [])
            small = is_small(value, MOST_LOOKS)
            named = relations(dialect, scope, name, picture.states, whole, claims=mine, texts=small)
            items.append(Intent(scope, name, gist(value, 200)[0], named, tuple(mine), small))
    readings = {} if picture.snapshot is None else picture.snapshot.scopes
    hidden = [scope for scope in SCOPES if scope in readings and scope not in picture.states and scope in wanted]
    return Intents(picture, tuple(items), left, _users(items), tuple(hidden))


def with_added(now: Intents, then: Intents) -> Intents:
    """The intents of now, and behind those of their scope the ones that only a draft adds."""
    known = {item.key for item in now.items}
    added = [item for item in then.items if item.key not in known]
    if not added:
        return now
    items = [
        item
        for scope in reversed(SCOPES)
        for item in (*(one for one in now.items if one.scope == scope), *(one for one in added if one.scope == scope))
    ]
    return replace(now, items=tuple(items), then=then.picture, added=frozenset(item.key for item in added))


def _spelled(scope: Scope, paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Each path as it is spelled; what is above many is spelled once."""
    above: dict[Path, str] = {}
    for path in paths:
        parent = path[:-1]
        told = above.get(parent)
        if told is None:
            told = above[parent] = dotted(scope, parent)
        yield dotted(told, path[-1:]), path


def _users(items: Iterable[Intent]) -> dict[tuple[str, Path], tuple[str, ...]]:
    """Which intents name a path without owning it, by root and path; a path counts for all that hold it."""
    found: dict[tuple[str, Path], dict[str, None]] = {}
    for item in items:
        for relation in item.relations:
            if relation.kind != "used" or relation.root is None:
                continue
            for length in range(2, len(relation.path) + 1):
                found.setdefault((relation.root, relation.path[:length]), {})[item.name] = None
    return {place: tuple(names) for place, names in found.items()}


def deletion(found: Intents, item: Intent) -> Goes:
    """What the deletion of an intent takes along, by the engine's own rule, and why the rest stays."""
    taken = item.takes
    paths = tuple((told, found.size(item.scope, path)) for told, path in zip(taken.paths, taken.targets, strict=True))
    stays = tuple(
        (relation.target, why_it_stays(relation))
        for relation in item.relations
        if relation.kind in {"shared", "used"} or (relation.kind == "owned" and relation.path not in taken.targets)
    )
    return Goes(paths, stays)


def why_it_stays(relation: Relation) -> str:
    """Say why a place does not go with the intent that names it."""
    if relation.kind == "shared":
        return f"kept by {', '.join(relation.shared_with)}"
    return "used, not owned" if relation.root is not None else "outside of present memory"


# Rows.


def intent_key(scope: Scope, name: str) -> RowKey:
    """The row of an intent."""
    return (f"{scope}:{name}",)


def unowned_key(scope: Scope) -> RowKey:
    """The row of what is unowned in a scope."""
    return (f"{UNOWNED} {scope}",)


def row_of(found: Intents, view: View, path: Path) -> RowKey | None:
    """The row that has to do with a path of memory: its intent, the first one that owns it, or the unowned ones."""
    for scope in (view,) if view != "effective" else tuple(reversed(SCOPES)):
        state = found.picture.states.get(scope)
        if state is None or not has(state, path):
            continue
        if path[:1] == (INTENTS,):
            first = next((item.key for item in found.items if item.scope == scope), None)
            return intent_key(scope, str(path[1])) if len(path) > 1 else first
        for claim in found.picture.claims.get(scope, ()):
            if claim.exists and claim.path == path[: len(claim.path)]:
                return (*intent_key(scope, claim.intent), dotted(scope, claim.path))
        left = found.unowned.get(scope, {})
        for length in range(2, len(path) + 1):
            told = dotted(scope, path[:length])
            if told in left:
                return (*unowned_key(scope), told)
    return None


def _relation_json(relation: Relation) -> JsonObject:
    told: dict[str, Json] = {"path": relation.target}
    if relation.shared_with:
        told["shared_with"] = list(relation.shared_with)
    if relation.kind == "dangling":
        told["owning"] = relation.owning
    if not relation.known:
        told["known"] = False
    return told
