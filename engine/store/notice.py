"""Hear from the system that something changed in a few directories; what changed is for a reader to find out."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from engine.store import files
from engine.store.inotify import ROUND_MS, Heard, Inotify
from engine.store.layout import SESSION_FILES, Address, is_cwd_key, is_session_key

STEP_MS: Final = 10
DEBOUNCE_MS: Final = 50
"""A writer that never rests is heard at least this often."""

Watched = tuple[tuple[str, int, int], ...]
"""Directories as (path, device, inode): a directory that was made anew is another one."""


class Listener(Protocol):
    """Something that listens in a thread of its own; when the system fails it, it is not `alive` any more."""

    @property
    def alive(self) -> bool: ...

    def close(self) -> None:
        """Stop listening; not waited for."""


def watched(address: Address) -> Watched:
    """The directories to listen to: those of the cohort that exist, and the one above the root."""
    above = os.path.dirname(address.root)
    while above != os.path.dirname(above) and not os.path.isdir(above):
        above = os.path.dirname(above)
    found: list[tuple[str, int, int]] = []
    for path in (above, *(address.scope_dir(scope) for scope in address.scopes)):
        try:
            status = files.stat(path, follow_symlinks=False)
        except OSError:
            break
        if not stat.S_ISDIR(status.st_mode):
            break
        found.append((path, status.st_dev, status.st_ino))
    return tuple(found)


def listen(
    address: Address, directories: Watched, heard: Callable[[bool], None], silent: Callable[[], None]
) -> Listener:
    """Call `heard(listing)` whenever something of a store changes and `silent()` after each quiet second, until closed.

    `listing` says that a session or a working directory may have come or gone. Raises OSError or RuntimeError when
    the system has no means left to listen with.
    """

    def note(paths: Sequence[str | None]) -> None:
        if not paths:
            silent()
            return
        mine = [path for path in paths if path is None or concerns(address, path)]
        if mine:
            heard(any(path is None or lists(address, path) for path in mine))

    paths = [path for path, _, _ in directories]
    return Inotify(paths, note) if sys.platform == "linux" else General(paths, note)


def concerns(address: Address, path: str) -> bool:
    """Whether a path is of this store and no temporary of a writer at work."""
    return path == address.root or (path.startswith(f"{address.root}/") and not path.endswith(".tmp"))


def lists(address: Address, path: str) -> bool:
    """Whether a path may be a directory's or a session's coming or going."""
    if path == address.root:
        return True
    above, name = os.path.split(path)
    if above == address.root:
        return is_cwd_key(name)
    return name not in SESSION_FILES and is_session_key(name) and os.path.dirname(above) == address.root


class General:
    """A listener for every system, by way of watchfiles."""

    def __init__(self, directories: Sequence[str], heard: Heard) -> None:
        from watchfiles._rust_notify import RustNotify  # its public face has no synchronous, closable form

        self._heard = heard
        self._stop = threading.Event()
        self._notify = RustNotify(list(directories), False, False, 0, False, True)
        self._thread = threading.Thread(target=self._listen, name="store-notifier", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop listening; the thread ends within a second and is not waited for."""
        self._stop.set()

    def _listen(self) -> None:
        with self._notify:
            while not self._stop.is_set():
                try:
                    # An event to stop it would be asked at every step, which costs more than the step.
                    changes = self._notify.watch(DEBOUNCE_MS, STEP_MS, ROUND_MS, None)
                except RuntimeError:
                    self._heard([None])
                    return
                if not self._stop.is_set():
                    self._heard([] if isinstance(changes, str) else [path for _, path in changes])
