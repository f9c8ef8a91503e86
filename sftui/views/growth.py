"""How much larger or smaller a change makes memory. What it does not touch is never measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.errors import EngineError
from engine.memory.artifacts import is_bookkeeping, shown_at
from engine.memory.dialect import Dialect
from engine.memory.overlay import effective_at, providers
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, commas, encoded_size, get, grown, is_object
from sftui.views.units import BYTES_PER_TOKEN, human


@dataclass(frozen=True, slots=True)
class Growth:
    """Bytes of JSON that came (or, below zero, went): in all scopes together, hot and lazy; and in what a model is given.

    `given` is None where that cannot be told: the scopes do not compose.
    """

    hot: int
    lazy: int
    given: int | None

    @property
    def given_tokens(self) -> int | None:
        """About how many tokens more or less a model is given."""
        if self.given is None:
            return None
        count = -(-abs(self.given) // BYTES_PER_TOKEN)
        return count if self.given >= 0 else -count

    def to_json(self) -> JsonObject:
        return {
            "hot_bytes": self.hot,
            "lazy_bytes": self.lazy,
            "given_bytes": self.given,
            "given_tokens": self.given_tokens,
        }


def growth(
    dialect: Dialect,
    before: Mapping[Scope, JsonObject],
    after: Mapping[Scope, JsonObject],
    net: Mapping[Scope, JsonObject],
) -> Growth:
    """Measure what `net` makes of `before`."""
    hot = lazy = 0
    for scope, patch in net.items():
        old, new = before.get(scope, {}), after.get(scope, {})
        hot += commas(new) - commas(old)
        for plane in patch:
            grew = grown({plane: patch[plane]}, _only(old, plane), _only(new, plane))
            if plane in dialect.lazy:
                lazy += grew
            else:
                hot += grew
    return Growth(hot, lazy, _given(dialect, before, after, net))


def _given(
    dialect: Dialect,
    before: Mapping[Scope, JsonObject],
    after: Mapping[Scope, JsonObject],
    net: Mapping[Scope, JsonObject],
) -> int | None:
    """Give the growth of effective hot memory, from the places where it may differ."""
    points = {point for scope, patch in net.items() for point in _points(dialect, scope, before, after, patch)}
    total = 0
    try:
        for point in points:
            if any(point[:length] in points for length in range(1, len(point))):
                continue
            name = encoded_size(str(point[-1])) + 2
            for states, sign in ((before, -1), (after, 1)):
                exists, value = effective_at(dialect, states, point)
                if exists:
                    total += sign * (name + encoded_size(shown_at(point, value)))
    except EngineError:
        return None
    # The first plane of all has no comma before it.
    return total + _is_bare(dialect, after) - _is_bare(dialect, before)


def _points(
    dialect: Dialect,
    scope: Scope,
    before: Mapping[Scope, JsonObject],
    after: Mapping[Scope, JsonObject],
    patch: JsonObject,
) -> Iterator[KeyPath]:
    """The topmost places that a patch changes: where what shows is an object before and after, what is inside is meant.

    Where a scope puts an object for something else, what is below it in broader scopes comes to show as well.
    """
    stack: list[tuple[KeyPath, Json]] = [((plane,), change) for plane, change in patch.items()]
    while stack:
        path, change = stack.pop()
        if path[0] in dialect.lazy or path[0] not in dialect.planes or is_bookkeeping(path):
            continue
        inside = is_object(change) and is_object(get(before.get(scope, {}), path, {}))
        if inside and all(_is_object(dialect, states, path) for states in (before, after)):
            assert is_object(change)
            stack.extend(((*path, key), below) for key, below in change.items())
        else:
            yield path


def _is_object(dialect: Dialect, states: Mapping[Scope, JsonObject], path: KeyPath) -> bool:
    """Whether what shows at a path is an object: told by its lowest layer, without composing it."""
    try:
        who, _ = providers(dialect, states, path)
    except EngineError:
        return False
    return bool(who) and is_object(get(states[who[0]], path, None))


def _is_bare(dialect: Dialect, states: Mapping[Scope, JsonObject]) -> int:
    """1 where no scope has anything hot, else 0."""
    return int(
        not any(plane in state for state in states.values() for plane in dialect.planes if plane not in dialect.lazy)
    )


def _only(state: JsonObject, plane: str) -> JsonObject:
    return {plane: state[plane]} if plane in state else {}


def delta(size: int) -> str:
    """Give a difference in bytes as a person reads it: `+1.2 kB`, `−96 B`, `±0 B`."""
    if size == 0:
        return "±0 B"
    return f"+{human(size)}" if size > 0 else f"−{human(-size)}"


def token_delta(count: int) -> str:
    """Give a difference in tokens: `+310 tok`, `−9.2k tok`."""
    sign = "+" if count > 0 else "−" if count < 0 else "±"
    amount = abs(count)
    if amount < 1000:
        return f"{sign}{amount} tok"
    if amount < 999_500:
        thousands = amount / 1000
        return f"{sign}{thousands:.1f}k tok" if thousands < 9.95 else f"{sign}{thousands:.0f}k tok"
    return f"{sign}{amount / 1_000_000:.1f}M tok"
