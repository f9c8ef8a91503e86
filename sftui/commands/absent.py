"""What was named and is not there: a mistyped name is told, and makes no memory of its own."""

from __future__ import annotations

import os
from typing import Final

from engine.errors import EngineError, InvalidRequest
from engine.memory.scope import Wanted
from engine.store.layout import Address
from engine.values import Json, is_object

_MOST: Final = 3
_CREATE: Final = "name another one, or repeat with --create to begin a store there"


class Misnamed(EngineError):
    """A store is named that is not there, nor where it would be: wrong usage."""

    exit_code = 2


def refuse_session(address: Address) -> None:
    """Raise InvalidRequest where no session has the key that was given, and name those that are like it."""
    if address.session is None or os.path.lexists(address.scope_dir("session")):
        return
    raise InvalidRequest(
        "no-session",
        f"there is no session {address.session} in this directory",
        path=address.cwd or address.key,
        hint=f"there {_like(address)}",
    )


def _like(address: Address) -> str:
    """The sessions that may have been meant, the newest first."""
    from difflib import get_close_matches

    from engine.store.listing import sessions

    if address.key is None or address.session is None:
        return "are none"
    named = address.session
    there = [entry.key for entry in sorted(sessions(address.root, address.key), key=lambda entry: -entry.mtime_ns)]
    if not there:
        return "are no sessions"
    like = [key for key in there if named in key] or get_close_matches(named, there, n=_MOST, cutoff=0.5)
    if not like:
        return f"are {len(there):,}, and `sftui status` lists them" if len(there) > 1 else f"is {there[0]}"
    more = f", and {len(like) - _MOST:,} more with it in the name" if len(like) > _MOST else ""
    return f"{'is' if len(like) == 1 else 'are'} {', '.join(like[:_MOST])}{more}"


def directory_is_missing(address: Address) -> bool:
    """Whether the directory is neither there nor known to the store: then its name is likely to be mistyped."""
    if address.cwd is None or os.path.isdir(address.cwd):
        return False
    return not os.path.lexists(address.scope_dir("cwd"))


def no_directory(address: Address) -> str:
    """Say so to one who reads."""
    return f"there is no directory {address.cwd}, and the store has no memory of it"


def begins_directory(address: Address, authored: Json, wanted: Wanted) -> bool:
    """Whether a patch gives a memory to a directory that is not there: one elsewhere, or a mistyped one."""
    touched = wanted if len(wanted) == 1 else authored if is_object(authored) else ()
    return "cwd" in touched and directory_is_missing(address)


def refuse_store(root: str) -> None:
    """Raise Misnamed where neither a store nor the directory that it would be in is there."""
    if not os.path.lexists(root) and not os.path.isdir(os.path.dirname(root)):
        raise Misnamed("no-store", "there is no store here, nor the directory above it", file=root, hint=_CREATE)
