"""One coherent look at the files of a cohort: lock-free, and without a trace.

Everything is read, then looked at again; only when no file has moved in between and the lock was
free (or nobody alive holds it) the look is coherent.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from engine.memory.scope import Scope
from engine.records import dataclass, field
from engine.store import files
from engine.store.files import Capture, Refusal
from engine.store.layout import CONFIG, PREDECESSOR, Address, files_of
from engine.store.lockstate import LOCK_NAME, LockState, inspect

Captures = Mapping[str, Capture]

RETRY_SECONDS: Final = 0.002
"""A publication takes a few milliseconds; looking more often would only burn a core."""
POLL_SECONDS: Final = 0.004


@dataclass(slots=True)
class Place:
    """A scope's directory in one look: its files, or why there are none.

    `refusal` says that the directory (or one above) cannot be entered.
    """

    captures: dict[str, Capture] = field(default_factory=dict)
    present: bool = False
    refusal: Refusal | None = None


@dataclass(slots=True)
class Look:
    """All places of a cohort, the operator's settings and the lock.

    `coherent` is False when a live owner of the lock, or writers one after another, left no
    moment in which all files could be read together.
    """

    places: dict[Scope, Place]
    config: Capture
    lock: LockState
    present: bool
    coherent: bool


def take(
    address: Address,
    known: Mapping[Scope, Captures],
    known_config: Capture | None,
    patience: float,
    *,
    holding: bool = False,
) -> Look:
    """Look until it is coherent, for at most `patience` seconds; captures in `known` are kept where nothing moved.

    `holding` says that the caller has the lock itself, so that nobody else can be at work.
    """
    deadline: float | None = None
    if holding:
        # Young files are read again just before they are replaced, so once is enough here.
        look, moved = _pass(address, known, known_config, again=False)
        look.lock, look.coherent = LockState("free", f"{address.root}/{LOCK_NAME}"), not moved
        return look
    while True:
        before = inspect(address.root)
        if deadline is not None and before.is_live and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            continue
        look, moved = _pass(address, known, known_config)
        look.lock = inspect(address.root)
        if not moved and not look.lock.is_live and _same_lock(before, look.lock):
            look.coherent = True
            return look
        if deadline is None:
            deadline = time.monotonic() + patience
        if time.monotonic() >= deadline:
            return look
        known = {scope: place.captures for scope, place in look.places.items()}
        known_config = look.config
        time.sleep(RETRY_SECONDS)


def unchanged(old: Capture | None, new: Capture) -> bool:
    """Whether two captures of one name certainly hold the same bytes."""
    if old is new:
        return True
    if old is None or old.refusal is not None or new.refusal is not None:
        return False
    if old.identity is None or new.identity is None:
        return old.identity is new.identity
    return old.data is not None and old.data == new.data


def untouched(address: Address, places: Mapping[Scope, Captures], config: Capture) -> bool:
    """Whether every file surely is as it was captured and no lock is there; a cheap glance that reads nothing."""
    if inspect(address.root).kind != "free" or not _is_still(f"{address.root}/{CONFIG}", config):
        return False
    return all(
        _is_still(f"{address.scope_dir(scope)}/{name}", captured)
        for scope, captures in places.items()
        for name, captured in captures.items()
    )


def _is_still(path: str, captured: Capture) -> bool:
    if captured.racy or captured.refusal is not None:
        return False
    try:
        found = files.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return captured.identity is None
    except OSError:
        return False
    return captured.identity is not None and files.same_file(captured.identity, found)


def _same_lock(before: LockState, after: LockState) -> bool:
    return before.kind == after.kind and before.inode == after.inode


def _pass(
    address: Address, known: Mapping[Scope, Captures], known_config: Capture | None, *, again: bool = True
) -> tuple[Look, bool]:
    """Read everything once and check that nothing has moved meanwhile."""
    places: dict[Scope, Place] = {}
    look = Look(places, files.ABSENT, _UNSEEN, present=False, coherent=False)
    descriptors: list[int] = []
    try:
        parent: int | None = None
        refusal: Refusal | None = None
        opened: list[tuple[int, Place]] = []
        for scope in address.scopes:
            place = places[scope] = Place()
            name = address.root if scope == "global" else address.component(scope)
            if refusal is None and (parent is not None or scope == "global"):
                try:
                    parent = files.open_directory(name, parent)
                except Refusal as refused:
                    refusal = refused
                    parent = None
            place.refusal = refusal
            if refusal is not None or parent is None:
                continue
            descriptors.append(parent)
            opened.append((parent, place))
            place.present = True
            if scope == "global":
                look.present = True
                look.config = _captured(CONFIG, parent, known_config)
            _capture_place(scope, parent, place.captures, known.get(scope, _NONE))
        moved = any(_moved(directory, place.captures, again=again) for directory, place in opened)
        if opened and not moved:
            moved = _moved(opened[0][0], {CONFIG: look.config}, again=again)
        return look, moved
    finally:
        for descriptor in descriptors:
            files.release(descriptor)


_NONE: Final[Captures] = {}
_UNSEEN: Final = LockState("free", "")


def _capture_place(scope: Scope, directory: int, captures: dict[str, Capture], known: Captures) -> None:
    for name in files_of(scope):
        captures[name] = _captured(name, directory, known.get(name))
    # Of a predecessor's file only the presence matters; it is never opened.
    try:
        found = files.stat(PREDECESSOR, dir_fd=directory, follow_symlinks=False)
    except OSError:
        captures[PREDECESSOR] = files.ABSENT
    else:
        old = known.get(PREDECESSOR)
        same = old is not None and old.identity is not None and files.same_file(old.identity, found)
        captures[PREDECESSOR] = old if same and old is not None else Capture(files.identity_of(found))


def _captured(name: str, directory: int, known: Capture | None) -> Capture:
    """The file as it is now: what is known of it if it has certainly not changed, else its bytes."""
    if known is None or known.racy or known.identity is None or known.refusal is not None:
        return files.capture(name, directory)
    try:
        found = files.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return files.capture(name, directory)
    if files.same_file(known.identity, found):
        return known
    return files.capture(name, directory)


def _moved(directory: int, captures: Captures, *, again: bool) -> bool:
    """Whether a file is no longer what was captured; racy ones are read again to find out."""
    for name, captured in captures.items():
        if name == PREDECESSOR:
            continue
        try:
            found = files.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            if captured.identity is not None or captured.refusal is not None:
                return True
            continue
        except OSError:
            # It could not be looked at before either, or cannot any more: the refusal says so.
            if captured.refusal is None:
                return True
            continue
        if captured.refusal is not None:
            continue
        if captured.identity is None or not files.same_file(captured.identity, found):
            return True
        if again and captured.racy and not _reads_the_same(name, directory, captured):
            return True
    return False


def _reads_the_same(name: str, directory: int, captured: Capture) -> bool:
    again = files.capture(name, directory)
    return again.identity == captured.identity and again.data == captured.data
