"""Who set a place, scope by scope: the transition that did it last, what it did there, and what shows in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from engine.errors import EngineError
from engine.memory.dialect import V4
from engine.memory.overlay import providers
from engine.memory.scope import SCOPES, Scope, Wanted
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, dotted, get, has, related
from sftui.display import clean
from sftui.views.blaming import Blamed, of_this_past, recorded_setter, retained
from sftui.views.diffs import ROLES, DiffLine
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.preview import brief
from sftui.views.spans import Span, Spans
from sftui.views.transition import Part, recorded_part, retained_part, transition_diff

if TYPE_CHECKING:
    from engine.ledger.blame import Blame
    from engine.ledger.events import Retained
    from engine.ledger.timeline import TimelineRow
    from engine.store.readings import ScopeReading, Snapshot

# Changes of one transition that are told; the rest is counted.
MOST: Final = 12
_BRIEF: Final = 60

Share = Literal["own", "wins", "merged", "hidden", "absent"]
_SHARES: Final[dict[Share, Span]] = {
    "own": ("stands there", "text"),
    "wins": ("what shows", "good"),
    "merged": ("a part of what shows", "text"),
    "hidden": ("hidden by a narrower scope", "muted"),
    "absent": ("nothing stands there", "muted"),
}


@dataclass(frozen=True, slots=True)
class Setter:
    """What is known of who set a place in one scope. `share` is what its value there is to the effective one.

    `why` says why nobody knows, where `blamed` is None; `never`: nothing ever stood there. `lines` tell
    what the transition did at that place.
    """

    scope: Scope
    address: str
    share: Share
    value: Json = None
    blamed: Blamed | None = None
    why: str = ""
    lines: tuple[DiffLine, ...] = ()
    more: int = 0
    never: bool = False

    def to_json(self) -> JsonObject:
        """The answer as data."""
        told: dict[str, Json] = {"scope": self.scope, "address": self.address, "share": self.share}
        if self.blamed is None:
            return told | {"set_by": None, "unknown": None if self.never else self.why, "never": self.never}
        changes: list[Json] = [line.to_json() for line in self.lines]
        source = "retained" if self.blamed.retained else "ledger"
        by = {**self.blamed.to_json(), "source": source, "changes": changes, "more": self.more}
        return told | {"set_by": by, "unknown": None}


@dataclass(frozen=True, slots=True)
class Records:
    """What the ledger can be asked. `words` says that it is not, or why it cannot be."""

    blame: Callable[[str, Path], Blame | None]
    body: Callable[[TimelineRow], Retained | None]
    words: str = ""
    aside: bool = False


def setters(found: Snapshot, wanted: Wanted, view: View, path: Path, records: Records) -> tuple[Setter, ...]:
    """Tell for each scope that has to do with a place, narrow before broad, who set it there."""
    states = {
        scope: reading.stream.current for scope, reading in found.scopes.items() if reading.stream and scope in wanted
    }
    picture = Picture(found, states=states)
    shares = _shares(picture, view, path)
    if view == "effective" and any(share != "absent" for share in shares.values()):
        shares = {scope: share for scope, share in shares.items() if share != "absent"}
    asked = [scope for scope in reversed(SCOPES) if scope in shares and scope in found.scopes and scope in wanted]
    return tuple(
        _setter(picture, found.scopes[scope], path, Setter(scope, found.scopes[scope].address, shares[scope]), records)
        for scope in asked
    )


def _shares(picture: Picture, view: View, path: Path) -> dict[Scope, Share]:
    states, dialect = picture.states, picture.dialect or V4
    if view != "effective":
        return {view: "own" if has(states.get(view, {}), path) else "absent"}
    if not path:
        return {scope: "merged" if states.get(scope) else "absent" for scope in SCOPES}
    found: dict[Scope, Share] = dict.fromkeys(SCOPES, "absent")
    try:
        shown, masked = providers(dialect, states, path)
    except EngineError:
        return {scope: "hidden" if has(states.get(scope, {}), path) else "absent" for scope in SCOPES}
    found |= {one.scope: "hidden" for one in masked}
    for scope in shown:
        found[scope] = "wins" if len(shown) == 1 else "merged"
    return found


def _setter(picture: Picture, reading: ScopeReading, path: Path, told: Setter, records: Records) -> Setter:
    if reading.stream is None:
        words = "there is no such memory" if reading.status == "absent" else "the scope is fenced, and cannot be read"
        return replace(told, why=words)
    told = replace(told, value=get(reading.stream.current, path, None))
    said = records.blame(told.address, path)
    recorded = None if said is None else recorded_setter(told.scope, said)
    kept = retained(picture, told.scope, path)
    if kept is not None:
        if recorded is not None and (recorded.revision, recorded.boundary) == (kept.revision, kept.boundary):
            kept = replace(kept, seen=recorded.seen, ours=recorded.ours, session=recorded.session or kept.session)
        index = kept.revision - reading.stream.revision + len(reading.stream.tail) - 1
        change = retained_part(told.scope, told.address, reading.stream, index)
        return _with(picture, replace(told, blamed=kept), change, path)
    recorded = of_this_past(reading, recorded, records.blame)
    if recorded is None or said is None:
        why, never = _unknown(reading, told, records)
        return replace(told, why=why, never=never)
    record = records.body(said.row)
    told = replace(told, blamed=recorded)
    return told if record is None else _with(picture, told, recorded_part(told.scope, told.address, record), path)


def _with(picture: Picture, told: Setter, change: Part, path: Path) -> Setter:
    """Add what a transition did at a place."""
    try:
        diffs = transition_diff(picture.dialect or V4, (change,))
    except EngineError:
        return told
    lines = [line for one in diffs for line in one.lines if related(line.path, path)]
    return replace(told, lines=tuple(lines[:MOST]), more=max(0, len(lines) - MOST))


def _unknown(reading: ScopeReading, told: Setter, records: Records) -> tuple[str, bool]:
    """Say why nobody knows, and whether it is because nothing ever stood there."""
    stream = reading.stream
    assert stream is not None
    count = len(stream.tail)
    kept = "no change is retained"
    if count:
        kept = (
            f"none of the {count:,} retained changes touched it"
            if count > 1
            else "the retained change did not touch it"
        )
    if stream.revision == count:
        there = "it was there when the scope began" if told.share != "absent" else "nothing stood there before"
        return f"{kept}, and {there}", told.share == "absent"
    when = "to anything that stood there" if told.share == "absent" else "to when it was set"
    return f"{kept}, and {records.words or f'no record goes back {when}'}", False


def page(
    view: View, path: Path, found: tuple[Setter, ...], today: str, own: str | None, *, aside: bool = False
) -> Iterator[Spans]:
    """Lay the answers out; `aside`: logs were put aside, which are not asked."""
    yield ((clean(dotted(view, path)), "strong"),)
    for one in found:
        head: list[Span] = [(f"  {one.scope:<8}", "accent"), _SHARES[one.share]]
        if one.share != "absent":
            head.append((f"  {brief(one.value, _BRIEF)}", "text"))
        yield tuple(head)
        if one.blamed is None:
            known: Span = ("    never set", "muted") if one.never else ("    unknown", "warn")
            yield (known, (f": {one.why}", "text"))
            continue
        yield (
            ("    ", "text"),
            (f"{one.blamed.did} {one.blamed.words(today, own, aside=aside)}", "text"),
            (f"  {clean(one.blamed.boundary.id)}", "muted"),
        )
        for line in one.lines:
            yield ((f"      {line.sign} ", ROLES[line.sign]), (line.where, "key"), (f"  {line.what}", "text"))
        if one.more:
            yield ((f"      and {one.more:,} more", "muted"),)
