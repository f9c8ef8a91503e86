"""Containers that count how often somebody looks at a member of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Count:
    visits: int = 0


class CountingDict(dict[str, Any]):
    """A dict that counts: a look-up is one visit, going through it is one for each member."""

    tally: Count

    def __getitem__(self, key: str) -> Any:
        self.tally.visits += 1
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.tally.visits += 1
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.tally.visits += 1
        return super().get(key, default)

    def __iter__(self) -> Iterator[str]:
        self.tally.visits += len(self)
        return super().__iter__()

    def keys(self) -> Any:
        self.tally.visits += len(self)
        return super().keys()

    def values(self) -> Any:
        self.tally.visits += len(self)
        return super().values()

    def items(self) -> Any:
        self.tally.visits += len(self)
        return super().items()

    def copy(self) -> dict[str, Any]:
        return super().copy()  # one copy in C of a single level; its members are not visited


class CountingList(list[Any]):
    """A list that counts in the same way."""

    tally: Count

    def __getitem__(self, index: Any) -> Any:
        self.tally.visits += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Any]:
        self.tally.visits += len(self)
        return super().__iter__()


def counting(value: Any, count: Count) -> Any:
    """A copy of plain JSON in such containers, all of them with the one count."""
    if type(value) is dict:
        counted = CountingDict((key, counting(member, count)) for key, member in value.items())
        counted.tally = count
        return counted
    if type(value) is list:
        slots = CountingList(counting(item, count) for item in value)
        slots.tally = count
        return slots
    return value
