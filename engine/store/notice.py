"""Hear from the system that something changed in a few directories; what changed is for a reader to find out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final

from engine.store import files
from engine.store.layout import Address, is_cwd_key, is_session_key

STEP_MS: Final = 10
DEBOUNCE_MS: Final = 50
"""A writer that never rests is heard at least this often."""

_FILES: Final = frozenset(
    {"checkpoint.json", "patches.jsonl", "meta.json", "config.json", "runtime.json", "state.json"}
)

Watched = tuple[tuple[str, int, int], ...]
"""Directories as (path, device, inode): a directory that was made anew is another one."""


def watched(address: Address) -> Watched:
    """The directories to listen to: those of the cohort that exist, and the one above the root."""
    above = os.path.dirname(address.root)
    while above != os.path.dirname(above) and not os.path.isdir(above):
        above = os.path.dirname(above)
    found: list[tuple[str, int, int]] = []
    for path in (above, *(address.scope_dir(scope) for scope in address.scopes)):
        try:
            status = files.stat(path)
        except OSError:
            break
        found.append((path, status.st_dev, status.st_ino))
    return tuple(found)


class Notifier:
    """Listens in a thread of its own and calls `heard(listing)`, until closed.

    `listing` says that a session or a working directory may have come or gone. Raises OSError or RuntimeError when
    the system has no means left to listen with. The thread ends by itself when the system fails; `alive` is then False.
    """

    def __init__(self, address: Address, directories: Watched, heard: Callable[[bool], None]) -> None:
        from watchfiles._rust_notify import RustNotify  # its public face has no synchronous, closable form

        self.directories = directories
        self._root = address.root
        self._heard = heard
        self._stop = threading.Event()
        paths = [path for path, _, _ in directories]
        self._notify = RustNotify(paths, False, False, 0, False, True)
        self._thread = threading.Thread(target=self._listen, name="store-notifier", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop listening; the thread ends within one step and is not waited for."""
        self._stop.set()

    def _listen(self) -> None:
        with self._notify:
            while not self._stop.is_set():
                try:
                    changes = self._notify.watch(DEBOUNCE_MS, STEP_MS, 0, self._stop)
                except RuntimeError:
                    self._heard(True)  # whoever listens finds out that nobody does any more
                    return
                if isinstance(changes, str):
                    continue
                inside = [path for _, path in changes if path == self._root or path.startswith(f"{self._root}/")]
                if inside:
                    self._heard(any(map(self._lists, inside)))

    def _lists(self, path: str) -> bool:
        if path == self._root:
            return True
        above, name = os.path.split(path)
        if above == self._root:
            return is_cwd_key(name)
        return name not in _FILES and is_session_key(name) and os.path.dirname(above) == self._root
