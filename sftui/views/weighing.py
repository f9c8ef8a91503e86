"""How large what a model would be given is, key by key: worked out in steps, and only anew where something changed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import count
from typing import Final, TypeVar

from engine.errors import EngineError
from engine.memory.artifacts import shown_at
from engine.memory.cohort import Cohort, at
from engine.memory.context import NAVIGATION, RECENT, STATE, Mode, Recent, hot_planes, recent_transitions
from engine.memory.dialect import RESPONSE, Dialect
from engine.memory.navigation import is_hollow, lazy_navigation
from engine.memory.overlay import effective_at, providers
from engine.memory.reading import View
from engine.memory.references import relative
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass, field
from engine.values import Json, JsonObject, encoded_size, get, is_array, is_object, prune
from sftui.views.kinds import Path
from sftui.views.sizes import Sizes

T = TypeVar("T")
Layers = tuple[tuple[Scope, Json], ...]

# So many values are looked at in one step.
STEP: Final = 500


@dataclass(frozen=True, slots=True)
class Memory:
    """Scopes and the effective memory that they make up. Of `only` one, references into it are flat for its reader."""

    dialect: Dialect
    states: Mapping[Scope, JsonObject]
    whole: JsonObject
    only: Scope | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One key of a hot plane, or the answer: its value as a model is given it, and the bytes of that as JSON.

    `layers` is what the scopes store there; `mixed`, where those are several, what each of them provides.
    """

    path: Path
    value: Json
    size: int
    layers: Layers
    mixed: Mapping[Scope, int] | None = None

    @property
    def shares(self) -> Mapping[Scope, int]:
        """The bytes that each scope alone provides, with their names; those of what several make up are nobody's."""
        return {self.layers[0][0]: self.size + _name(self.path)} if self.mixed is None else self.mixed

    @property
    def providers(self) -> tuple[Scope, ...]:
        """The scopes that it comes from."""
        return tuple(self.shares)


@dataclass(frozen=True, slots=True)
class PlaneSize:
    """A hot plane: the bytes of its value as JSON, and how many keys it has."""

    name: str
    size: int
    count: int


@dataclass(frozen=True, slots=True)
class State:
    """Hot memory as it is given, in reading order, and the bytes of all of it as JSON.

    `scopes` are the bytes that each scope alone provides; the rest are names and brackets of what several provide.
    """

    items: Mapping[Path, Item]
    planes: tuple[PlaneSize, ...]
    size: int
    scopes: Mapping[Scope, int]

    def size_of(self, path: Path) -> int:
        """The bytes of one key or of a plane; 0 where nothing is."""
        item = self.items.get(path)
        if item is not None:
            return item.size
        return next((plane.size for plane in self.planes if path == (plane.name,)), 0)


