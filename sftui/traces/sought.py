"""What is looked for: the texts of a value, and how they are recognised in decoded values and in bytes."""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Iterator
from typing import Final

from engine.errors import InvalidRequest
from engine.records import dataclass
from engine.store import files
from engine.values import Json, JsonObject, get, has, is_array, is_object
from engine.values.members import members, spelled
from engine.values.needle import Needle, Sieve
from sftui.views.kinds import Path

# A shorter text stands everywhere as a part of others: it is only found where it is a whole value.
SHORTEST: Final = 4
# Texts of a structure that are looked for, the longest first.
MOST_TEXTS: Final = 20
# Bytes read at a time.
CHUNK: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Sought:
    """A value by its texts. `whole`: only where one of them is all that a value is; `left_out` are not looked for."""

    texts: tuple[str, ...]
    whole: bool = False
    left_out: int = 0

    def paths(self, root: JsonObject) -> Iterator[Path | None]:
        """Where the texts stand in a decoded value, each place once; None now and then while there is none."""
        found: set[Path] = set()
        for text in self.texts:
            for member in members(root, Needle(text)):
                if member is None:
                    yield None
                elif self._is_meant(member[1], text, in_key=member[2]) and member[0] not in found:
                    found.add(member[0])
                    yield member[0]

    def stands_in(self, root: JsonObject) -> bool:
        """Whether a text stands anywhere in a small decoded value."""
        return any(path is not None for path in self.paths(root))

    def stands_at(self, root: JsonObject, path: Path) -> bool:
        """Whether a text stands in what is at one path: in its last key, or in a plain value."""
        if not has(root, path):
            return False
        key, value = path[-1], get(root, path)
        inner = is_object(value) or is_array(value)
        return self.stands_in({key if isinstance(key, str) else "": {} if inner else value})

    def _is_meant(self, value: Json, text: str, *, in_key: bool) -> bool:
        return not self.whole or (not in_key and spelled(value) == text)


def of_value(value: Json) -> Sought:
    """What to look for when a value is meant; raises InvalidRequest for one that stands everywhere."""
    if isinstance(value, str):
        return of_text(value)
    if is_object(value) or is_array(value):
        found = sorted({text for text in _texts(value) if len(text) >= SHORTEST}, key=lambda text: (-len(text), text))
        if not found:
            raise InvalidRequest("too-little", "there is no text in this value that could be told from others",
                                 hint="name one of its members")  # fmt: skip
        return Sought(tuple(found[:MOST_TEXTS]), left_out=max(0, len(found) - MOST_TEXTS))
    if value is None or isinstance(value, bool):
        raise InvalidRequest("too-little", f"{spelled(value)} stands everywhere: it leaves no trace of its own")
    return Sought((spelled(value),), whole=True)


def of_text(text: str) -> Sought:
    """What to look for when a text is meant; raises InvalidRequest for none."""
    if not text:
        raise InvalidRequest("too-little", "there is nothing to look for: the value is empty")
    return Sought((text,), whole=len(text) < SHORTEST)


def _texts(value: Json) -> Iterator[str]:
    pending: list[Json] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
        elif is_object(node):
            pending.extend(node.values())
        elif is_array(node):
            pending.extend(node)


class Probe:
    """Looks for the texts in one run of bytes: as JSON spells them, and as they are."""

    def __init__(self, sought: Sought) -> None:
        self._sieves = [Sieve(Needle(text)) for text in sought.texts]
        plain = [text.encode("utf-8", "surrogatepass") for text in sought.texts]
        # As JSON they look the same, unless there is something in them that it escapes.
        self._plain = [_Plain(data) for data in plain if any(byte < 0x20 or byte in b'"\\' for byte in data)]
        self._lines: set[int] = set()
        self.count = 0

    def push(self, data: bytes) -> None:
        """Look at what comes next."""
        fresh = {line for sieve in self._sieves for line in sieve.lines(data)}
        fresh |= {line for plain in self._plain for line in plain.lines(data)}
        fresh -= self._lines
        self.count += len(fresh)
        if len(self._lines) < _KNOWN:
            self._lines |= fresh

    def first(self, few: int) -> tuple[int, ...]:
        """The numbers of the first lines that hold a text."""
        return tuple(sorted(self._lines)[:few])


_KNOWN: Final = 10_000


class _Plain:
    """Looks for bytes as they are, which may go over several lines."""

    def __init__(self, sought: bytes) -> None:
        self._sought = sought[:_LONGEST]
        self._held = b""
        self._line = 1

    def lines(self, data: bytes) -> list[int]:
        window = self._held + data
        found: list[int] = []
        at, counted, line = 0, 0, self._line
        while (at := window.find(self._sought, at)) >= 0:
            line += window.count(b"\n", counted, at)
            counted = at
            found.append(line)
            at += len(self._sought)
        keep = max(counted + len(self._sought) if found else 0, len(window) - len(self._sought) + 1)
        self._line += window.count(b"\n", 0, keep)
        self._held = window[keep:]
        return found


_LONGEST: Final = 1_024


def chunks(path: str) -> Iterator[bytes]:
    """The bytes of a regular file, piece by piece; links are not followed, and nothing is waited for. Raises OSError."""
    descriptor = files.open(path, files.READ_FLAGS)
    try:
        mode = files.fstat(descriptor).st_mode
        if not modes.S_ISREG(mode):
            raise OSError(0, f"{files.kind_of(mode)} is not read", path)
        while data := files.read(descriptor, CHUNK):
            yield data
    finally:
        files.release(descriptor)


def numbered(path: str, sought: Sought) -> Iterator[tuple[int, bytes] | None]:
    """(number, line) of each complete line of a file of JSON lines that may hold a text; None after each piece."""
    held: list[bytes] = []
    number = 1
    for data in chunks(path):
        end = data.rfind(b"\n") + 1
        if not end:
            held.append(data)
            yield None
            continue
        block = b"".join((*held, data[:end]))
        held = [data[end:]]
        begins = {block.rfind(b"\n", 0, at) + 1 for text in sought.texts for at in Sieve(Needle(text)).push(block)}
        counted = 0
        for begin in sorted(begins):
            number += block.count(b"\n", counted, begin)
            counted = begin
            yield number, block[begin : block.find(b"\n", begin)]
        number += block.count(b"\n", counted)
        yield None


def reason(error: OSError) -> str:
    """Why a file could not be read, in a few words."""
    return "a symbolic link is not followed" if os.path.islink(str(error.filename)) else error.strerror or str(error)
