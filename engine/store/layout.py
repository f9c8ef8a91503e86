"""Where things lie: roots, keys, addresses and the cheap enumeration of what a root holds."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Final

from engine.errors import InvalidRequest
from engine.memory.scope import Scope
from engine.records import dataclass

LOCK_NAME: Final = ".state-flow-publication.lock"
CHECKPOINT: Final = "checkpoint.json"
PATCHES: Final = "patches.jsonl"
META: Final = "meta.json"
CONFIG: Final = "config.json"
RUNTIME: Final = "runtime.json"
PREDECESSOR: Final = "state.json"
SHARED_FILES: Final = (CHECKPOINT, PATCHES, META)
SESSION_FILES: Final = (CHECKPOINT, PATCHES, META, CONFIG, RUNTIME)
ARCHIVES: Final = "archives"
"""The directory in `store_home` for archives of a whole store: one file each, a compressed tar."""
MODES: Final = ("active", "passive", "off")

_SESSION_KEY: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_SEPARATORS: Final = re.compile(r"[/\\:]")


@dataclass(frozen=True, slots=True)
class Address:
    """One cohort: a resolved root, a working directory (or only its key) and a session key.

    Make one with `locate`, which resolves the root once.  `key` stands alone where the directory
    is not known (its owner record is unreadable); then no owner is checked.
    """

    root: str
    cwd: str | None = None
    session: str | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        if self.cwd is not None and self.key is None:
            object.__setattr__(self, "key", cwd_key(self.cwd))
        if self.session is not None:
            if self.key is None:
                raise InvalidRequest("no-cwd", "a session belongs to a working directory")
            if not is_session_key(self.session):
                raise InvalidRequest("bad-session-key", "this is not a session key", path=self.session)

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes that this address has a place for, broadest first."""
        if self.session is not None:
            return ("global", "cwd", "session")
        return ("global", "cwd") if self.key is not None else ("global",)

    def component(self, scope: Scope) -> str:
        """The name of a narrower scope's directory within the one above it."""
        name = self.key if scope == "cwd" else self.session if scope == "session" else None
        if name is None:
            raise InvalidRequest("no-such-scope", f"this address has no {scope} scope", scope=scope)
        return name

    def scope_dir(self, scope: Scope) -> str:
        """The directory of a scope, as a path."""
        if scope == "global":
            return self.root
        return f"{self.root}/{self.scope_address(scope)}"

    def scope_address(self, scope: Scope) -> str:
        """What names a scope within a root: ".", "<cwd key>" or "<cwd key>/<session key>"."""
        if scope == "global":
            return "."
        name = self.component(scope)
        return name if scope == "cwd" else f"{self.key}/{name}"


def files_of(scope: Scope) -> tuple[str, ...]:
    """The names of a scope's files, in the order in which they are written."""
    return SESSION_FILES if scope == "session" else SHARED_FILES


def locate(root: str, cwd: str | None = None, session: str | None = None) -> Address:
    """The address of a cohort; links above and at the root are followed here, once."""
    directory = None if cwd is None else normal_cwd(cwd)
    return Address(os.path.realpath(root), directory, session)


def default_root(environ: Mapping[str, str]) -> str:
    """Where an agent keeps its memory when nobody says otherwise."""
    base = environ.get("PI_CODING_AGENT_DIR")
    if base:
        return os.path.join(_home_expanded(base, environ), "state-flow")
    return os.path.join(_home(environ), ".pi", "agent", "state-flow")


def state_home(environ: Mapping[str, str]) -> str:
    """Our own directory for what belongs to no store (ledger, journal, drafts)."""
    if sys.platform == "darwin":
        return os.path.join(_home(environ), "Library", "Application Support", "sftui")
    if sys.platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(_home(environ), "AppData", "Local")
        return os.path.join(base, "sftui")
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(_home(environ), ".local", "state")
    return os.path.join(base, "sftui")


def store_home(root: str, environ: Mapping[str, str] | None = None) -> str:
    """Our directory for one store, named by a digest of its resolved root; not created here."""
    from hashlib import sha256

    real = os.fsencode(os.path.realpath(root))
    home = state_home(os.environ if environ is None else environ)
    return os.path.join(home, "stores", sha256(real).hexdigest()[:24])


def normal_cwd(cwd: str) -> str:
    """The absolute, normalised form of a directory, as an agent writes it."""
    path = os.path.normpath(os.path.abspath(cwd))
    return path[1:] if path.startswith("//") else path


def cwd_key(cwd: str) -> str:
    """The directory name for a working directory; lossy, so never proof of identity."""
    path = normal_cwd(cwd)
    if path[:1] in ("/", "\\"):
        path = path[1:]
    return f"--{_SEPARATORS.sub('-', path)}--"


def is_cwd_key(name: str) -> bool:
    return name.startswith("--") and name.endswith("--")


def is_session_key(name: str) -> bool:
    return _SESSION_KEY.fullmatch(name) is not None


def session_key(file: str | None, session_id: str, timestamp: str | None) -> str:
    """The key of a session from its transcript file, else from its header's time and its id."""
    if file is not None:
        name = re.split(r"[/\\]", file)[-1]
        key = name.removesuffix(".jsonl") if name.endswith(".jsonl") else ""
    elif timestamp is not None:
        key = f"{re.sub(r'[:.]', '-', timestamp)}_{session_id}"
    else:
        key = session_id
    if not is_session_key(key):
        raise InvalidRequest("bad-session-key", "no session key can be made of this", path=file)
    return key


def owned(root: str, path: str) -> bool:
    """Whether a path names one of the files that a store consists of."""
    base, full = os.path.normpath(root), os.path.normpath(path)
    if not full.startswith(base + os.sep):
        return False
    *parents, name = full[len(base) + 1 :].split(os.sep)
    if not parents:
        return name in SHARED_FILES
    if not is_cwd_key(parents[0]) or len(parents) > 2:
        return False
    if len(parents) == 1:
        return name in SHARED_FILES
    return is_session_key(parents[1]) and name in SESSION_FILES


def _home(environ: Mapping[str, str]) -> str:
    return environ.get("HOME") or os.path.expanduser("~")


def _home_expanded(path: str, environ: Mapping[str, str]) -> str:
    if path == "~" or path.startswith("~/"):
        return _home(environ) + path[1:]
    return path
