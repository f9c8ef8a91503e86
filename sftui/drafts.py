"""A person's drafts on disk: each in a file of its own, outside of any store, held by whoever works on it.

A file that no living process holds was left behind by a crash, a quit or a lost terminal: it is offered again, and
never applied by itself. Use from threads; whatever the disk refuses raises OSError, and what was saved before stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from engine import values
from engine.errors import EngineError, InvalidRequest
from engine.records import dataclass
from engine.store import files
from engine.store.layout import Address, store_home

if TYPE_CHECKING:
    from filelock import BaseFileLock

    from engine.memory.draft import Draft

VERSION: Final = 1
SUFFIX: Final = ".json"
LOCK: Final = ".lock"
TEMPORARY: Final = ".tmp"
GUARD: Final = "drafts.guard"
# Long enough for another app to make or look through its files.
PATIENCE: Final = 2.0


@dataclass(frozen=True, slots=True)
class Saved:
    """What a file holds. Without a `draft`, `problem` says why it cannot be read; the file stays as it is."""

    name: str
    at: float
    address: Address | None
    draft: Draft | None
    problem: str = ""


class DraftFile:
    """One draft's file, ours until it is discarded or let go of."""

    def __init__(self, directory: str, name: str, lock: BaseFileLock) -> None:
        self.path = os.path.join(directory, name + SUFFIX)
        self.name = name
        self._directory = directory
        self._lock = lock

    def save(self, address: Address, draft: Draft) -> None:
        """Replace what the file holds, durably: it holds the old draft or the new one, never a part."""
        data = _encoded(address, draft)
        files.make_private(self._directory)
        files.replace_private(self.path, data, self.path[: -len(SUFFIX)] + TEMPORARY)

    def discard(self) -> None:
        """Remove the file: the draft has been applied or dropped."""
        _remove(self.path)
        _remove(self.path[: -len(SUFFIX)] + LOCK)
        self.release()

    def release(self) -> None:
        """Hold the file no longer; what it says is offered again."""
        self._lock.release()


class Drafts:
    """The drafts of one store."""

    def __init__(self, root: str) -> None:
        self.directory = os.path.join(store_home(root), "drafts")

    def open(self) -> DraftFile:
        """Take a new name, and hold it. Nothing is saved yet."""
        with self._guarded():
            name = uuid4().hex
            lock = _lock(self._path(name + LOCK))
            lock.acquire(timeout=0)
            return DraftFile(self.directory, name, lock)

    def orphans(self) -> tuple[Saved, ...]:
        """What no living process holds, the newest first; what a killed one left unfinished is cleared away."""
        if not os.path.isdir(self.directory):
            return ()
        found: list[Saved] = []
        with self._guarded():
            for name in self._names():
                lock = self._take(name)
                if lock is None:
                    continue
                try:
                    saved = self._read(name)
                    _remove(self._path(name + TEMPORARY))
                    if saved is None:
                        _remove(self._path(name + LOCK))
                    else:
                        found.append(saved)
                finally:
                    lock.release()
        return tuple(sorted(found, key=lambda saved: saved.at, reverse=True))

    def claim(self, name: str) -> tuple[DraftFile, Saved] | None:
        """Hold a file that was left behind; None if somebody else does by now, or if it is gone."""
        with self._guarded():
            lock = self._take(name)
            if lock is None:
                return None
            saved = self._read(name)
            if saved is None or saved.draft is None:
                lock.release()
                return None
            return DraftFile(self.directory, name, lock), saved

    def _names(self) -> list[str]:
        """The names of drafts that were saved, or were about to be."""
        stems = (os.path.splitext(name) for name in os.listdir(self.directory))
        return sorted({stem for stem, suffix in stems if suffix in {SUFFIX, LOCK, TEMPORARY}})

    def _take(self, name: str) -> BaseFileLock | None:
        from filelock import Timeout

        lock = _lock(self._path(name + LOCK))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return None
        return lock

    def _read(self, name: str) -> Saved | None:
        """What a file holds; one that cannot be read is told, and does not hide the others."""
        at = 0.0
        try:
            path = self._path(name + SUFFIX)
            at = os.stat(path, follow_symlinks=False).st_mtime
            address, draft = _decoded(files.read_private(path))
        except FileNotFoundError:
            return None
        except (EngineError, OSError) as error:
            return Saved(name, at, None, None, f"{self._path(name + SUFFIX)}: {error}")
        return Saved(name, at, address, draft)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Keep the other apps out while names are made or looked through."""
        from filelock import Timeout

        files.make_private(self.directory)
        try:
            held = _lock(self._path(GUARD)).acquire(timeout=PATIENCE)
        except Timeout:
            raise TimeoutError(f"another app has kept {self._path(GUARD)} for {PATIENCE:g} s") from None
        with held:
            yield

    def _path(self, name: str) -> str:
        return os.path.join(self.directory, name)


def _lock(path: str) -> BaseFileLock:
    from filelock import FileLock

    # Saved in one thread, discarded in another.
    return FileLock(path, mode=0o600, thread_local=False)


def _encoded(address: Address, draft: Draft) -> bytes:
    from engine.memory.draft_codec import to_json

    return values.encode(
        {
            "version": VERSION,
            "root": address.root,
            "cwd": address.cwd,
            "key": address.key,
            "session": address.session,
            "draft": to_json(draft),
        }
    )


def _decoded(data: bytes) -> tuple[Address, Draft]:
    """Raises EngineError for what is no draft of ours."""
    from engine.memory.draft_codec import from_json

    found = values.decode(data).value
    if not values.is_object(found) or found.get("version") != VERSION:
        raise InvalidRequest("unknown-draft", "This is not a draft that this program knows how to read")
    root, *rest = (found.get(name) for name in ("root", "cwd", "key", "session"))
    if not isinstance(root, str) or not all(part is None or isinstance(part, str) for part in rest):
        raise InvalidRequest("unknown-draft", "The draft does not say where it belongs")
    cwd, key, session = (part if isinstance(part, str) else None for part in rest)
    return Address(root, cwd, session, key), from_json(found.get("draft"))


def _remove(path: str) -> None:
    try:
        files.unlink(path)
    except OSError:
        pass
