"""The effective value: global under cwd under session. Whole, or along one path, with who provides what there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.errors import InvalidRequest
from engine.memory.artifacts import shown_cards
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect
from engine.memory.layering import element, is_selection, lay_over
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, is_array, is_object, merge, prune

States = Mapping[Scope, JsonObject]


@dataclass(frozen=True, slots=True)
class Masked:
    """What a scope stores at a path without its showing there."""

    scope: Scope
    value: Json


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the effective value at `path` comes from.

    `providers` contribute to it, broad to narrow, and `winner` is the last of them: its members win. `masked` are
    values stored at the path that do not show. `revealed` says what shows at the path once the winner's own value is
    deleted there: one entry, the next winner and the value then effective, or none. A scope cannot delete an element
    of its own array, so there nothing is revealed. `breaks`: that deletion would leave an array patch without its
    array, and so no effective view at all.
    """

    path: KeyPath
    providers: tuple[Scope, ...]
    winner: Scope | None
    masked: tuple[Masked, ...]
    revealed: Mapping[Scope, Json]
    exists: bool
    value: Json
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class _Layer:
    scope: Scope
    value: Json


@dataclass(frozen=True, slots=True)
class _Node:
    """One place in the overlay: the layers that make up its value, the lowest first, and those that are hidden."""

    shown: tuple[_Layer, ...]
    hidden: tuple[_Layer, ...]


def scope_view(dialect: Dialect, state: JsonObject) -> JsonObject:
    """What one scope shows by itself: its planes in reading order, without an empty answer or unknown members."""
    return {
        plane: state[plane]
        for plane in dialect.planes
        if plane in state and not (plane == RESPONSE and state[plane] == "")
    }


def effective(dialect: Dialect, states: States) -> JsonObject:
    """The composed planes in reading order, absent ones left out. Shares every subtree that one scope provides.

    Raises InvalidRequest "index-unavailable" where a scope patches an array element that no lower scope provides.
    """
    view: dict[str, Json] = {}
    for plane in dialect.planes:
        layers = _plane_layers(states, plane)
        if layers:
            view[plane] = _folded(layers, (plane,))
    return view


def overlay(dialect: Dialect, states: States) -> JsonObject:
    """All planes with their defaults, and members outside the planes as plain merging leaves them.

    The answer is the last one stored here, even when it is empty.
    """
    whole: dict[str, Json] = {}
    for plane in dialect.planes:
        stored = [_Layer(scope, states[scope][plane]) for scope in SCOPES if scope in states and plane in states[scope]]
        whole[plane] = _folded(stored, (plane,)) if stored else dialect.default(plane)
    extra: JsonObject = {}
    for scope in SCOPES:
        if scope in states:
            unknown = {key: value for key, value in states[scope].items() if key not in whole}
            if unknown:
                extra = merge(extra, unknown).value
    return {**whole, **extra}


def defaulted(dialect: Dialect, view: JsonObject) -> JsonObject:
    """A sparse view with every absent plane filled in."""
    return {plane: view.get(plane, dialect.default(plane)) for plane in dialect.planes}


def hot(dialect: Dialect, view: JsonObject) -> JsonObject:
    """What a read of the root shows of a sparse view: no lazy planes, artifact cards without their bookkeeping."""
    return {
        plane: shown_cards(value) if plane == ARTIFACTS else value
        for plane, value in view.items()
        if plane not in dialect.lazy
    }


def model(dialect: Dialect, view: JsonObject) -> JsonObject:
    """The hot view without its empty objects, as a model is given it."""
    pruned = prune(hot(dialect, view))
    return pruned if is_object(pruned) else {}


def effective_at(dialect: Dialect, states: States, path: KeyPath) -> tuple[bool, Json]:
    """Whether the effective view holds something at `path`, and what. Evaluates nothing beside the path.

    The empty path is the whole view. Raises InvalidRequest "index-unavailable" like `effective`, but only for what
    lies along or under the path.
    """
    if not path:
        return True, effective(dialect, states)
    node = _descend(dialect, states, path)
    if not node.shown:
        return False, None
    return True, _folded(node.shown, path)


def provenance(dialect: Dialect, states: States, path: KeyPath) -> Provenance:
    """Who provides the effective value at `path`; see Provenance. The path starts with a plane.

    Raises InvalidRequest "index-unavailable" like `effective_at`.
    """
    if not path:
        raise InvalidRequest("no-path", "Provenance is asked for a plane or something in it")
    node = _descend(dialect, states, path)
    masked = tuple(Masked(layer.scope, layer.value) for layer in _by_scope(node.hidden))
    if not node.shown:
        return Provenance(path, (), None, masked, {}, exists=False, value=None)
    value = _folded(node.shown, path)
    providers = tuple(layer.scope for layer in node.shown)
    winner = providers[-1]
    try:
        revealed = _revealed(dialect, states, path, winner)
    except InvalidRequest:
        return Provenance(path, providers, winner, masked, {}, exists=True, value=value, breaks=True)
    return Provenance(path, providers, winner, masked, revealed, exists=True, value=value)


