"""The value at a path: as it stands, or as it stood last, and from where that is known."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import InvalidRequest
from engine.ledger.events import Baseline, Retained, TransitionSeen
from engine.ledger.lines import from_line
from engine.ledger.sifting import Sifted, sift
from engine.memory.overlay import effective
from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass
from engine.store.readings import Snapshot
from engine.values import Json, dotted, get, has
from engine.values.needle import Needle
from sftui.searching import ledger_of
from sftui.views.kinds import Path, View
from sftui.views.paths import parse_path


@dataclass(frozen=True, slots=True)
class Stood:
    """A value, and what is known of when it stood there, in words."""

    value: Json
    told: str


def standing(snapshot: Snapshot, text: str, *, ledger: bool) -> Stood:
    """The value at the path that `text` spells; raises InvalidRequest where no such value is known."""
    parsed = parse_path(text.strip())
    if parsed is None or not parsed[1]:
        raise InvalidRequest("bad-path", "this is not a path to a value", path=text,
                             hint="such as cwd.lazy.notes[3]; the value itself is given with --value")  # fmt: skip
    view, path = parsed
    return value_at(snapshot, view or "effective", path, ledger=ledger)


def value_at(snapshot: Snapshot, view: View, path: Path, *, ledger: bool) -> Stood:
    """The same for a path of a view."""
    where = dotted(view, path)
    now = _now(snapshot, view, path)
    if now is not None:
        return Stood(now.value, f"the value of {where}, as it stands now")
    # Narrow before broad: that is what shows.
    scopes = tuple(reversed(SCOPES)) if view == "effective" else (view,)
    for scope in scopes:
        found = _retained(snapshot, scope, path)
        if found is not None:
            return Stood(found.value, f"the value that {where} had last: {found.told}")
    if ledger:
        addresses: dict[str, Scope] = {
            reading.address: scope for scope, reading in snapshot.scopes.items() if scope in scopes
        }
        found = _recorded(snapshot.address.root, addresses, path)
        if found is not None:
            return Stood(found.value, f"the value that {where} had last: {found.told}")
    raise InvalidRequest(
        "never-known", "nothing stands there, and no value that stood there is known", path=where,
        hint="give the value itself with --value, or --value - and type it",
    )  # fmt: skip


def _now(snapshot: Snapshot, view: View, path: Path) -> Stood | None:
    if view == "effective":
        if snapshot.cohort is None:
            return None
        root = effective(snapshot.cohort.dialect, snapshot.cohort.states)
    else:
        reading = snapshot.scopes.get(view)
        if reading is None or reading.stream is None:
            return None
        root = reading.stream.current
    return Stood(get(root, path), "") if has(root, path) else None


def _retained(snapshot: Snapshot, scope: Scope, path: Path) -> Stood | None:
    reading = snapshot.scopes.get(scope)
    stream = None if reading is None else reading.stream
    if stream is None:
        return None
    first = stream.revision - len(stream.tail)
    for number in range(len(stream.states) - 1, -1, -1):
        if has(stream.states[number], path):
            return Stood(get(stream.states[number], path), f"in {initial(scope)}{first + number}, which is retained")
    return None


def _recorded(root: str, addresses: dict[str, Scope], path: Path) -> Stood | None:
    """What the ledger tells: of the newest transition that has something there, what it took away or else what it set."""
    names = [key for key in path if isinstance(key, str)]
    if not names:
        return None
    try:
        for part in sift(ledger_of(root), Needle(names[-1])):
            if not isinstance(part, Sifted):
                continue
            for address, transition in _transitions(part.line):
                scope = addresses.get(address)
                if scope is None:
                    continue
                name = f"{initial(scope)}{transition.revision}"
                for record, did in ((transition.inverse, "taken away by"), (transition.patch, "set by")):
                    value = None if record is None else get(record, path, None)
                    if value is not None:
                        return Stood(value, f"{did} {name}, as the ledger has it")
    except OSError:
        return None
    return None


def _transitions(line: bytes) -> Iterator[tuple[str, Retained]]:
    event = from_line(line)
    if isinstance(event, TransitionSeen):
        yield event.address, event.transition
    elif isinstance(event, Baseline):
        for transition in reversed(event.tail):
            yield event.address, transition
