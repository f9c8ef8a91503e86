"""The file that only grows: `events.jsonl`, one complete line an event.

A complete line is never removed or rewritten. What follows the last line end
is a write that never became a record: it goes to `events.jsonl.crash`, which is
made durable before the log is trimmed. All writing happens under `exclusive`,
so that several monitors of one store can share the log.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final

from engine.ledger.guard import flocked
from engine.store import files

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOG_NAME: Final = "events.jsonl"
CRASH_NAME: Final = "events.jsonl.crash"
GUARD_NAME: Final = "events.lock"
# Long enough for another monitor's append, short enough not to hold up a person.
PATIENCE: Final = 2.0
# Bytes read at a time: a long log never stands in memory whole, and what was read stays in the processor's cache.
CHUNK: Final = 1 << 16
# What is known of a log up to an offset is of this log when so many bytes before it are the same.
PROOF: Final = 256

_KEPT_NAME: Final = re.compile(r"events-([0-9]{8}T[0-9]{6}Z)-([1-9][0-9]*)\.jsonl")
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Log:
    """The log in `directory`. Raises OSError (TimeoutError when another monitor keeps it) and loses nothing."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.path = os.path.join(directory, LOG_NAME)
        self._guard: BaseFileLock | None = None

    @contextmanager
    def exclusive(self) -> Iterator[int]:
        """Hold the log alone: mend its tail, then give a descriptor for `size`, `lines` and `append`."""
        files.make_private(self.directory)
        with self._alone():
            made = not os.path.exists(self.path)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_FOLLOW, 0o600)
            try:
                if made:
                    files.sync_directory(self.directory)
                self._set_torn_tail_aside(descriptor)
                yield descriptor
            finally:
                os.close(descriptor)

    def _alone(self) -> AbstractContextManager[object]:
        """Keep other monitors out, or raise TimeoutError."""
        path = os.path.join(self.directory, GUARD_NAME)
        held = flocked(path, PATIENCE)
        if held is not None:
            return held
        from filelock import FileLock, Timeout

        if self._guard is None:
            self._guard = FileLock(path, mode=0o600)
        try:
            return self._guard.acquire(timeout=PATIENCE)
        except Timeout:
            raise TimeoutError(f"another monitor has kept {self.path} for {PATIENCE:g} s") from None

    def mark(self) -> tuple[int, int] | None:
        """Give the log's inode and size as they are now, or None where they cannot be had."""
        try:
            found = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return None
        return found.st_ino, found.st_size

    def append(self, descriptor: int, lines: bytes) -> None:
        """Add complete lines and make them durable. A failure leaves complete lines and maybe one torn one."""
        _write_all(descriptor, lines)
        os.fsync(descriptor)

    def lines(self, start: int = 0, descriptor: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Read complete lines from offset `start` on, each with the offset just behind it.

        Without a descriptor the file is opened for reading only, and nothing is made or mended; a log
        that is not there has no lines.
        """
        if descriptor is not None:
            yield from complete_lines(descriptor, start)
            return
        own = open_log(self.path)
        if own is None:
            return
        try:
            yield from complete_lines(own, start)
        finally:
            os.close(own)

    def rotate(self) -> str | None:
        """Keep the log under another name and begin a new one; gives that name, None where there is nothing to keep.

        Nothing is removed. Monitors that have it open find another file at their next look and go on in that.
        """
        if self.mark() is None:
            return None
        with self.exclusive() as descriptor:
            if not os.fstat(descriptor).st_size:
                return None
            name = _free_name(self.directory)
            os.rename(self.path, os.path.join(self.directory, name))
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600))
            files.sync_directory(self.directory)
            return name

    def kept(self) -> tuple[str, ...]:
        """Name the logs that were put aside, oldest first. Raises OSError."""
        try:
            names = os.listdir(self.directory)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        found = [match for match in map(_KEPT_NAME.fullmatch, names) if match is not None]
        return tuple(match[0] for match in sorted(found, key=lambda match: (match[1], int(match[2]))))

    def _set_torn_tail_aside(self, descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        end = _last_line_end(descriptor, size)
        if end == size:
            return
        sidecar = os.open(
            os.path.join(self.directory, CRASH_NAME), os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_FOLLOW, 0o600
        )
        try:
            for offset in range(end, size, CHUNK):
                _write_all(sidecar, os.pread(descriptor, min(CHUNK, size - offset), offset))
            # One fragment a line: a fragment holds no line end itself.
            _write_all(sidecar, b"\n")
            os.fsync(sidecar)
        finally:
            os.close(sidecar)
        files.sync_directory(self.directory)
        os.ftruncate(descriptor, end)
        os.fsync(descriptor)


def open_log(path: str) -> int | None:
    """Open a log for reading; None where there is none. What is no regular file is refused, and never waited for."""
    try:
        descriptor = os.open(path, files.READ_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no regular file stands where the log belongs", path)
    return descriptor


def proof(descriptor: int, offset: int) -> str:
    """Hash the bytes just before `offset`: what is known of another log does not fit."""
    begin = max(0, offset - PROOF)
    data = os.pread(descriptor, offset - begin, begin)
    return hashlib.sha256(b"%d " % len(data) + data).hexdigest()


def complete_lines(descriptor: int, start: int) -> Iterator[tuple[int, bytes]]:
    """Give each complete line behind `start`, without its end, and the offset just behind that."""
    offset = start
    for lines in many_lines(descriptor, start):
        for line in lines:
            offset += len(line) + 1
            yield offset, line


def many_lines(descriptor: int, start: int) -> Iterator[list[bytes]]:
    """The same, as many at a time as were read at once."""
    offset = start
    held: list[bytes] = []
    while chunk := os.pread(descriptor, CHUNK, offset):
        offset += len(chunk)
        held.append(chunk)
        if b"\n" not in chunk:
            continue
        text = b"".join(held)
        lines: list[bytes] = []
        begin = 0
        # Looking for each end is much quicker than splitting, which looks at each byte.
        while (end := text.find(b"\n", begin)) >= 0:
            lines.append(text[begin:end])
            begin = end + 1
        held = [text[begin:]]
        yield lines


def _free_name(directory: str) -> str:
    """A name for a log that is put aside: when (UTC), and a number for those of one second."""
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    number = 1
    while os.path.lexists(os.path.join(directory, name := f"events-{moment}-{number}.jsonl")):
        number += 1
    return name


def _last_line_end(descriptor: int, size: int) -> int:
    """Give the offset just behind the last line end, 0 when there is none."""
    if size and os.pread(descriptor, 1, size - 1) == b"\n":
        return size
    end = size
    while end > 0:
        begin = max(0, end - CHUNK)
        found = os.pread(descriptor, end - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
