"""Linux's own notifications, heard in a thread that sleeps until there is one.

The general listener of `notice` wakes a hundred times a second to be as quick, which is most of what an idle window
would cost.
"""

from __future__ import annotations

import os
import select
import struct
import threading
from collections.abc import Callable, Sequence
from typing import Final

_CLOSE_WRITE: Final = 0x8
_ATTRIB: Final = 0x4
_MOVED: Final = 0x40 | 0x80
_CREATE: Final = 0x100
_DELETE: Final = 0x200
_SELF: Final = 0x400 | 0x800
_LOST: Final = 0x4000
_WANTED: Final = _CLOSE_WRITE | _ATTRIB | _MOVED | _CREATE | _DELETE | _SELF | 0x1000000  # only directories
_FLAGS: Final = os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0)
_EVENT: Final = struct.Struct("iIII")
_READ_BYTES: Final = 1 << 16

Heard = Callable[[Sequence[str | None]], None]
"""Called with the paths of one batch; None stands for events that were lost. An empty batch is a second of silence."""
ROUND_MS: Final = 1000


class Inotify:
    """Listens to directories, not to what lies below them, until closed. Raises OSError when the system refuses."""

    def __init__(self, directories: Sequence[str], heard: Heard) -> None:
        import ctypes

        library = ctypes.CDLL(None, use_errno=True)
        self._heard = heard
        self._paths: dict[int, str] = {}
        self._descriptor: int = library.inotify_init1(_FLAGS)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._wake, self._waker = -1, -1
        try:
            for path in directories:
                watch = library.inotify_add_watch(self._descriptor, os.fsencode(path), _WANTED)
                if watch < 0:
                    raise OSError(ctypes.get_errno(), "inotify_add_watch", path)
                self._paths[watch] = path
            self._wake, self._waker = os.pipe()
        except OSError:
            os.close(self._descriptor)
            raise
        self._closed = threading.Lock()
        self._thread = threading.Thread(target=self._listen, name="store-inotify", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop listening; not waited for."""
        if self._closed.acquire(blocking=False):
            os.close(self._waker)

    def _listen(self) -> None:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._wake, select.POLLIN)  # ends when the other side is closed
        try:
            while True:
                ready = [descriptor for descriptor, _ in poll.poll(ROUND_MS)]
                if self._wake in ready:
                    return
                try:
                    found = self._events(os.read(self._descriptor, _READ_BYTES)) if ready else []
                except BlockingIOError:
                    continue
                self._heard(found)
        except OSError:
            self._heard([None])
        finally:
            os.close(self._descriptor)
            os.close(self._wake)

    def _events(self, data: bytes) -> list[str | None]:
        found: list[str | None] = []
        start = 0
        while start < len(data):
            watch, mask, _, length = _EVENT.unpack_from(data, start)
            start += _EVENT.size
            name = data[start : start + length].rstrip(b"\0")
            start += length
            path = self._paths.get(watch)
            if mask & _LOST or path is None:
                found.append(None)
            else:
                found.append(f"{path}/{os.fsdecode(name)}" if name else path)
        return found
