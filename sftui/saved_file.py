"""A file that a person asked for: made whole or not at all, private, nothing replaced unasked, never in a store."""

from __future__ import annotations

import os

from engine.errors import EngineError, StoreFailure
from engine.store import files


class Refused(EngineError):
    """The file cannot be made there: wrong usage."""

    exit_code = 2


def save(path: str, data: bytes, *, root: str, force: bool = False) -> str:
    """Make a file for its user alone, and give its full path. Raises Refused, or StoreFailure where the disk does not
    take it; then whatever stood there is as it was.
    """
    if "\0" in path:
        raise Refused("bad-name", "a file's name cannot hold a NUL", hint="name another file")
    named = os.path.expanduser(path)
    if os.path.islink(named) and not os.path.exists(named):
        raise Refused(
            "not-a-file", "what stands there is a link that leads nowhere", file=named, hint="name another file"
        )
    target = os.path.realpath(named)
    store = os.path.realpath(root)
    if target == store or target.startswith(store.rstrip(os.sep) + os.sep):
        raise Refused(
            "in-the-store", "nothing but memory is written into a store", file=target, hint="name another file"
        )
    if os.path.lexists(target) and not os.path.isfile(target):
        raise Refused("not-a-file", "what stands there is no file", file=target, hint="name another file")
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        if force:
            files.replace_private(target, data, temporary)
        else:
            _make(target, data, temporary)
    except FileExistsError:
        raise Refused("there-already", "this file is there already", file=target, kept="it is as it was",
                      hint="name another one; on the command line --force replaces it") from None  # fmt: skip
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreFailure("not-saved", f"the file cannot be written: {reason}", file=target) from error
    return target


def _make(target: str, data: bytes, temporary: str) -> None:
    """Make a file that is not there yet: whoever makes it meanwhile keeps theirs."""
    if os.path.lexists(target):
        raise FileExistsError
    try:
        files.write_private(temporary, data)
        try:
            files.link(temporary, target)
        except FileExistsError:
            raise
        except OSError:
            # No links here: then it is looked for once more, and put in its place.
            if os.path.lexists(target):
                raise FileExistsError from None
            files.rename(temporary, target)
    finally:
        if os.path.lexists(temporary):
            files.unlink(temporary)
    files.sync_directory(os.path.dirname(target))
