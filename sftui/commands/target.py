"""Which memory a command is about: the store, the cohort in it, and the scopes that are wanted."""

from __future__ import annotations

import os
from argparse import Namespace

from engine.errors import Busy, EngineError, Fenced, InvalidRequest
from engine.memory.cohort import Cohort
from engine.memory.scope import SCOPES, Wanted, parse_wanted
from engine.records import dataclass
from engine.store.layout import Address, default_root, is_session_key, locate
from engine.store.partial import cohort_of
from engine.store.readings import Snapshot
from sftui.commands.absent import directory_is_missing, no_directory, refuse_session
from sftui.commands.output import complain

NEWEST = "newest"
_NAME_IT = "name it with --session KEY, or take --session newest"


@dataclass(frozen=True, slots=True)
class Target:
    """A cohort and the scopes of it that a command may use."""

    address: Address
    wanted: Wanted


def hint_at_session(error: InvalidRequest, options: Namespace) -> None:
    """Say how a session is named, where its scope or its history was meant and none was named."""
    if options.session is not None:
        return
    if error.scope == "session" or (error.path or "").startswith("session"):
        error.hint = _NAME_IT
    elif error.code == "history-unavailable" and error.scope is None:
        error.hint = f"{error.hint}, since no session is open: {_NAME_IT}; a revision is named as in cwd@8"


def target(options: Namespace, *, writing: bool = False, lenient: bool = False, judging: bool = False) -> Target:
    """Find out what the options are about; raises InvalidRequest.

    `lenient` goes on without a session where the newest one is wanted and there is none, and judges one that is not there.

    For `judging` nothing narrower than what is wanted is looked at, so that it cannot be held against it.
    A writer looks at the cwd even for global memory alone: a fresh origin lies above everything that the three hold.
    """
    root = options.store or default_root(os.environ)
    wanted = parse_wanted(options.scopes) if options.scopes else None
    directory: str = options.cwd or os.getcwd()
    cwd: str | None = directory
    session: str | None = options.session
    if session == NEWEST:
        try:
            session = _newest(root, directory)
        except InvalidRequest as error:
            if not lenient:
                raise
            complain(f"{error.message} ({error.path}), so only global and cwd memory are looked at")
            session = None
    if session is not None and not is_session_key(session):
        raise InvalidRequest("bad-session-key", "this is not a session key", path=session)
    if wanted is None:
        wanted = SCOPES if session is not None else ("global", "cwd")
    elif "session" in wanted and session is None:
        raise InvalidRequest("no-session", "the session scope is wanted, but no session was named",
                             hint=_NAME_IT)  # fmt: skip
    if judging and "session" not in wanted:
        session = None
    if wanted == ("global",) and session is None and not writing:
        # Nothing of a cwd is needed, so a broken one must not stand in the way.
        cwd = None
    found = Target(locate(root, cwd, session), wanted)
    if not lenient:
        refuse_session(found.address)
    if not writing and "cwd" in wanted and directory_is_missing(found.address):
        complain(no_directory(found.address))
    return found


def composed(snapshot: Snapshot, needed: Wanted) -> Cohort:
    """The cohort of a snapshot, or of the needed scopes alone; raises Busy or Fenced where these are not to be had."""
    cohort = cohort_of(snapshot, needed)
    if cohort is None:
        raise obstacle(snapshot, needed)
    return cohort


def obstacle(snapshot: Snapshot, needed: Wanted = SCOPES) -> EngineError:
    """The error that says why a snapshot has no cohort: its first fault (in a needed scope if any), or who is writing."""
    if snapshot.verdict == "busy":
        owner = f"process {snapshot.lock.pid}" if snapshot.lock.pid is not None else "another program"
        return Busy(
            "busy", f"the store is locked by {owner}", file=snapshot.lock.path, hint="try again when it is done"
        )
    # A scope that is not needed may still be the reason why the needed ones cannot be composed.
    for fault in sorted(snapshot.all_faults, key=lambda fault: fault.scope is not None and fault.scope not in needed):
        if fault.severity == "fault" and fault.blocks & {"cohort", "scope"}:
            return Fenced(
                fault.code,
                fault.reason,
                scope=fault.scope,
                file=place(fault.address, fault.file),
                line=fault.line,
                column=fault.column,
                kept=fault.kept,
                hint="sftui doctor lists everything that is wrong",
            )
    return Fenced("not-composed", "the memory here cannot be read as one", hint="sftui doctor says why")


def place(address: str, file: str | None) -> str | None:
    """A file below the store's root, as one relative path."""
    if file is None:
        return None if address == "." else address
    return file if address in ("", ".") else f"{address}/{file}"


def _newest(root: str, cwd: str) -> str:
    from engine.store.layout import cwd_key
    from engine.store.listing import newest_session

    if not os.path.isdir(root):
        raise InvalidRequest("no-store", "there is no store here", path=root)
    newest = newest_session(os.path.realpath(root), cwd_key(cwd))
    if newest is None:
        raise InvalidRequest("no-session", "no session has run in this directory", path=cwd)
    return newest.key
