"""What a root holds: working directories and their sessions, listed without reading any memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from engine.errors import DecodeError
from engine.records import dataclass
from engine.store import files
from engine.store.files import Refusal
from engine.store.format import Malformed, parse_owner
from engine.store.layout import META, Address, files_of, is_cwd_key, is_session_key
from engine.values import decode, is_object

_TEMPORARY: Final = re.compile(r"\.(.+)\.([1-9][0-9]*)\.[^.]+\.(?:tmp|old)")


@dataclass(frozen=True, slots=True)
class CwdEntry:
    """A directory's memory: its key, whose it is (None when its metadata does not say) and whether that still exists."""

    key: str
    owner_cwd: str | None
    exists: bool
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A session's directory; `mtime_ns` is when a file in it was last replaced."""

    key: str
    mtime_ns: int


def cwds(root: str) -> tuple[CwdEntry, ...]:
    """The working directories of a root, by key; what is not a directory or cannot be read is left out."""
    found: list[CwdEntry] = []
    with opened(root) as descriptor:
        if descriptor is None:
            return ()
        for key, changed in _directories(descriptor):
            if is_cwd_key(key):
                owner = _owner(key, descriptor)
                found.append(CwdEntry(key, owner, owner is not None and os.path.isdir(owner), changed))
    return tuple(sorted(found, key=lambda entry: entry.key))


def leftovers(address: Address) -> tuple[str, ...]:
    """Temporaries that publications left beside the files of a cohort, as paths below the root."""
    found: list[str] = []
    for scope in address.scopes:
        at = address.scope_address(scope)
        try:
            names = sorted(os.listdir(os.path.join(address.root, at)))
        except OSError:
            continue
        for name in names:
            match = _TEMPORARY.fullmatch(name)
            if match is not None and match.group(1) in files_of(scope):
                found.append(name if at == "." else f"{at}/{name}")
    return tuple(found)


def sessions(root: str, cwd_key: str) -> tuple[SessionEntry, ...]:
    """The sessions of a working directory, by key (which begins with the time of its start)."""
    with opened(root) as parent:
        if parent is None:
            return ()
        with opened(cwd_key, parent) as descriptor:
            if descriptor is None:
                return ()
            found = [SessionEntry(key, changed) for key, changed in _directories(descriptor) if is_session_key(key)]
    return tuple(sorted(found, key=lambda entry: entry.key))


def cwd_keys(root: str) -> tuple[str, ...]:
    """The keys of a root's working directories."""
    with opened(root) as descriptor:
        return () if descriptor is None else _names(descriptor, is_cwd_key)


def has_sessions(root: str, cwd_key: str | None = None) -> bool:
    """Whether there is a session in a working directory; None: in any of the root."""
    return any(sessions(root, key) for key in (cwd_keys(root) if cwd_key is None else (cwd_key,)))


def session_keys(directory: int) -> tuple[str, ...]:
    """The keys of the sessions in the open directory of a cwd."""
    return _names(directory, is_session_key)


def newest_session(root: str, cwd_key: str) -> SessionEntry | None:
    """The session in which something was replaced last; among equals the one that was started last."""
    return max(sessions(root, cwd_key), key=lambda entry: (entry.mtime_ns, entry.key), default=None)


@contextmanager
def opened(name: str, parent: int | None = None) -> Iterator[int | None]:
    """A descriptor of a directory, None where there is none that may be entered; no link is followed."""
    try:
        descriptor = files.open_directory(name, parent)
    except Refusal:
        descriptor = None
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            files.release(descriptor)


def _directories(descriptor: int) -> Iterator[tuple[str, int]]:
    try:
        with files.scandir(descriptor) as entries:
            for entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        yield entry.name, entry.stat(follow_symlinks=False).st_mtime_ns
                except OSError:
                    continue  # it has just gone
    except OSError:
        return


def _names(descriptor: int, wanted: Callable[[str], bool]) -> tuple[str, ...]:
    """The names of what may be directories, without a look at each: whoever enters them sees what they are."""
    try:
        with files.scandir(descriptor) as entries:
            return tuple(sorted(entry.name for entry in entries if wanted(entry.name)))
    except OSError:
        return ()


def _owner(key: str, root: int) -> str | None:
    with opened(key, root) as descriptor:
        if descriptor is None:
            return None
        captured = files.capture(META, descriptor)
    if captured.data is None:
        return None
    try:
        document = decode(captured.data).value
        return parse_owner(document.get("owner")) if is_object(document) else None
    except (DecodeError, Malformed):
        return None
