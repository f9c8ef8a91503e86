"""Which transition set a place last: as the tails tell, else as the ledger does; unknown where neither does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from engine.errors import EngineError
from engine.memory.overlay import providers
from engine.memory.scope import SCOPES, Scope, initial
from engine.memory.stream import Boundary, patch_at
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, is_object, related
from sftui.display import clean
from sftui.views.authorship import author_words, seen_words
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture

if TYPE_CHECKING:
    from engine.ledger.blame import Blame
    from engine.store.readings import ScopeReading
    from sftui.views.changes import Entry

How = Literal["exact", "above", "below"]
Ask = Callable[[str, Path], "Blame | None"]
"""Asks the ledger which recorded transition set a place of the scope at an address last."""

_HOW: Final[dict[How, tuple[str, str]]] = {
    "exact": ("set by", ""),
    "above": ("set by", " with what holds it"),
    "below": ("last change", "inside: "),
}


@dataclass(frozen=True, slots=True)
class Blamed:
    """The transition that set a place last: that place itself, something `above` it, or something `below`.

    `retained`: a tail holds it; else only the ledger does. With `unseen` the scope went on afterwards without being
    seen, so that another transition may have been the last.
    """

    scope: Scope
    address: str
    revision: int
    boundary: Boundary
    how: How
    seen: float | None
    ours: bool | None
    session: str | None = None
    retained: bool = True
    unseen: bool = False

    @property
    def short(self) -> str:
        """`s31`: scope and revision."""
        return f"{initial(self.scope)}{self.revision}"

    @property
    def did(self) -> str:
        """What the transition is to the place: it set that, or is the last change inside of it."""
        return _HOW[self.how][0]

    def words(self, today: str = "", own: str | None = None, *, aside: bool = False) -> str:
        """Say which one, when and by whom, as far as anybody knows; `own` is the address of the session in view."""
        more = _HOW[self.how][1]
        named = f"{more}{self.short}" if self.how == "below" else f"{self.short}{more}"
        told = [named, seen_words(self.seen, today, aside=aside), author_words(self.ours)]
        if self.session:
            name = clean(self.session.rpartition("/")[2].partition("_")[0])
            told.append(f"in the history of {'this session' if self.session == own else f'session {name}'}")
        if not self.retained:
            told.append("in the ledger")
        if self.unseen:
            told.append("or by a later change that was never seen")
        return ", ".join(told)

    def to_json(self) -> JsonObject:
        """It as data."""
        return {
            "scope": self.scope,
            "address": self.address,
            "revision": self.revision,
            "boundary": self.boundary.to_json(),
            "how": self.how,
            "seen": self.seen,
            "ours": self.ours,
            "session": self.session,
            "retained": self.retained,
            "unseen": self.unseen,
        }


def label(known: Blamed | None, today: str, own: str | None = None, *, aside: bool = False) -> tuple[str, str]:
    """Give the fact that is told of a place; without an answer that one is looked for."""
    return (
        ("last change", "looking in the ledger…")
        if known is None
        else (known.did, known.words(today, own, aside=aside))
    )


def setters(picture: Picture, view: View, path: Path) -> tuple[Scope, ...]:
    """The scopes whose transitions can have set a place: of the effective value those that provide it, the winner last."""
    if view != "effective":
        return (view,)
    dialect = picture.dialect
    if dialect is None or not path:
        return tuple(scope for scope in SCOPES if scope in picture.states)
    try:
        return providers(dialect, picture.states, path)[0]
    except EngineError:
        return ()


def retained(picture: Picture, scope: Scope, path: Path) -> Blamed | None:
    """The newest transition in a scope's tail that touched a place. Looks only along the path."""
    reading = None if picture.snapshot is None else picture.snapshot.scopes.get(scope)
    if reading is None or reading.stream is None:
        return None
    stream = reading.stream
    for back, transition in enumerate(reversed(stream.tail)):
        how = touching(transition.patch, path)
        if how is not None:
            revision = stream.revision - back
            key = (reading.address, revision, transition.boundary.id)
            entry = next((one for one in picture.log if one.key == key), None)
            seen, ours = (None, None) if entry is None else (entry.seen, entry.ours)
            session = _session(picture, transition.boundary)
            return Blamed(scope, reading.address, revision, transition.boundary, how, seen, ours, session)
    return None


