"""The files of a store seen through descriptors of their directories: what stands where, and whether it still does."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from engine.errors import StoreFailure
from engine.records import dataclass
from engine.store import files
from engine.store.files import Capture
from engine.store.writeahead import Entry, FileMark, RecordError, archive, mark_of, new_id
from engine.store.writing import Place, Target

Settled = Literal["finished", "undone"]


@contextmanager
def directories(root: int, names: Iterable[str]) -> Iterator[dict[str, int]]:
    """Descriptors of directories below the open root, by name; no link is followed."""
    opened: dict[str, int] = {".": root}
    try:
        for name in names:
            path = ""
            for part in name.split("/"):
                if part == ".":
                    continue
                parent = opened[path or "."]
                path = f"{path}/{part}" if path else part
                if path not in opened:
                    opened[path] = files.open(part, files.DIRECTORY_FLAGS, dir_fd=parent)
        yield opened
    finally:
        for name, descriptor in opened.items():
            if name != ".":
                files.release(descriptor)


def check_unchanged(root: int, captures: Mapping[Place, Capture]) -> None:
    """Raise unless the files that are not replaced still are as they were captured."""
    with directories(root, {directory for directory, _ in captures if exists(root, directory)}) as opened:
        for (directory, name), known in captures.items():
            if directory not in opened:
                if known.identity is not None:
                    raise moved(directory, name)
                continue
            if known.racy:
                check_bytes(opened[directory], directory, name, known)
                continue
            try:
                found = files.stat(name, dir_fd=opened[directory], follow_symlinks=False)
            except FileNotFoundError:
                if known.identity is not None:
                    raise moved(directory, name) from None
                continue
            if known.identity is None or not files.same_file(known.identity, found):
                raise moved(directory, name)


def check_racy(opened: Mapping[str, int], targets: Sequence[Target]) -> None:
    """Compare bytes where the clock could not tell a later change from the one that was captured."""
    for target in targets:
        if target.before.racy:
            check_bytes(opened[target.directory], target.directory, target.name, target.before)


def check_bytes(directory: int, place: str, name: str, known: Capture) -> None:
    found = files.capture(name, directory)
    same = found.data == known.data if known.data is not None else found.sha256 == known.sha256
    if not same:
        raise moved(place, name)


def archived(root: str, descriptor: int, directory: str, name: str) -> None:
    """Keep the bytes of a file outside the store, since a person agreed that they go."""
    with directories(descriptor, (directory,)) as opened:
        data = files.capture(name, opened[directory]).data
    if data is not None:
        archive(root, data)


def moved(directory: str, name: str) -> StoreFailure:
    return StoreFailure(
        "changed-meanwhile",
        "a file of the store was changed by a program that ignores the lock",
        file=name if directory == "." else f"{directory}/{name}",
        kept="that change was kept, and nothing of ours was written",
        hint="look at the change, then try again",
    )


def exists(root: int, name: str) -> bool:
    try:
        files.stat(name, dir_fd=root, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def mark(found: os.stat_result) -> FileMark:
    return found.st_ino, found.st_size, found.st_mtime_ns


def mark_at(opened: Mapping[str, int], directory: str, name: str) -> FileMark | None:
    try:
        return mark(files.stat(name, dir_fd=opened[directory], follow_symlinks=False))
    except FileNotFoundError:
        return None


def unrecorded(error: RecordError) -> StoreFailure:
    """The error for a change that is not made, since no record of it could be kept beside it."""
    return StoreFailure(
        "not-recorded",
        f"sftui's own state directory cannot be used ({error.strerror}), and no change is made without a record there "
        "of what is under way",
        file=str(error.filename),
        kept="the store is as it was",
        hint="free some space there, or make it writable, then try again",
    )


@contextmanager
def below(directory: str) -> Iterator[None]:
    """Errors about a name in a directory of the store, told with that directory."""
    try:
        yield
    except OSError as error:
        if directory != "." and isinstance(error.filename, str) and "/" not in error.filename:
            error.filename = f"{directory}/{error.filename}"
        raise


@contextmanager
def plainly(root: str) -> Iterator[None]:
    """An error of the system, said as one of ours."""
    try:
        yield
    except RecordError as error:
        raise unrecorded(error) from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        name = error.filename if isinstance(error.filename, str) else None
        raise StoreFailure(
            "no-space" if full else "write-failed",
            f"the store could not be written ({error.strerror or error})",
            file=root if name is None else os.path.join(root, name),
            kept="memory is as it was, and nothing was left behind",
            hint="free some space, then try again" if full else "repair what the system says, then try again",
        ) from error


class Conflict(Exception):
    """Files that hold neither what was there before nor what was to come; nothing was touched."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        super().__init__(places)
        self.places = places


@dataclass(frozen=True, slots=True)
class Standing:
    """The entries of a publication by what stands in their places."""

    new: tuple[Entry, ...]
    old: tuple[Entry, ...]
    others: tuple[Entry, ...]


def planned(targets: Sequence[Target], pid: int) -> list[Entry]:
    """An entry for each target, with names of its own for the new file and for the old one aside."""
    token = new_id()
    return [
        Entry(
            target.directory,
            target.name,
            f".{target.name}.{pid}.{token}.tmp",
            f".{target.name}.{pid}.{token}.old",
            before=None if target.before.identity is None else mark_of(target.before.identity),
        )
        for target in targets
    ]


def standing(opened: Mapping[str, int], entries: Sequence[Entry]) -> Standing:
    """Look at each place; the directories are open."""
    new = tuple(entry for entry in entries if _is_new(opened, entry))
    old = tuple(entry for entry in entries if entry not in new and _is_old(opened, entry))
    return Standing(new, old, tuple(entry for entry in entries if entry not in new and entry not in old))


def is_ready(opened: Mapping[str, int], entry: Entry) -> bool:
    """Whether the new file of an entry is complete under its temporary name."""
    return entry.after is not None and mark_at(opened, entry.directory, entry.temporary) == entry.after


def missing(root: int, targets: Sequence[Target]) -> list[str]:
    """The directories that have to be made, parents first."""
    wanted: dict[str, None] = {}
    for target in targets:
        parts = [] if target.directory == "." else target.directory.split("/")
        for depth in range(1, len(parts) + 1):
            wanted["/".join(parts[:depth])] = None
    return [name for name in wanted if not exists(root, name)]


def _is_new(opened: Mapping[str, int], entry: Entry) -> bool:
    return entry.after is not None and mark_at(opened, entry.directory, entry.name) == entry.after


def _is_old(opened: Mapping[str, int], entry: Entry) -> bool:
    mark = mark_at(opened, entry.directory, entry.name)
    return mark == entry.before or (mark is not None and mark == entry.kept)
