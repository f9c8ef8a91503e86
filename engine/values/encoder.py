"""Encoding a large value again after a small change, for the price of the change.

Values are shared and never changed, so an object that is the same object has the same text. Large containers are cut
into runs of members; the text of a run is found again by the identities of its members. Where a run ends depends on
its keys alone, so that one member more or less leaves all other runs as they were.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import islice
from typing import Final

from engine.records import dataclass
from engine.values.encode import encode
from engine.values.fast import fast_paths
from engine.values.paths import utf16_order
from engine.values.types import Json

_CHUNK: Final = 65_536
_LARGE: Final = 4 * _CHUNK  # a run that turns out larger has a large member, which is then cut up itself
_LONGEST_RUN: Final = 256  # members so small that looking at each costs more than writing them all again
_SAMPLE: Final = 16
_VISITS: Final = 256
_SPARE: Final = 16 << 20  # bytes of text kept in any case


@dataclass(frozen=True, slots=True)
class _Run:
    """Text of consecutive members. `members` keeps the objects alive, and with them the truth of their identities."""

    keys: Sequence[str]
    members: Sequence[Json]
    chunks: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class _Whole:
    """Text of a large container."""

    value: Json
    chunks: tuple[bytes, ...]


_RunKey = tuple[str | int, bytes]


class Encoder:
    """Remembers the text of large containers. It belongs to whoever holds the values, and its memory is bounded.

    Text that was not asked for while several times the size of the largest value was encoded is forgotten.
    """

    __slots__ = ("_largest", "_old", "_weight", "_young")

    def __init__(self) -> None:
        self._young: dict[int | _RunKey, _Whole | _Run] = {}
        self._old: dict[int | _RunKey, _Whole | _Run] = {}
        self._weight = 0
        self._largest = 0

    def encode(self, value: Json) -> bytes:
        """The same bytes as `encode`."""
        return b"".join(self.encode_chunks(value))

    def encode_chunks(self, value: Json) -> list[bytes]:
        """The text of `encode` in pieces to be written one after another; unchanged pieces are the same objects."""
        if not fast_paths():
            return [encode(value)]
        chunks = list(self._chunks(value))
        self._largest = max(self._largest, sum(map(len, chunks)))
        if self._weight > 3 * self._largest + _SPARE:
            self._old, self._young, self._weight = self._young, {}, 0
        return chunks

    def _chunks(self, value: Json) -> tuple[bytes, ...]:
        if not isinstance(value, (dict, list)) or _weigh(value) <= _CHUNK:
            return (encode(value),)
        known = self._recall(id(value))
        if isinstance(known, _Whole) and known.value is value:
            return known.chunks
        length = _run_length(list(islice(value.values(), _SAMPLE)) if isinstance(value, dict) else value[:_SAMPLE])
        if length > _LONGEST_RUN:
            chunks: tuple[bytes, ...] = (encode(value),)
        elif isinstance(value, dict):
            keys = utf16_order(value)
            found = self._members(keys, list(map(value.__getitem__, keys)), _ends(keys, length))
            chunks = _joined(b"{", found, b"}")
        else:
            ends = [*range(length, len(value), length), len(value)]
            chunks = _joined(b"[", self._members((), value, ends), b"]")
        self._keep(
            id(value), _Whole(value, chunks), sum(map(len, chunks)) if length > _LONGEST_RUN else 8 * len(chunks)
        )
        return chunks

    def _members(self, keys: Sequence[str], members: Sequence[Json], ends: Sequence[int]) -> list[bytes]:
        """Text of all members, commas between runs included."""
        identities = array("Q", map(id, members))
        found: list[bytes] = []
        start = 0
        for end in ends:
            if start:
                found.append(b",")
            key: _RunKey = (keys[start] if keys else start, identities[start:end].tobytes())
            known = self._recall(key)
            if isinstance(known, _Run) and known.keys == keys[start:end]:
                found.extend(known.chunks)
            else:
                run = self._run(keys[start:end], members[start:end])
                self._keep(key, run, sum(map(len, run.chunks)) + 32 * (end - start))
                found.extend(run.chunks)
            start = end
        return found

    def _run(self, keys: Sequence[str], members: Sequence[Json]) -> _Run:
        if len(members) > 1:
            text = encode(dict(zip(keys, members, strict=True)) if keys else list(members))[1:-1]
            if len(text) <= _LARGE:
                return _Run(keys, members, (text,))
        found: list[bytes] = []
        for index, member in enumerate(members):
            name = encode(keys[index]) + b":" if keys else b""
            first, *rest = self._chunks(member)
            found.append((b"," if index else b"") + name + first)
            found.extend(rest)
        return _Run(keys, members, tuple(found))

    def _recall(self, key: int | _RunKey) -> _Whole | _Run | None:
        known = self._young.get(key)
        if known is None:
            known = self._old.pop(key, None)
            if known is not None:
                self._keep(key, known, sum(map(len, known.chunks)))
        return known

    def _keep(self, key: int | _RunKey, known: _Whole | _Run, weight: int) -> None:
        self._young[key] = known
        self._weight += weight


def _joined(opening: bytes, found: list[bytes], closing: bytes) -> tuple[bytes, ...]:
    """The pieces with small ones put together; large ones stay the objects that they are."""
    chunks: list[bytes] = []
    small: list[bytes] = [opening]
    size = 1
    for piece in found:
        if len(piece) >= _CHUNK // 4:
            if small:
                chunks.append(b"".join(small))
                small, size = [], 0
            chunks.append(piece)
            continue
        small.append(piece)
        size += len(piece)
        if size >= _CHUNK:
            chunks.append(b"".join(small))
            small, size = [], 0
    small.append(closing)
    chunks.append(b"".join(small))
    return tuple(chunks)


def _ends(keys: list[str], length: int) -> list[int]:
    """Where the runs of an object end: after keys that their hash picks, about `length` apart."""
    mask = length - 1
    ends = [index for index, key in enumerate(keys, 1) if not hash(key) & mask]
    if not ends or ends[-1] != len(keys):
        ends.append(len(keys))
    return ends


def _run_length(sample: Sequence[Json]) -> int:
    """Members in a run, a power of two, so that a slightly other sample seldom gives another length."""
    average = sum(map(_weigh, sample)) // len(sample) + 16
    return 1 << max(0, (_CHUNK // average).bit_length() - 1)


def _weigh(value: Json) -> int:
    """Roughly the length of the text: looks at few nodes and stops when it is clearly more than a chunk."""
    total = visits = 0
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            total += len(node) + 3
        elif isinstance(node, dict):
            total += 4 * len(node)
            if total <= _CHUNK:
                stack.extend(node)
                stack.extend(node.values())  # looked at first: a few long values outweigh all keys
        elif isinstance(node, list):
            total += 4 * len(node)
            if total <= _CHUNK:
                stack.extend(node)
        visits += 1
        if total > _CHUNK:
            break
        if visits >= _VISITS:
            return total * (visits + len(stack)) // visits
    return total
