"""The one place where this package touches a file system, and how a file is captured.

The names under "Seam" are the system calls themselves: everything in `engine.store` calls them
through this module, so that a test can make any of them fail.  A capture never follows a link,
never waits on a FIFO and never leaves a trace.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import time
from typing import Final, NamedTuple

from engine.errors import StoreFailure
from engine.records import dataclass, field

# Seam: plain aliases, looked up at every call.
open = os.open  # noqa: A001 - the name of the system call
close = os.close
read = os.read
write = os.write
fstat = os.fstat
stat = os.stat
fsync = os.fsync
rename = os.replace
writev = os.writev
pread = os.pread
rmdir = os.rmdir
link = os.link
unlink = os.unlink
mkdir = os.mkdir
scandir = os.scandir
now_ns = time.time_ns

NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK: Final = getattr(os, "O_NONBLOCK", 0)
DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0)
CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
READ_FLAGS: Final = os.O_RDONLY | NOFOLLOW | NONBLOCK | CLOEXEC
DIRECTORY_FLAGS: Final = os.O_RDONLY | NOFOLLOW | DIRECTORY | CLOEXEC

MAX_FILE_BYTES: Final = 1 << 30
"""A larger file is refused: no memory of this kind is so large, and reading it would exhaust ours."""

TICK_NS: Final = 20_000_000
"""Two changes within this time may get the same time stamp (kernels stamp with a 1 to 10 ms clock)."""
COARSE_TICK_NS: Final = 2_000_000_000
"""The same for file systems that keep whole seconds (FAT keeps two)."""


class Identity(NamedTuple):
    """What tells one state of a file from another without reading it (a tuple: made for every file)."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int