def _session(picture: Picture, boundary: Boundary) -> str | None:
    """The session in view where its lineage vouches for a transition."""
    snapshot = picture.snapshot
    cohort = None if snapshot is None else snapshot.cohort
    if snapshot is None or cohort is None or cohort.adopted or boundary not in cohort.lineage[1:]:
        return None
    return session_of(picture)


def session_of(picture: Picture) -> str | None:
    """The address of the session in view."""
    reading = None if picture.snapshot is None else picture.snapshot.scopes.get("session")
    return None if reading is None else reading.address


def last_change(picture: Picture, view: View, path: Path) -> Entry | None:
    """The newest entry known to have touched a row: in its own scope, or in any for the effective view."""
    for entry in picture.log:
        if view not in {"effective", entry.scope}:
            continue
        if any(related(line.path, path) for line in entry.lines):
            return entry
        # Of a large change only the first lines are kept; what is retained has it all.
        patch = _patch_of(picture, entry) if entry.more else None
        if patch is not None and touching(patch, path) is not None:
            return entry
    return None


def _patch_of(picture: Picture, entry: Entry) -> JsonObject | None:
    reading = None if picture.snapshot is None else picture.snapshot.scopes.get(entry.scope)
    if reading is None or reading.stream is None or reading.address != entry.address:
        return None
    return patch_at(reading.stream, entry.boundary)


def touching(patch: Json, path: Sequence[str | int]) -> How | None:
    """How a recorded patch touches a place: as a whole, something above it, or something inside; None: not at all."""
    for key in path:
        if not is_object(patch) or not patch:
            return "above"
        name = f"[{key}]" if isinstance(key, int) else key
        if name not in patch:
            return None
        patch = patch[name]
    return "below" if is_object(patch) and patch else "exact"


def blame(picture: Picture, view: View, path: Path, ask: Ask) -> Blamed | None:
    """Tell which transition set a place last, of several scopes the newest that anybody knows of. None: unknown."""
    found: list[Blamed] = []
    for scope in setters(picture, view, path):
        known = retained(picture, scope, path)
        reading = None if picture.snapshot is None else picture.snapshot.scopes.get(scope)
        if known is None and reading is not None and reading.status == "healthy":
            said = ask(reading.address, path)
            known = None if said is None else of_this_past(reading, recorded_setter(scope, said), ask)
        if known is not None:
            found.append(known)
    return max(found, key=lambda one: (one.boundary.position, SCOPES.index(one.scope)), default=None)


def of_this_past(reading: ScopeReading, known: Blamed | None, ask: Ask) -> Blamed | None:
    """The answer of the ledger as far as it is about this past: the scope may have gone on, or back, unseen since."""
    stream = reading.stream
    if known is None or stream is None:
        return None
    floor = stream.revision - len(stream.tail)
    if known.revision > floor:
        return None  # the tail would hold it: it belongs to a past that was given up
    if known.unseen:
        return known
    newest = ask(reading.address, ())
    reached = None if newest is None else newest.row
    if reached is None or reached.revision < floor:
        return replace(known, unseen=True)
    at = stream.through if reached.revision == floor else None
    if floor < reached.revision <= stream.revision:
        at = stream.tail[reached.revision - floor - 1].boundary
    return known if at == reached.boundary else replace(known, unseen=True)


def recorded_setter(scope: Scope, said: Blame) -> Blamed | None:
    """Give the answer of the ledger as one of a scope."""
    row = said.row
    if row.boundary is None:
        return None
    return Blamed(
        scope,
        row.address,
        row.revision,
        row.boundary,
        said.where,
        row.seen,
        row.ours,
        row.session,
        retained=False,
        unseen=said.unseen,
    )
