"""What the rules need to know of the disk: sources of artifacts, and directories whose memory is kept. Reads only."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from typing import Final

from engine.health.findings import Limits
from engine.health.sources import Evidence, Looked, evidence_of, needs_reading
from engine.health.subject import Subject
from engine.memory.dialect import ARTIFACTS
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.store.listing import cwds
from engine.values import is_object

# Nothing is there, and nothing can be in the way of seeing that.
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})
_PIECE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Orphan:
    """Memory of a directory that is not there any more."""

    key: str
    directory: str


@dataclass(frozen=True, slots=True)
class Source:
    """A source with what was recorded of it and what is there."""

    scope: Scope
    path: str
    evidence: Evidence
    looked: Looked


@dataclass(frozen=True, slots=True)
class Disk:
    """What was found on the disk for one look."""

    sources: tuple[Source, ...] = ()
    orphans: tuple[Orphan, ...] = ()


class Looker:
    """Looks at the disk; what was hashed once is known by its file's identity."""

    def __init__(self) -> None:
        self._hashed: dict[tuple[str, tuple[int, ...]], str] = {}

    def look(
        self,
        subject: Subject,
        limits: Limits,
        step: Callable[[], object] = lambda: None,
    ) -> Disk:
        """Look at the source of every artifact card, and at every directory that a store keeps memory of."""
        hashed, self._hashed = self._hashed, {}
        sources: list[Source] = []
        for scope, state in subject.states.items():
            cards = state.get(ARTIFACTS)
            for name in cards if is_object(cards) else ():
                where = _path_of(name, subject.bases.get(scope))
                if where is None:
                    continue
                evidence = evidence_of(subject.recorded.get(scope, {}).get(name))
                sources.append(Source(scope, name, evidence, self._look_at(where, evidence, limits, hashed)))
                step()
        return Disk(tuple(sources), orphans(subject.root))

    def _look_at(
        self,
        path: str,
        evidence: Evidence,
        limits: Limits,
        hashed: Mapping[tuple[str, tuple[int, ...]], str],
    ) -> Looked:
        try:
            found = os.lstat(path)
        except OSError as error:
            return Looked("gone") if error.errno in _GONE else Looked("unknown", why=error.strerror or str(error))
        except ValueError:
            return Looked("unknown", why="this is no path")
        if stat.S_ISLNK(found.st_mode):
            return Looked("unknown", why="there is a link, which is not followed")
        if not stat.S_ISREG(found.st_mode):
            return Looked("unknown", why="what is there is not a file")
        size, mtime = found.st_size, found.st_mtime_ns
        if not needs_reading(evidence, size, mtime):
            return Looked("file", size, mtime)
        if size > limits.source_bytes:
            return Looked(
                "file", size, mtime, why=f"it is longer than the {limits.source_bytes:,} bytes that are compared"
            )
        key = (path, _identity(found))
        digest = hashed.get(key) or self._hashed.get(key)
        why = ""
        if digest is None:
            digest, why = _digest(path, found, limits.source_bytes)
        if digest is not None:
            self._hashed[key] = digest
        return Looked("file", size, mtime, digest, why)


def orphans(root: str) -> tuple[Orphan, ...]:
    """The directories of a store's cwd scopes that are plainly not there now."""
    return tuple(
        Orphan(entry.key, entry.owner_cwd)
        for entry in cwds(root)
        if entry.owner_cwd is not None and not entry.exists and _is_gone(entry.owner_cwd)
    )


def _is_gone(path: str) -> bool:
    try:
        os.stat(path)
    except OSError as error:
        return error.errno in _GONE
    except ValueError:
        return False
    return False


def _path_of(source: str, base: str | None) -> str | None:
    """Where a source is looked for; None for what is no path of a file, or relative to nothing known."""
    if "://" in source or "\0" in source or source.startswith("~"):
        return None
    if os.path.isabs(source):
        return source
    return None if base is None else os.path.join(base, source)


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _digest(path: str, expected: os.stat_result, most: int) -> tuple[str | None, str]:
    """The hash of a file as the metadata writes it, or why there is none. Opens nothing but the file that was seen."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return None, error.strerror or str(error)
    try:
        if _identity(os.fstat(descriptor)) != _identity(expected):
            return None, "it is just being changed"
        made = hashlib.sha256()
        left = most
        while data := os.read(descriptor, _PIECE):
            made.update(data)
            left -= len(data)
            if left < 0:
                return None, "it is just being changed"
    except OSError as error:
        return None, error.strerror or str(error)
    finally:
        os.close(descriptor)
    return f"sha256:{made.hexdigest()}", ""