_OUR_OWN_WANT: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class Refusal(Exception):
    """A name that cannot be read as a regular file or directory: `code`, `reason`, optional `errno`."""

    def __init__(self, code: str, reason: str, number: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.errno = number


@dataclass(slots=True)
class Capture:
    """One look at one name.

    `identity` is None when nothing was there; `data` is None then, when the name was refused, or
    once the bytes have been understood and let go; `racy` says that the clock could not tell a
    later change from this one, so the bytes must be looked at again; `refusal` says why the name
    was not read.  Never changed after it has been handed out, but for letting `data` go.
    """

    identity: Identity | None
    data: bytes | None = None
    racy: bool = False
    refusal: Refusal | None = None
    _sha256: str | None = field(default=None, repr=False, compare=False)

    @property
    def sha256(self) -> str | None:
        """Hex digest of the bytes, taken once; None when they are absent or were let go before."""
        if self._sha256 is None and self.data is not None:
            from hashlib import sha256

            self._sha256 = sha256(self.data).hexdigest()
        return self._sha256


ABSENT: Final = Capture(None)


def release(descriptor: int) -> None:
    """Close what nothing hangs on any more: an error would say nothing that the calls before did not."""
    try:
        close(descriptor)
    except OSError:
        pass


def identity_of(found: os.stat_result) -> Identity:
    return Identity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def same_file(known: Identity, found: os.stat_result) -> bool:
    """Whether `found` is the very state that `known` was taken from."""
    return (
        known.ctime_ns == found.st_ctime_ns
        and known.size == found.st_size
        and known.ino == found.st_ino
        and known.mtime_ns == found.st_mtime_ns
        and known.dev == found.st_dev
    )


def is_racy(found: os.stat_result, at_ns: int) -> bool:
    """Whether a change made after `at_ns` could carry the time stamps of `found`."""
    changed = found.st_ctime_ns
    if changed < at_ns - COARSE_TICK_NS:
        return False
    whole = not changed % 1_000_000_000 and not found.st_mtime_ns % 1_000_000_000
    return changed >= at_ns - (COARSE_TICK_NS if whole else TICK_NS)


def is_young(found: os.stat_result, at_ns: int) -> bool:
    """Whether bytes written over those of `found` after `at_ns` could leave its mtime as it is.

    For a file of our own making this is enough: its bytes are known, and its ctime is that of its renaming.
    """
    whole = not found.st_mtime_ns % 1_000_000_000
    return found.st_mtime_ns >= at_ns - (COARSE_TICK_NS if whole else TICK_NS)


def kind_of(mode: int) -> str:
    """What stands where a regular file should be, in words."""
    if modes.S_ISDIR(mode):
        return "a directory"
    if modes.S_ISLNK(mode):
        return "a symbolic link"
    if modes.S_ISFIFO(mode):
        return "a FIFO"
    if modes.S_ISSOCK(mode):
        return "a socket"
    if modes.S_ISREG(mode):
        return "a regular file"
    return "a device"


def open_directory(name: str, parent: int | None = None) -> int | None:
    """A descriptor of directory `name` (in `parent`), None when absent; raises Refusal."""
    try:
        return open(name, DIRECTORY_FLAGS, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _refused(name, parent, error, "directory") from error


def capture(name: str, directory: int) -> Capture:
    """Read file `name` of the open `directory` in one go; refusals are returned, not raised."""
    try:
        descriptor = open(name, READ_FLAGS, dir_fd=directory)
    except FileNotFoundError:
        return ABSENT
    except OSError as error:
        return Capture(None, refusal=_refused(name, directory, error, "regular file"))
    try:
        at = now_ns()
        found = fstat(descriptor)
        if not modes.S_ISREG(found.st_mode):
            reason = f"{kind_of(found.st_mode)} stands where a regular file belongs"
            return Capture(None, refusal=Refusal("not-a-regular-file", reason))
        if found.st_size > MAX_FILE_BYTES:
            reason = f"{found.st_size} bytes are more than the {MAX_FILE_BYTES} that are read"
            return Capture(identity_of(found), refusal=Refusal("too-large", reason))
        return Capture(identity_of(found), _read_all(descriptor, found.st_size), is_racy(found, at))
    except OSError as error:
        return Capture(None, refusal=_refused(name, directory, error, "regular file"))
    finally:
        release(descriptor)


def _read_all(descriptor: int, size: int) -> bytes:
    # One byte more than expected, so that a file that has grown is noticed without another call.
    data = read(descriptor, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    total = len(data)
    while data and total <= MAX_FILE_BYTES:
        data = read(descriptor, 1 << 20)
        parts.append(data)
        total += len(data)
    return b"".join(parts)


def _refused(name: str, parent: int | None, error: OSError, wanted: str) -> Refusal:
    """Say what stands there rather than which errno a kernel chose for it.

    That this process or machine is short of means says nothing of a store: then StoreFailure is raised.
    """
    if error.errno in _OUR_OWN_WANT:
        raise StoreFailure(
            "no-means", f"the store cannot be read: {error.strerror}", file=name, kept="nothing was touched"
        ) from error
    belongs = f"a {wanted}"
    try:
        kind = kind_of(stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except OSError:
        kind = belongs
    if kind != belongs:
        code = "symbolic-link" if kind == "a symbolic link" else f"not-a-{wanted.replace(' ', '-')}"
        return Refusal(code, f"{kind} stands where {belongs} belongs", error.errno)
    if error.errno in (errno.EACCES, errno.EPERM):
        return Refusal("no-permission", f"the {wanted} may not be read by this user", error.errno)
    return Refusal("unreadable", f"the {wanted} cannot be read: {error.strerror}", error.errno)


def make_private(directory: str) -> None:
    """Make a directory outside of any store, and those above it that are missing, for this user alone."""
    if os.path.isdir(directory):
        return
    above = os.path.dirname(directory)
    if above and above != directory:
        make_private(above)
    try:
        mkdir(directory, 0o700)
    except FileExistsError:
        return
    sync_directory(above)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, in as many calls as the system makes of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[write(descriptor, rest) :]


def read_private(path: str) -> bytes:
    """Read a file outside of any store. What is no regular file is refused: a pipe would be waited for for ever."""
    descriptor = open(path, READ_FLAGS)
    try:
        found = fstat(descriptor)
        if not modes.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, f"{kind_of(found.st_mode)} stands where a file belongs", path)
        return _read_all(descriptor, found.st_size)
    finally:
        release(descriptor)


def write_private(path: str, data: bytes, *, durable: bool = True) -> None:
    """Make a file outside of any store hold `data`, for this user alone."""
    descriptor = open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NOFOLLOW | CLOEXEC, 0o600)
    try:
        write_all(descriptor, data)
        if durable:
            fsync(descriptor)
    finally:
        release(descriptor)


def replace_private(path: str, data: bytes, temporary: str, *, durable: bool = True) -> None:
    """Put a whole private file in the place of another: it holds the old bytes or the new ones, never a part.

    Unless it is `durable`, the old ones may be back after a power loss. A failure leaves no `temporary`.
    """
    try:
        write_private(temporary, data, durable=durable)
        rename(temporary, path)
    except BaseException:
        try:
            unlink(temporary)
        except OSError:
            pass
        raise
    if durable:
        sync_directory(os.path.dirname(path))


def sync_directory(directory: str) -> None:
    """Make the names in a directory durable."""
    descriptor = open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        fsync(descriptor)
    finally:
        close(descriptor)
