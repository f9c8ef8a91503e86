"""One walk through memory for all rules: what is worth a rule's look, gathered branch by branch.

A branch whose value is the same object as before is not walked again, so that a look costs what has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from engine.health.findings import Limits
from engine.health.secrets import Secret, secrets_in
from engine.memory.layering import is_selection
from engine.memory.references import MENTION, ref_of
from engine.records import dataclass, field, replace
from engine.values import Json, KeyPath, encoded_size, is_addressable, is_array, is_object

# What has fewer values, and fewer bytes, is walked again with what holds it: remembering it would take more than it saves.
KEPT_FROM: Final = 8
KEPT_SIZE: Final = 400
# A step is taken after so many values.
STEP: Final = 256
# Exact in a double: beyond, an agent that counts in doubles may read another number.
_SAFE: Final = 2**53


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that names a path of memory."""

    at: KeyPath
    target: str
    structured: bool


@dataclass(frozen=True, slots=True)
class Odd:
    """Keys of the object at `at` that no path can name."""

    at: KeyPath
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hollow:
    """An object that holds nothing but empty objects, or nothing at all."""

    at: KeyPath


@dataclass(frozen=True, slots=True)
class Large:
    """The smallest value around more bytes than the limit."""

    at: KeyPath
    size: int


@dataclass(frozen=True, slots=True)
class Number:
    """An integer that a double does not hold."""

    at: KeyPath
    value: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text long enough to be worth one place only."""

    at: KeyPath
    text: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """A text, or a key, with what looks like secrets in it."""

    at: KeyPath
    secrets: tuple[Secret, ...]
    in_key: bool = False


Fact: TypeAlias = Reference | Odd | Hollow | Large | Number | Text | Hidden


@dataclass(frozen=True, slots=True)
class Branch:
    """What was gathered at and below one value. `facts` name places below it; those of kept branches are in these."""

    value: Json
    nodes: int
    size: int
    large: bool
    hollow: bool
    facts: tuple[Fact, ...] = ()
    below: Mapping[str | int, Branch] = field(default_factory=dict)
    empty: bool = True

    def all(self, at: KeyPath = ()) -> Iterator[tuple[KeyPath, Fact]]:
        """Every fact with the whole path of its place."""
        for fact in self.facts:
            yield (*at, *fact.at), fact
        for key, branch in self.below.items():
            if not branch.empty:
                yield from branch.all((*at, key))


_NOTHING: Final[Mapping[str | int, Branch]] = {}


class Gatherer:
    """Walks values; `visits` counts those that it has looked at."""

    def __init__(self, limits: Limits, step: Callable[[], object] = lambda: None) -> None:
        self._limits = limits
        self._step = step
        self.visits = 0

    def gather(self, value: Json, known: Branch | None = None) -> Branch:
        """Gather what is in a value; parts that `known` has as they are now are taken over."""
        if known is not None and known.value is value:
            return known
        facts: list[Fact] = []
        below: dict[str | int, Branch] = {}
        if is_object(value) or is_array(value):
            nodes, size, large, hollow = self._container(value, facts, below, known)
        else:
            nodes, size, large, hollow = 1, self._leaf(value, (), facts), False, False
        if size > self._limits.hot_bytes and not large:
            facts.append(Large((), size))
            large = True
        empty = not facts and all(branch.empty for branch in below.values())
        return Branch(value, nodes, size, large, hollow, tuple(facts), below or _NOTHING, empty)

    def _container(
        self, value: Json, facts: list[Fact], below: dict[str | int, Branch], known: Branch | None
    ) -> tuple[int, int, bool, bool]:
        nodes, size, large, hollow = 1, 2, False, is_object(value)
        members: Iterator[tuple[str | int, Json]]
        if is_object(value):
            target = ref_of(value)
            if target is not None:
                facts.append(Reference((), target, structured=True))
            odd = tuple(key for key in value if not is_addressable(key))
            if odd and not is_selection(value):
                facts.append(Odd((), odd))
            members = iter(value.items())
            size += sum(_text_size(key) + 1 for key in value) + max(0, len(value) - 1)
        elif is_array(value):
            members = iter(enumerate(value))
            size += max(0, len(value) - 1)
        else:
            members = iter(())
        hollows: list[Fact] = []
        for key, member in members:
            self.visits += 1
            if self.visits % STEP == 0:
                self._step()
            if isinstance(key, str):
                self._key(key, facts)
            if is_object(member) or is_array(member) or (isinstance(member, str) and len(member) >= KEPT_SIZE):
                branch = self.gather(member, None if known is None else known.below.get(key))
                nodes += branch.nodes
                size += branch.size
                large = large or branch.large
                hollow = hollow and branch.hollow
                if branch.hollow:
                    hollows.append(Hollow((key,)))
                if branch.nodes >= KEPT_FROM or branch.size >= KEPT_SIZE:
                    below[key] = branch
                else:
                    facts.extend(_moved(key, fact) for fact in branch.facts)
                continue
            hollow = False
            nodes += 1
            found = self._leaf(member, (key,), facts)
            size += found
            if found > self._limits.hot_bytes:
                facts.append(Large((key,), found))
                large = True
        if hollows and not hollow:
            facts.extend(hollows)
        return nodes, size, large, hollow

    def _key(self, key: str, facts: list[Fact]) -> None:
        found = secrets_in(key)
        if found:
            facts.append(Hidden((key,), found, in_key=True))

    def _leaf(self, value: Json, at: KeyPath, facts: list[Fact]) -> int:
        if isinstance(value, str):
            if "$" in value:
                facts.extend(Reference(at, target, structured=False) for target in mentioned(value))
            if len(value) >= self._limits.text_characters:
                facts.append(Text(at, value))
            found = secrets_in(value, self._step)
            if found:
                facts.append(Hidden(at, found))
            return _text_size(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _SAFE and _is_rounded(value):
            facts.append(Number(at, value))
        return encoded_size(value)


def mentioned(text: str) -> Iterator[str]:
    """The paths that a text names: not where the text goes on as no path does, for then something else is meant."""
    for mention in MENTION.finditer(text):
        after = text[mention.end() : mention.end() + 2]
        if after[:1] == "[" or (after[:1] == "." and after[1:].isalnum()):
            continue
        yield mention[1]


def _moved(key: str | int, fact: Fact) -> Fact:
    """The same fact, named from what holds its branch under `key`."""
    return replace(fact, at=(key, *fact.at))


def _text_size(text: str) -> int:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return len(text) + 2
    return encoded_size(text)


def _is_rounded(value: int) -> bool:
    try:
        return int(float(value)) != value
    except OverflowError:
        return True
