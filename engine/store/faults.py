"""Every way in which a store can be wrong, as one table, and the record of one that was found."""

from __future__ import annotations

from typing import Final, Literal

from engine.memory.scope import Scope
from engine.records import dataclass
from engine.store.lockstate import KEPT

Block = Literal["scope", "runtime", "cohort", "passive", "write"]
Severity = Literal["fault", "warning"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a store.

    `address` is "." for global, the cwd key, or "<cwd key>/<session key>"; `file` is a name within
    that directory; `line` and `column` count from 1; `kept` says what stays usable.
    `hint` says what to do about it, where that is not plain. `blocks`: "scope" - the scope cannot be read alone; "runtime" - the session's own record cannot;
    "cohort" - the three scopes are not composed; "passive" - nor are the shared ones for a reader
    without a session; "write" - nobody may write this cohort.
    """

    code: str
    scope: Scope | None
    address: str
    file: str | None
    line: int | None
    column: int | None
    reason: str
    kept: str
    blocks: frozenset[Block]
    severity: Severity
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """An entry of the table: what a code means to a person."""

    title: str
    explanation: str
    kept: str
    blocks: frozenset[Block]
    severity: Severity = "fault"


_SCOPE: Final[frozenset[Block]] = frozenset({"scope", "cohort", "passive", "write"})
_PLACE: Final[frozenset[Block]] = frozenset({"scope", "runtime", "cohort", "passive", "write"})
_COHORT: Final[frozenset[Block]] = frozenset({"cohort", "passive", "write"})
_RUNTIME: Final[frozenset[Block]] = frozenset({"runtime", "cohort", "write"})
_SESSION: Final[frozenset[Block]] = frozenset({"cohort", "write"})
_WRITE: Final[frozenset[Block]] = frozenset({"write"})
_NOTHING: Final[frozenset[Block]] = frozenset()

_BYTES = "the bytes are left as they are; other scopes stay readable"
_SCOPES = "each scope stays readable on its own"
_READABLE = "everything stays readable"
_SHARED = "global and cwd memory stay readable"

FAULTS: Final[dict[str, Kind]] = {
    # What stands at a file's place.
    "symbolic-link": Kind("A symbolic link", "Links are never followed inside a store.", _BYTES, _PLACE),
    "not-a-regular-file": Kind(
        "Not a file", "Something that cannot hold memory stands where a file belongs.", _BYTES, _PLACE
    ),
    "not-a-directory": Kind(
        "Not a directory", "A directory of the store is something else, so nothing below it can be had.", _BYTES, _PLACE
    ),
    "no-permission": Kind("Not permitted", "This user may not read the file.", _BYTES, _PLACE),
    "unreadable": Kind("Unreadable", "The system could not read the file.", _BYTES, _PLACE),
    "too-large": Kind("Too large", "The file is larger than any memory should be.", _BYTES, _PLACE),
    # Bytes that are not the JSON of a store.
    "nul-bytes": Kind("NUL bytes", "The file was probably cut off by a crash and filled with zeros.", _BYTES, _SCOPE),
    "byte-order-mark": Kind(
        "Byte order mark", "An editor put a mark before the JSON, which agents refuse.", _BYTES, _SCOPE
    ),
    "control-character": Kind(
        "Control character", "A string holds a control character that JSON forbids.", _BYTES, _SCOPE
    ),
    "not-json": Kind("Not JSON", "The text is not valid JSON.", _BYTES, _SCOPE),
    "too-deep": Kind("Nested too deep", "The value is nested deeper than anything here can handle.", _BYTES, _SCOPE),
    "number-range": Kind("Not a number", "A number is not one that JSON can carry.", _BYTES, _SCOPE),
    "not-an-object": Kind("Not an object", "Memory and patches are objects.", _BYTES, _SCOPE),
    # Files that do not fit each other.
    "half-pair": Kind("Half a pair", "Of the checkpoint and the tail only one is there.", _BYTES, _SCOPE),
    "meta-missing": Kind("Metadata missing", "Memory is there, but not the record of its boundaries.", _BYTES, _SCOPE),
    "bad-meta": Kind("Metadata malformed", "The metadata is not what the format says.", _BYTES, _SCOPE),
    "no-temporal": Kind("No boundaries", "The metadata does not record the boundaries of the memory.", _BYTES, _SCOPE),
    "bad-boundary": Kind("Boundary malformed", "A boundary is not what the format says.", _BYTES, _SCOPE),
    "bad-revision": Kind("Revision malformed", "The revision does not fit the retained patches.", _BYTES, _SCOPE),
    "count-mismatch": Kind("Counts differ", "There are not as many patches as boundaries.", _BYTES, _SCOPE),
    "positions-not-rising": Kind("Order broken", "The boundaries do not rise.", _BYTES, _SCOPE),
    "boundary-twice": Kind("Boundary twice", "One boundary stands for two patches.", _BYTES, _SCOPE),
    "wrong-parent": Kind("Ancestry broken", "A boundary names another parent than the one before it.", _BYTES, _SCOPE),
    "tail-too-long": Kind("Tail too long", "More patches are retained than the format allows.", _BYTES, _SCOPE),
    "owner-missing": Kind("No owner", "The metadata does not say whose directory this is.", _BYTES, _SCOPE),
    "bad-owner": Kind("Owner malformed", "The owner record is not what the format says.", _BYTES, _SCOPE),
    "wrong-owner": Kind(
        "Another directory's memory",
        "Two directories map to one name; the one recorded here has it, and the other cannot.",
        _BYTES,
        _SCOPE,
    ),
    # Values that may not be stored.
    "null-stored": Kind("A null in memory", "A null can only mean a deletion.", _BYTES, _SCOPE),
    "plane-type": Kind("A plane of the wrong type", "Planes are objects, the answer is a string.", _BYTES, _SCOPE),
    "shared-response": Kind("An answer in shared memory", "Only a session records an answer.", _BYTES, _SCOPE),
    "retired-key": Kind("A retired key", "The key is no longer stored.", _BYTES, _SCOPE),
    "invalid-artifact": Kind("An artifact card is wrong", "Cards need a description.", _BYTES, _SCOPE),
    "bad-value": Kind("A value that may not be stored", "The memory breaks a rule of the format.", _BYTES, _SCOPE),
    "bad-patch": Kind("A patch that cannot be applied", "Replaying the tail fails.", _BYTES, _SCOPE),
    # Vocabulary.
    "unsupported-version": Kind(
        "Unknown version", "The metadata has a version that is not understood.", "its bytes can be looked at", _COHORT
    ),
    "bad-roots": Kind("Roots malformed", "The declared external roots are not understood.", _BYTES, _COHORT),
    "mixed-dialect": Kind("Another vocabulary", "This scope speaks another dialect than the others.", _SCOPES, _COHORT),
    "predecessor": Kind(
        "An older format", "A state.json of an older format lies here.", _READABLE, frozenset({"scope", "write"})
    ),
    "unknown-members": Kind(
        "Unknown members",
        "Members were found that are not understood; writing could delete them.",
        _READABLE,
        _WRITE,
        "warning",
    ),
    # What one should know before writing.
    "memory-lost": Kind(
        "Memory was lost",
        "The metadata tells of memory whose files are gone.",
        "the metadata tells what was there",
        _NOTHING,
        "warning",
    ),
    "replacement-characters": Kind(
        "Not UTF-8",
        "Bytes that are not UTF-8 are read as replacement characters; rewriting the file would lose them.",
        _READABLE,
        _NOTHING,
        "warning",
    ),
    "cwd-without-global": Kind(
        "No global memory",
        "A cwd scope is refused by agents while there is no global one.",
        _SCOPES,
        frozenset({"passive"}),
        "warning",
    ),
    # A session's own record.
    "runtime-missing": Kind("No runtime record", "The session has files, but no runtime record.", _SHARED, _RUNTIME),
    "bad-runtime": Kind(
        "Runtime record malformed", "The runtime record is not what the format says.", _SHARED, _RUNTIME
    ),
    "runtime-holds-state": Kind("Memory in the wrong file", "The runtime record holds memory.", _SHARED, _RUNTIME),
    "runtime-other-cwd": Kind("Another directory's session", "The session belongs elsewhere.", _SHARED, _RUNTIME),
    "runtime-other-session": Kind("Another session's record", "The record names another session.", _SHARED, _RUNTIME),
    "bad-lineage": Kind("Lineage broken", "The boundaries of the session do not follow each other.", _SHARED, _RUNTIME),
    "bad-mode": Kind("Mode unknown", "The session's mode file is not what the format says.", _SHARED, _RUNTIME),
    # The cohort as a whole.
    "session-pair-missing": Kind(
        "The session's memory is gone", "Its runtime record is there, its memory is not.", _SHARED, _SESSION
    ),
    "boundary-contradiction": Kind("Contradicting boundaries", "One id has two meanings.", _SCOPES, _SESSION),
    "session-diverged": Kind(
        "Session diverged", "The session's memory does not fit its own lineage.", _SHARED, _SESSION
    ),
    "bad-config": Kind("Settings malformed", "The operator's settings are not understood.", _READABLE, _WRITE),
    # The lock.
    "lock-held": Kind(
        "Locked", "A running process holds the lock.", "what was read before stays in view", _NOTHING, "warning"
    ),
    "lock-dead": Kind("A lock was left behind", "The process that held the lock is gone.", KEPT, _WRITE),
    "lock-empty": Kind("A lock was left behind", "The lock names no process.", KEPT, _WRITE),
    "lock-malformed": Kind("A lock that no agent wrote", "What the lock holds is no process number.", KEPT, _WRITE),
    "lock-unreadable": Kind(
        "Lock unknown", "Whether somebody is writing cannot be told.", "nothing can be written until it can", _WRITE
    ),
    "lock-not-a-file": Kind("Not a lock", "Something else stands in the lock's place.", KEPT, _WRITE),
}


def make_fault(
    code: str,
    reason: str,
    *,
    scope: Scope | None = None,
    address: str = ".",
    file: str | None = None,
    line: int | None = None,
    column: int | None = None,
    also: frozenset[Block] = _NOTHING,
) -> Fault:
    """A fault of the table.  What is wrong with a session never blocks a reader without one."""
    kind = FAULTS[code]
    blocks = kind.blocks | also
    if scope == "session" and kind.blocks is not _PLACE:
        blocks -= {"passive"}
    return Fault(code, scope, address, file, line, column, reason, kind.kept, blocks, kind.severity)
