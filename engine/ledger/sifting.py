"""Lines of a store's logs that may hold a text, the newest first: by their bytes, without reading any other as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from engine.ledger.log import LOG_NAME, Log, open_log
from engine.records import dataclass
from engine.store import files
from engine.values.needle import Needle, Sieve

# Bytes looked at between two chances to stop: less than a millisecond of work.
BLOCK: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Sifted:
    """A complete line that may hold the text: the log's name, where in it the line begins, and the line."""

    log: str
    offset: int
    line: bytes


def sift(directory: str, sought: Needle) -> Iterator[Sifted | float]:
    """Every complete line that may hold `sought`, and between them the share (0 to 1) of the bytes that were looked at.

    Opens for reading only, and makes and mends nothing. At most one block and one line are held.
    Raises OSError.
    """
    opened = _opened(directory)
    try:
        whole = sum(size for _, _, size in opened)
        done = 0
        for name, descriptor, size in opened:
            for start, block in _blocks(descriptor, size):
                for at in reversed(Sieve(sought).push(block)):
                    begin = block.rfind(b"\n", 0, at) + 1
                    end = block.find(b"\n", at)
                    yield Sifted(name, start + begin, block[begin:end])
                done += len(block)
                yield done / whole
    finally:
        for _, descriptor, _ in opened:
            files.release(descriptor)


def _opened(directory: str) -> list[tuple[str, int, int]]:
    """(name, descriptor, size) of each log, the newest first."""
    found: list[tuple[str, int, int]] = []
    known: set[int] = set()
    try:
        # What was put aside is listed once the one that grows is open: a new one that is begun meanwhile hides nothing.
        for name in _names(directory):
            descriptor = open_log(os.path.join(directory, name))
            if descriptor is None:
                continue
            status = files.fstat(descriptor)
            if status.st_ino in known:
                files.release(descriptor)
                continue
            known.add(status.st_ino)
            found.append((name, descriptor, status.st_size))
    except BaseException:
        for _, descriptor, _ in found:
            files.release(descriptor)
        raise
    return found


def _names(directory: str) -> Iterator[str]:
    yield LOG_NAME
    yield from reversed(Log(directory).kept())


def _blocks(descriptor: int, size: int) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of whole lines, from the last one back; what follows the last line end is no line yet."""
    end, torn = size, True
    # The rest of a line whose beginning has not been read yet, the last piece first: a long one is joined once.
    pieces: list[bytes] = []
    while end > 0:
        begin = max(0, end - BLOCK)
        data = files.pread(descriptor, end - begin, begin)
        end = begin
        searched = len(data)
        if torn:
            data = data[: data.rfind(b"\n") + 1]
            if not data:
                continue
            # Its last byte ends the last line of all, and begins none.
            torn, searched = False, len(data) - 1
        first = 0 if begin == 0 else data.find(b"\n", 0, searched) + 1
        pieces.append(data[first:])
        if begin == 0 or first:
            yield begin + first, b"".join(reversed(pieces))
            pieces = [data[:first]]