def _plane_layers(states: States, plane: str) -> tuple[_Layer, ...]:
    """What each scope stores in a plane. Of answers only the last one that is not empty counts."""
    layers = tuple(
        _Layer(scope, states[scope][plane]) for scope in SCOPES if scope in states and plane in states[scope]
    )
    if plane != RESPONSE:
        return layers
    return tuple(layer for layer in layers if layer.value != "")[-1:]


def _folded(layers: Iterable[_Layer], path: KeyPath) -> Json:
    below, *rest = (layer.value for layer in layers)
    for above in rest:
        below = lay_over(below, above, path)
    return below


def providers(dialect: Dialect, states: States, path: KeyPath) -> tuple[tuple[Scope, ...], tuple[Masked, ...]]:
    """The providers and the masked values of `provenance`, without composing anything: for every row of a screen."""
    node = _descend(dialect, states, path)
    masked = tuple(Masked(layer.scope, layer.value) for layer in _by_scope(node.hidden))
    return tuple(layer.scope for layer in node.shown), masked


def _descend(dialect: Dialect, states: States, path: KeyPath) -> _Node:
    plane = path[0]
    if not isinstance(plane, str) or plane not in dialect.planes:
        return _Node((), ())
    stored = tuple(
        _Layer(scope, states[scope][plane]) for scope in SCOPES if scope in states and plane in states[scope]
    )
    if plane == RESPONSE:
        answers = tuple(layer for layer in stored if layer.value != "")
        node = _Node(answers[-1:], answers[:-1])
    else:
        node = _settled(stored, ())
    for depth, key in enumerate(path[1:], 1):
        node = _step(node, key, path[:depth])
    return node


def _settled(layers: tuple[_Layer, ...], hidden: tuple[_Layer, ...]) -> _Node:
    """Which of the layers stored at one place make up its value: a layer that replaces hides those below it."""
    start = 0
    for index in range(1, len(layers)):
        base, above = layers[start].value, layers[index].value
        if not is_object(above):
            start = index
        elif is_object(base) or (is_array(base) and is_selection(above)):
            continue
        else:
            start = index
    return _Node(layers[start:], (*hidden, *layers[:start]))


def _step(node: _Node, key: str | int, where: KeyPath) -> _Node:
    hidden = tuple(layer for layer in (_member(layer, key) for layer in node.hidden) if layer is not None)
    if not node.shown:
        return _Node((), hidden)
    base = node.shown[0]
    if is_array(base.value):
        for layer in node.shown[1:]:
            if is_object(layer.value):
                for name in layer.value:
                    element(name, len(base.value), where)
        if not isinstance(key, int):
            return _Node((), hidden)
    elif not isinstance(key, str):
        return _Node((), hidden)
    members = tuple(layer for layer in (_member(layer, key) for layer in node.shown) if layer is not None)
    return _settled(members, hidden)


def _member(layer: _Layer, key: str | int) -> _Layer | None:
    """What one layer holds under `key`; an index finds an array's element, or a selection of it."""
    value = layer.value
    if is_object(value):
        name = key if isinstance(key, str) else f"[{key}]"
        return _Layer(layer.scope, value[name]) if name in value else None
    if is_array(value) and isinstance(key, int) and 0 <= key < len(value):
        return _Layer(layer.scope, value[key])
    return None


def _by_scope(layers: Iterable[_Layer]) -> list[_Layer]:
    return sorted(layers, key=lambda layer: SCOPES.index(layer.scope))


def _revealed(dialect: Dialect, states: States, path: KeyPath, winner: Scope) -> Mapping[Scope, Json]:
    left = _without(states[winner], path)
    if left is None:
        return {}
    node = _descend(dialect, {**states, winner: left}, path)
    return {node.shown[-1].scope: _folded(node.shown, path)} if node.shown else {}


def _without(state: JsonObject, path: KeyPath) -> JsonObject | None:
    """The scope's value once its own member at `path` is deleted, emptied parents pruned; None: cannot be deleted."""
    parents: list[tuple[JsonObject, str]] = []
    node: Json = state
    for key in path:
        name = key if isinstance(key, str) else f"[{key}]"
        if not is_object(node) or name not in node:
            return None
        parents.append((node, name))
        node = node[name]
    left: JsonObject = {}
    for parent, name in reversed(parents):
        rest = dict(parent)
        if left:
            rest[name] = left
        else:
            del rest[name]
        left = rest
    return left
