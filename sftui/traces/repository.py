"""Traces in Git: every object of the repository that a store lies in, whether any branch leads to it or not.

Only Git itself knows its files. It is asked in a way that reads no configuration but the repository's own, runs nothing
that this names, fetches nothing and writes nothing; a repository that Git does not trust is not read.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from time import monotonic
from typing import IO, Final

from sftui.traces.sought import CHUNK, Probe, Sought
from sftui.traces.store import Step
from sftui.views.traces import Looked, Trace, Unseen

# How long Git may be asked, in seconds.
PATIENCE: Final = 60.0
# Objects that are told, each with its path; more are counted.
MOST_OBJECTS: Final = 200
_SAFE: Final = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"),
    *("-c", "protocol.allow=never", "-c", "core.commitGraph=false"),
)
_ENVIRONMENT: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}


def look(root: str, sought: Sought, *, patience: float = PATIENCE) -> Iterator[Step]:
    """Every object of the repository that holds the text; nothing where the store is in none."""
    top = _above(root)
    if top is None:
        return
    git_directory = os.path.join(top, ".git")
    if sought.whole:
        yield Unseen(git_directory, "a text this short is not looked for in Git")
        return
    try:
        asked = _git(top, "rev-parse", "--git-dir", "--show-toplevel")
    except FileNotFoundError:
        yield Unseen(git_directory, "git is not there to read it")
        return
    except (OSError, subprocess.SubprocessError) as error:
        yield Unseen(git_directory, f"git cannot be asked: {error}")
        return
    if asked.returncode:
        said = asked.stderr.decode("utf-8", "replace").strip().splitlines()
        yield Unseen(git_directory, f"git does not read it: {said[0] if said else 'no reason given'}")
        return
    deadline = monotonic() + patience
    hits: dict[str, str] = {}
    yield from _objects(top, git_directory, sought, deadline, hits)
    if hits:
        yield from _told(top, git_directory, hits)


def _above(root: str) -> str | None:
    """The directory of the repository that the store lies in."""
    at = os.path.abspath(root)
    while True:
        if os.path.lexists(os.path.join(at, ".git")):
            return at
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def _environment() -> dict[str, str]:
    """Nothing of ours that starts with GIT_ reaches it: that could name another repository, or a program."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_ENVIRONMENT}


def _command(top: str, *words: str) -> list[str]:
    return ["git", *_SAFE, "-C", top, *words]


def _git(top: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        _command(top, *words),
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )


def _objects(top: str, place: str, sought: Sought, deadline: float, hits: dict[str, str]) -> Iterator[Step]:
    """Have every object printed, and look at each; `hits` takes the names of those that hold the text, and their kind."""
    words = ("cat-file", "--batch-all-objects", "--batch", "--buffer", "--unordered")
    process = subprocess.Popen(
        _command(top, *words),
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    count = size = 0
    ended = False
    try:
        while True:
            header = process.stdout.readline(_LONGEST_HEADER)
            if not header:
                ended = True
                break
            parts = header.decode("ascii", "replace").split()
            if len(parts) != _HEADER or not parts[2].isdigit():
                continue  # a missing object
            name, kind, length = parts[0], parts[1], int(parts[2])
            probe = Probe(sought)
            for data in _content(process.stdout, length):
                if kind != "tree":
                    probe.push(data)
                size += len(data)
                yield None
            if probe.count and len(hits) < MOST_OBJECTS:
                hits[name] = kind
            count += 1
            if count % _TELL == 0:
                yield Looked("Git", count, size)
            if monotonic() > deadline:
                yield Unseen(place, f"not to its end: {count:,} objects took longer than it may")
                break
    finally:
        process.kill() if not ended else None
        process.stdout.close()
        code = process.wait()
    yield Looked("Git", count, size)
    if ended and code:
        yield Unseen(place, "not to its end: git could not read all of it")


_HEADER: Final = 3
_LONGEST_HEADER: Final = 4_096
_TELL: Final = 200


def _content(stream: IO[bytes], length: int) -> Iterator[bytes]:
    """The content of one object, and the line end behind it."""
    left = length
    while left:
        data = stream.read(min(CHUNK, left))
        if not data:
            return
        left -= len(data)
        yield data
    stream.read(1)


def _told(top: str, place: str, hits: dict[str, str]) -> Iterator[Step]:
    """Where in the history the objects stand."""
    paths: dict[str, str] = {}
    try:
        listed = _git(top, "rev-list", "--objects", "--all", "--reflog", "--indexed-objects")
        for line in listed.stdout.splitlines():
            name, _, path = line.decode("utf-8", "surrogateescape").partition(" ")
            if name in hits:
                paths.setdefault(name, path)
        remotes = _git(top, "config", "--local", "--name-only", "--get-regexp", r"^remote\..*\.url$").stdout
    except (OSError, subprocess.SubprocessError) as error:
        yield Unseen(place, f"where in its history these stand is not known: {error}")
        remotes = b""
    else:
        yield None
    names = [
        line.decode("utf-8", "replace").removeprefix("remote.").removesuffix(".url") for line in remotes.splitlines()
    ]
    beyond = f"; the remote {', '.join(names)} and every clone may have it too" if names else "; so may every clone"
    for name, kind in hits.items():
        if name not in paths:
            where, remedy = f"{kind} {name[:12]}", "no history leads to it any more: `git gc --prune=now` removes it"
        else:
            where = f"{kind} {name[:12]}" + (f" {paths[name]}" if paths[name] else "")
            remedy = f"its history must be rewritten, as with git filter-repo, and its reflogs expired{beyond}"
        yield Trace("git", where, place, remedy)
    if len(hits) == MOST_OBJECTS:
        yield Unseen(place, f"there are more than {MOST_OBJECTS} such objects; only these are told")
