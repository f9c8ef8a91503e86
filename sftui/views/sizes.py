"""The sizes of values, large ones taken in slices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.values import encoded_size, is_array, is_object

# Containers whose measuring surely takes no longer than a blink.
QUICK_NODES: Final = 2_000
QUICK_CHARACTERS: Final = 1 << 20
# Longer strings are measured once.
SHORT_CHARACTERS: Final = 1 << 10
# Members that may be held for values which memory no longer has, beyond as many as it has.
SLACK: Final = 8_000


class Sizes:
    """Remembers the encoded size of containers and long strings by identity: values are never mutated.

    `quick` answers what is known or cheap; `measure` finds the rest in slices.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, int]] = {}
        self._weight = 0
        self._kept = 0
        self._forgets = True

    def copy(self) -> Sizes:
        """Give sizes of one's own, that begin with what is known here. They forget nothing: let go of them as a whole."""
        other = Sizes()
        other._known, other._weight, other._forgets = dict(self._known), self._weight, False
        return other

    @property
    def weight(self) -> int:
        """How many members the remembered values have together: a measure of what remembering them holds on to."""
        return self._weight

    def quick(self, value: object) -> int | None:
        """Give the size in bytes, or None if it takes `measure` to learn it."""
        if isinstance(value, str):
            if len(value) <= SHORT_CHARACTERS:
                return encoded_size(value)
        elif not (is_object(value) or is_array(value)):
            return encoded_size(value)  # type: ignore[arg-type]
        held = self._known.get(id(value))
        if held is not None and held[0] is value:
            return held[1]
        if not isinstance(value, str) and not _is_quick(value):
            return None
        size = encoded_size(value)
        self._remember(value, size)
        return size

    def measure(self, value: object) -> Iterator[None]:
        """Learn the size of a large container from the sizes of its parts, bottom up."""
        stack: list[tuple[object, Iterator[object], list[int]]] = []
        held = self.quick(value)
        if held is not None:
            return
        stack.append((value, iter(_members(value)), [_frame(value)]))
        while stack:
            container, members, sums = stack[-1]
            for member in members:
                size = self.quick(member)
                if size is None:
                    stack.append((member, iter(_members(member)), [_frame(member)]))
                    break
                sums.append(size)
                if len(sums) > 64:
                    sums[:] = [sum(sums)]
                    yield
            else:
                stack.pop()
                total = sum(sums)
                self._remember(container, total)
                if stack:
                    stack[-1][2].append(total)
                yield

    def forget_all_but(self, current: Iterable[object]) -> None:
        """Let go of values that are not in `current` any more, once as much was learned as was kept the last time."""
        if not self._forgets or self._weight <= 2 * self._kept + SLACK:
            return
        known, self._known, self._weight = self._known, {}, 0
        stack = list(current)
        while stack:
            value = stack.pop()
            held = known.get(id(value))
            if held is not None and held[0] is value and id(value) not in self._known:
                self._remember(value, held[1])
            stack.extend(_members(value))
        self._kept = self._weight

    def _remember(self, value: object, size: int) -> None:
        self._known[id(value)] = (value, size)
        self._weight += 1 + (len(value) if is_object(value) or is_array(value) else 0)


def _members(value: object) -> Iterator[object]:
    if is_object(value):
        return iter(value.values())
    if is_array(value):
        return iter(value)
    return iter(())


def _frame(value: object) -> int:
    """Give the bytes of a container around its members: brackets, commas, keys and colons."""
    if is_object(value):
        keys = sum(encoded_size(key) + 1 for key in value)
        return 2 + keys + max(0, len(value) - 1)
    if is_array(value):
        return 2 + max(0, len(value) - 1)
    return 0


def _is_quick(value: object) -> bool:
    nodes, characters = QUICK_NODES, QUICK_CHARACTERS
    stack = [value]
    while stack:
        item = stack.pop()
        if is_object(item):
            nodes -= len(item)
            if nodes < 0:
                return False
            stack.extend(item.values())
        elif is_array(item):
            nodes -= len(item)
            if nodes < 0:
                return False
            stack.extend(item)
        elif isinstance(item, str):
            characters -= len(item)
            if characters < 0:
                return False
    return True