@dataclass(frozen=True, slots=True)
class RecentSize:
    """A recent transition as a model is told of it, and its bytes as JSON."""

    told: Recent
    size: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """All that a model would be given, with the bytes of each part as JSON.

    `untold` counts the transitions of the lineage that say nothing a model sees. `before` are the sizes of the state
    before the last change, the one before that, and so on; None from where it is not known.
    """

    mode: Mode
    state: State
    navigation: JsonObject
    recent: tuple[RecentSize, ...]
    untold: int
    before: tuple[int | None, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The bytes of all of it, as one JSON document."""
        return _framed(self.parts.items())

    @property
    def grew(self) -> int | None:
        """By how many bytes the last change made the state longer; None where nobody knows what it was before."""
        was = self.before[0] if self.before else None
        return None if was is None else self.state.size - was


def done(work: Generator[None, None, T], step: Callable[[], object] = lambda: None) -> T:
    """Do work to its end, calling `step` between its steps."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: T = end.value
            return found
        step()


def weigh(
    view: View, whole: JsonObject, mode: Mode, sizes: Sizes, known: State | None = None
) -> Generator[None, None, Weighed]:
    """Weigh what a model is given of `view`, whose effective memory is `whole`; what `known` still tells is kept."""
    states = {scope: state for scope, state in view.cohort.states.items() if scope in view.wanted}
    state = yield from weigh_state(Memory(view.dialect, states, whole, view.only), mode, sizes, known)
    navigation = lazy_navigation(view.dialect, whole)
    recent: list[RecentSize] = []
    for told in recent_transitions(view, mode):
        size = yield from _measured(told.to_json(), sizes)
        recent.append(RecentSize(told, size))
    before = yield from _earlier(view, state, mode, sizes)
    parts = {
        STATE: state.size,
        NAVIGATION: encoded_size(navigation),
        RECENT: 2 + sum(one.size for one in recent) + max(0, len(recent) - 1),
    }
    untold = len(view.cohort.lineage) - 1 - len(recent)
    return Weighed(mode, state, navigation, tuple(recent), untold, tuple(before), parts)


def weigh_state(memory: Memory, mode: Mode, sizes: Sizes, known: State | None = None) -> Generator[None, None, State]:
    """Weigh hot memory alone."""
    items: dict[Path, Item] = {}
    counts: dict[str, list[int]] = {}
    scopes: dict[Scope, int] = {}
    old: Mapping[Path, Item] = {} if known is None else known.items
    for steps, (path, layers) in enumerate(_paths(memory, mode), 1):
        if not steps % STEP:
            yield
        item = old.get(path)
        if item is None or not _is_same(item.layers, layers):
            value = yield from _given(memory, path, get(memory.whole, path))
            if is_hollow(value):
                continue
            weight = yield from _measured(value, sizes)
            mixed = None if len(layers) == 1 else (yield from _shares(memory, path, value, sizes))
            item = Item(path, value, weight, layers, mixed)
            yield
        items[path] = item
        _count(counts, path, item.size, 1)
        for scope, share in item.shares.items():
            scopes[scope] = scopes.get(scope, 0) + share
    planes = tuple(PlaneSize(name, _plane_size(name, tally), tally[0]) for name, tally in counts.items())
    size = _framed((plane.name, plane.size) for plane in planes)
    return State(items, planes, size, {scope: scopes[scope] for scope in SCOPES if scope in scopes})


def _paths(memory: Memory, mode: Mode) -> Iterator[tuple[Path, Layers]]:
    """The keys of the planes that are given, with what the scopes store there; the answer is one by itself."""
    for plane in hot_planes(memory.dialect, mode):
        whole = memory.whole.get(plane)
        stored = [(scope, memory.states[scope][plane]) for scope in SCOPES if plane in memory.states.get(scope, {})]
        if is_object(whole):
            planes = [(scope, value) for scope, value in stored if is_object(value)]
            for key in whole:
                yield (plane, key), tuple([(scope, value[key]) for scope, value in planes if key in value])
        elif plane in memory.whole:
            yield (plane,), tuple(stored)


def _is_same(one: Layers, other: Layers) -> bool:
    return len(one) == len(other) and all(
        mine[0] == its[0] and mine[1] is its[1] for mine, its in zip(one, other, strict=True)
    )


def _count(counts: dict[str, list[int]], path: Path, size: int, sign: int) -> None:
    """Count a key in or out: how many a plane has, and their bytes with names."""
    tally = counts.setdefault(str(path[0]), [0, 0])
    tally[0] += sign
    tally[1] += sign * (size + _name(path))


def _plane_size(name: str, tally: list[int]) -> int:
    keys, size = tally
    return size if name == RESPONSE else 2 + size + keys - 1


def _framed(members: Iterable[tuple[str, int]]) -> int:
    """The bytes of an object whose values have these sizes."""
    sizes = [encoded_size(name) + 1 + size for name, size in members]
    return 2 + sum(sizes) + max(0, len(sizes) - 1)


def _given(memory: Memory, path: Path, value: Json) -> Generator[None, None, Json]:
    """The value at a path without bookkeeping and empty branches."""
    value = shown_at(path, value)
    if memory.only is not None:
        value = relative(memory.dialect, memory.only, value)
    stack: list[Json] = [value]
    steps = 0
    while stack:
        node = stack.pop()
        if is_object(node):
            if not node:
                return prune(value)
            members: Iterable[Json] = node.values()
        elif is_array(node):
            members = node
        else:
            continue
        for member in members:
            steps += 1
            if not steps % STEP:
                yield
            if is_object(member) or is_array(member):
                stack.append(member)
    return value


def _measured(value: Json, sizes: Sizes) -> Generator[None, None, int]:
    size = sizes.quick(value)
    while size is None:
        yield from sizes.measure(value)
        size = sizes.quick(value)  # somebody else may have let go of it
    return size


def _shares(memory: Memory, path: Path, value: Json, sizes: Sizes) -> Generator[None, None, Mapping[Scope, int]]:
    """Whose the bytes of a value that several scopes store, and of its name, are."""
    total: dict[Scope, int] = {}
    stack: list[tuple[Path, Json]] = [(path, value)]
    for steps in count(1):
        if not stack:
            break
        if not steps % STEP:
            yield
        here, node = stack.pop()
        who, _ = providers(memory.dialect, memory.states, here)
        if len(who) == 1:
            mine = yield from _measured(node, sizes)
            total[who[0]] = total.get(who[0], 0) + mine + _name(here)
            continue
        for scope in who:
            total.setdefault(scope, 0)
        if is_object(node):
            stack.extend(((*here, key), member) for key, member in node.items())
        elif is_array(node):
            stack.extend(((*here, index), item) for index, item in enumerate(node))
    return {scope: total[scope] for scope in SCOPES if scope in total}


def _name(path: Path) -> int:
    """The bytes of the name of what stands at a path, and of its colon; an element has none, and a plane's is not its own."""
    key = path[-1]
    if len(path) == 1 or not isinstance(key, str):
        return 0
    return len(key) + 3 if key.isascii() and key.isalnum() else encoded_size(key) + 1


# What it was before.


def _earlier(view: View, state: State, mode: Mode, sizes: Sizes) -> Generator[None, None, list[int | None]]:
    """The size of the state before each transition of the lineage, the newest first. Looks at what they touched alone."""
    cohort = view.cohort
    # A plane's brackets and commas are as many bytes as it has keys, and one more.
    counts = {
        plane.name: [plane.count, plane.size - (0 if plane.name == RESPONSE else plane.count + 1)]
        for plane in state.planes
    }
    now: dict[Path, int | None] = {}
    found: list[int | None] = []
    for offset in range(1, len(cohort.lineage)):
        try:
            states = {scope: value for scope, value in at(cohort, offset).items() if scope in view.wanted}
            for path in _touched(cohort, view, offset - 1, mode):
                yield
                was = yield from _size_at(view, states, path, sizes)
                held = state.items.get(path)
                size = now.get(path, None if held is None else held.size)
                for known, sign in ((size, -1), (was, 1)):
                    if known is not None:
                        _count(counts, path, known, sign)
                now[path] = was
        except EngineError:
            # From here on back nothing is known: what was laid over what cannot be told.
            return [*found, *([None] * (len(cohort.lineage) - offset))]
        found.append(_framed((name, _plane_size(name, tally)) for name, tally in counts.items() if tally[0]))
    return found


def _touched(cohort: Cohort, view: View, offset: int, mode: Mode) -> set[Path]:
    """The keys that the transition at an offset may have changed."""
    boundary = cohort.lineage[-1 - offset]
    found: set[Path] = set()
    hot = hot_planes(cohort.dialect, mode)
    for scope in view.wanted:
        stream = cohort.streams[scope]
        for index, transition in enumerate(stream.tail):
            if transition.boundary != boundary:
                continue
            for plane, change in transition.patch.items():
                if plane not in hot:
                    continue
                if plane == RESPONSE:
                    found.add((plane,))
                    continue
                # Where the plane went or came as a whole, all that it had or has.
                for side in (change, stream.states[index].get(plane) if not is_object(change) else None):
                    found.update((plane, key) for key in (side if is_object(side) else ()))
    return found


def _size_at(
    view: View, states: Mapping[Scope, JsonObject], path: Path, sizes: Sizes
) -> Generator[None, None, int | None]:
    exists, value = effective_at(view.dialect, states, path)
    if not exists:
        return None
    value = yield from _given(Memory(view.dialect, states, {}, view.only), path, value)
    return None if is_hollow(value) else (yield from _measured(value, sizes))
