"""The index beside the log, so that opening a long log stays cheap. It is worth nothing but time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from engine import values
from engine.errors import DecodeError
from engine.ledger.index import Footing, Index, Known
from engine.ledger.lines import from_line
from engine.ledger.log import complete_lines, proof
from engine.store import files

MEMO_NAME: Final = "events.index"
# Folding this much takes about a ms; beyond it, writing the memo again is the cheaper way.
MEMO_EVERY: Final = 32 * 1024
# A large memo is written as seldom as its size says.
_SHARE: Final = 4
# Lines looked at between two looks at whether to go on.
_LINES: Final = 1_000


class Memo:
    """The memo of one log. What it says is believed where it is of this log."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, MEMO_NAME)
        self._offset = 0
        self._size = 0

    def read(self, descriptor: int) -> tuple[Index, int]:
        """Give the index, and up to which offset of the log it is the fold; nothing up to 0 where there is none."""
        self._offset, self._size = 0, 0
        try:
            text = files.read_private(self._path)
            memo = values.decode(text).value
        except (OSError, DecodeError):
            return Index(), 0
        if not values.is_object(memo):
            return Index(), 0
        offset, known, index = memo.get("offset"), memo.get("proof"), from_memo(memo.get("index"))
        if index is None or not isinstance(offset, int) or offset < 0 or known != proof(descriptor, offset):
            return Index(), 0
        self._offset, self._size = offset, len(text)
        return index, offset

    def keep(self, descriptor: int, index: Index, offset: int) -> None:
        """Write it anew where so much has come to the log that this pays. Raises OSError."""
        if offset - self._offset < max(MEMO_EVERY, _SHARE * self._size):
            return
        memo: values.JsonObject = {"offset": offset, "proof": proof(descriptor, offset), "index": to_memo(index)}
        text = values.encode(memo)
        files.replace_private(self._path, text, f"{self._path}.{os.getpid()}", durable=False)
        self._offset, self._size = offset, len(text)

    def is_wrong(self, descriptor: int, step: Callable[[int, int], object] | None = None) -> bool:
        """Whether it would be believed although it is not the fold of the log; then it is removed. Raises OSError."""
        index, end = self.read(descriptor)
        anew = Index()
        for number, (offset, line) in enumerate(complete_lines(descriptor, 0)):
            if offset > end:
                break
            event = from_line(line, outline=True)
            if event is not None:
                anew.step(event, len(line) + 1)
            if step is not None and not number % _LINES:
                step(offset, end)
        if anew == index:
            return False
        files.unlink(self._path)
        return True


def to_memo(index: Index) -> values.JsonObject:
    """Write an index down, for `from_memo`."""
    scopes: dict[str, values.Json] = {
        address: [k.scope, k.revision, k.boundary_id, k.written, k.seen, k.turns, k.gone]
        for address, k in index.scopes.items()
    }
    faults: list[values.Json] = [[*key, is_open, seen] for key, (is_open, seen) in index.faults.items()]
    footings: dict[str, values.Json] = {a: [f.whole, f.since, f.broken] for a, f in index.footings.items()}
    composed: dict[str, values.Json] = {address: dict(known) for address, known in index.composed.items()}
    return {"scopes": scopes, "faults": faults, "footings": footings, "composed": composed}


def from_memo(memo: values.Json) -> Index | None:
    """Read an index back; None for anything that `to_memo` did not write. Earlier versions wrote less."""
    if not values.is_object(memo):
        return None
    scopes, faults = memo.get("scopes"), memo.get("faults")
    footings, composed = memo.get("footings", {}), memo.get("composed", {})
    if not values.is_object(scopes) or not values.is_array(faults):
        return None
    if not values.is_object(footings) or not values.is_object(composed):
        return None
    index = Index()
    for address, footing in footings.items():
        match footing if values.is_array(footing) else ():
            case [int(length), int(since), bool(broken)]:
                index.footings[address] = Footing(length, since, broken)
            case _:
                return None
    for address, known in composed.items():
        revisions: dict[str, int] = {}
        for scope_address, revision in known.items() if values.is_object(known) else ():
            if type(revision) is not int:
                return None
            revisions[scope_address] = revision
        index.composed[address] = revisions
    for address, entry in scopes.items():
        match entry if values.is_array(entry) else ():
            case [
                str(scope),
                int(revision),
                str(boundary_id),
                int(written),
                (int() | float()) as seen,
                int(turns),
                bool(gone),
            ]:
                index.scopes[address] = Known(scope, revision, boundary_id, written, float(seen), turns, gone)
            case _:
                return None
    for fault in faults:
        match fault if values.is_array(fault) else ():
            case [str(place), str(code), str(file), bool(is_open), (int() | float()) as seen]:
                index.faults[place, code, file] = (is_open, float(seen))
            case _:
                return None
    return index
