"""Texts that are open in a person's own editor: each in a private directory, outside of any store.

Whatever ends the app or the editor, what was saved stays there until it has been taken over. Blocks; what the disk
refuses raises OSError.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from engine import values
from engine.errors import EngineError
from engine.records import dataclass
from engine.store import files
from engine.store.layout import Address, store_home

if TYPE_CHECKING:
    from filelock import BaseFileLock

ABOUT: Final = "about.json"
LOCK: Final = "held"
# Long enough for another app to look through a directory that was just made.
PATIENCE: Final = 2.0


class Edit:
    """One text in an editor, ours until it is discarded or the app ends."""

    def __init__(self, directory: str, name: str, lock: BaseFileLock) -> None:
        self.directory = directory
        self.path = os.path.join(directory, name)
        self._lock = lock

    def read(self) -> bytes:
        """Give what is saved now."""
        return files.read_private(self.path)

    def write(self, data: bytes) -> None:
        """Save another text in its place."""
        files.write_private(self.path, data)

    def discard(self) -> None:
        """Remove it: it has been taken over, or nothing was written."""
        _remove(self.directory)
        self._lock.release()


@dataclass(frozen=True, slots=True)
class Left:
    """A text that nobody holds any more. `text` is None where it cannot be read: the file stays."""

    edit: Edit
    title: str
    key: str | None
    session: str | None
    text: str | None


class Edits:
    """The texts of one store."""

    def __init__(self, root: str) -> None:
        self._directory = os.path.join(store_home(root), "edits")

    def open(self, address: Address | None, title: str, data: bytes, suffix: str) -> Edit:
        """Have a file with this text, for this user alone."""
        files.make_private(self._directory)
        directory = os.path.join(self._directory, uuid4().hex)
        files.make_private(directory)
        try:
            lock = _lock(directory)
            lock.acquire(timeout=PATIENCE)
            name = f"value{suffix}"
            about: values.JsonObject = {
                "name": name,
                "title": title,
                "key": None if address is None else address.key,
                "session": None if address is None else address.session,
                "begun": sha256(data).hexdigest(),
            }
            files.write_private(os.path.join(directory, ABOUT), values.encode(about))
            edit = Edit(directory, name, lock)
            edit.write(data)
        except BaseException:
            _remove(directory)
            raise
        return edit

    def left(self) -> tuple[Left, ...]:
        """Hold what nobody holds any more, and give it; what was never changed is cleared away."""
        try:
            names = sorted(os.listdir(self._directory))
        except FileNotFoundError:
            return ()
        found = (self._taken(os.path.join(self._directory, name)) for name in names)
        return tuple(left for left in found if left is not None)

    def _taken(self, directory: str) -> Left | None:
        from filelock import Timeout

        if not os.path.isfile(os.path.join(directory, ABOUT)):
            return None
        lock = _lock(directory)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return None
        try:
            about = values.decode(files.read_private(os.path.join(directory, ABOUT))).value
        except (EngineError, OSError):
            about = None
        if not values.is_object(about):
            lock.release()
            return None
        told = {name: text for name, text in about.items() if isinstance(text, str)}
        edit = Edit(directory, os.path.basename(told.get("name", "value.txt")), lock)
        try:
            data = edit.read()
            text = data.decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return Left(edit, told.get("title", ""), told.get("key"), told.get("session"), None)
        # A file beside it is the editor's own: what was not saved may be in there.
        others = set(os.listdir(directory)) - {ABOUT, LOCK, os.path.basename(edit.path)}
        if sha256(data).hexdigest() == told.get("begun") and not others:
            edit.discard()
            return None
        return Left(edit, told.get("title", ""), told.get("key"), told.get("session"), text)


def _lock(directory: str) -> BaseFileLock:
    from filelock import FileLock

    return FileLock(os.path.join(directory, LOCK), mode=0o600, thread_local=False)


def _remove(directory: str) -> None:
    import shutil

    shutil.rmtree(directory, ignore_errors=True)
