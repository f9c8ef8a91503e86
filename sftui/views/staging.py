"""A draft over the picture that it is made on: what the tree shows, what the header totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.memory.dialect import V4, Dialect
from engine.memory.overlay import effective, scope_view
from engine.memory.ownership import owned, spell
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, KeyTrie, get, is_object, join_tries
from sftui.views.growth import Growth, growth
from sftui.views.kinds import Path, View
from sftui.views.moves import NO_MOVES, Moves
from sftui.views.overlaid import Overlaid
from sftui.views.picture import Picture
from sftui.views.preview import brief, key_text

if TYPE_CHECKING:
    from engine.memory.draft import PreImage
    from engine.memory.gathering import Drift
    from engine.store.proposal import Published
    from engine.store.readings import Snapshot


@dataclass(frozen=True, slots=True)
class Staging:
    """What the newest preview of a draft makes of a picture.

    `picture` is the picture as it would be; `overlaid` has every view that the draft touches, laid over what it shows
    now. `drift` is what others changed since it was taken up. `takers` says for what goes with a deleted intent which one that is, by scope and path. `revisions` are those
    of the memory that the preview found. `moves` says where what it moves goes.
    """

    picture: Picture
    overlaid: Mapping[View, Overlaid]
    takers: Mapping[Scope, Mapping[Path, str]]
    growth: Growth
    revisions: Mapping[Scope, int]
    drift: tuple[Drift, ...] = ()
    moves: Moves = NO_MOVES

    def is_of(self, picture: Picture) -> bool:
        """Tell whether the draft was laid over the memory that a picture shows, not over an older or a newer one."""
        return picture.snapshot is not None and self.revisions == _revisions(picture.snapshot)

    def taker(self, view: View, path: Path) -> str | None:
        """Give the intent that a row goes with; narrower scopes win."""
        for scope in reversed(SCOPES) if view == "effective" else (view,):
            found = self.takers.get(scope, {}).get(path)
            if found is not None:
                return found
        return None

    def facts(self, view: View, path: Path) -> tuple[tuple[str, str], ...]:
        """Tell what the draft does to one row, and what others did to it meanwhile."""
        return (*self._doing(view, path), *self._moved(view, path))

    def _moved(self, view: View, path: Path) -> Iterator[tuple[str, str]]:
        for one in self.drift:
            if one.path == path and view in {"effective", one.scope}:
                yield "moved", f"{_image(one.before)} when it was taken up, {_image(one.now)} now in {one.scope}"

    def _doing(self, view: View, path: Path) -> tuple[tuple[str, str], ...]:
        over = self.overlaid.get(view)
        if over is None:
            return ()
        taker = self.taker(view, path)
        if taker is not None and not over.stays(path):
            return (("draft", f"goes with intents.{key_text(taker)}, which owns it"),)
        sign = over.sign(path)
        told = _TOLD.get(sign)
        if sign == "-" and (to := self.moves.to(view, path)):
            told = f"moves it to {to}"
        elif sign == "+" and (origin := self.moves.origin(view, path)):
            told = f"moves it here from {origin}"
        if told is None:
            return (("draft", "changes something in it"),) if path in over.above else ()
        place = over.place_before(path)
        was = None if place is None or sign != "~" else get(over.before, place, None)
        return (("draft", told + ("" if was is None else f", now {_short(was)}")),)


_TOLD = {"+": "adds it", "-": "deletes it", "~": "changes it", "×": "goes with what owns it"}


def _short(value: Json) -> str:
    return brief(value, 60)


def _image(image: PreImage) -> str:
    return _short(image.value) if image.exists else "nothing"


def staging(
    picture: Picture, published: Published, drift: tuple[Drift, ...] = (), moved: Moves = NO_MOVES
) -> Staging | None:
    """Lay a preview over a picture; None where there is no memory that could be shown.

    The scopes that the draft changes are shown as the preview found them: it may be a moment older than the picture.
    """
    snapshot = picture.snapshot
    if snapshot is None:
        return None
    # Where nothing is remembered yet, memory will have the vocabulary that the preview was made in.
    dialect = snapshot.dialect or (V4 if published.cohort is None else published.cohort.dialect)
    staged = published.staged
    now = {**picture.states, **{scope: published.before.get(scope, {}) for scope in staged.net}}
    then = {**now, **{scope: staged.after[scope] for scope in staged.net}}
    below = _memory(dialect, picture, now, picture.states)
    above = _memory(dialect, replace(picture, memory=below), then, now)
    takers = {scope: _takers(dialect, picture, scope, staged.cascaded[scope], then) for scope in staged.cascaded}
    where: dict[View, KeyTrie | None] = {scope: _touched(net) for scope, net in staged.net.items()}
    whole: KeyTrie | None = {}
    for trie in where.values():
        whole = join_tries(whole, trie)
    if "effective" in below or "effective" in above:
        where["effective"] = whole
    everything = frozenset(path for found in takers.values() for path in found)
    overlaid: dict[View, Overlaid] = {
        view: Overlaid(
            below.get(view, {}),
            above.get(view, {}),
            touched,
            everything if view == "effective" else frozenset(takers.get(view, {})),
        )
        for view, touched in where.items()
    }
    _measure(picture, overlaid.values())
    claims = {**picture.claims, **{scope: owned(dialect, scope, then[scope]) for scope in staged.net}}
    if snapshot.dialect is None:
        snapshot = replace(snapshot, dialect=dialect)
    after = replace(picture, snapshot=snapshot, memory=above, states=then, claims=claims)
    grew = growth(dialect, now, then, staged.net)
    return Staging(after, overlaid, takers, grew, _revisions(published.snapshot), drift, moved)


def _revisions(snapshot: Snapshot) -> dict[Scope, int]:
    streams = {scope: reading.stream for scope, reading in snapshot.scopes.items()}
    return {scope: stream.revision for scope, stream in streams.items() if stream is not None}


def _memory(
    dialect: Dialect, picture: Picture, states: Mapping[Scope, JsonObject], shown: Mapping[Scope, JsonObject]
) -> dict[View, JsonObject]:
    """Give the views of other states than those that the picture shows; what is the same keeps its objects."""
    changed = [scope for scope, state in states.items() if shown.get(scope) is not state]
    memory = dict(picture.memory)
    if not changed:
        return memory
    for scope in changed:
        if states[scope] or scope in memory:
            memory[scope] = scope_view(dialect, states[scope])
    memory.pop("effective", None)
    if picture.trouble is None:
        try:
            memory["effective"] = effective(dialect, states)
        except EngineError:
            memory.pop("effective", None)
    return memory


def _takers(
    dialect: Dialect,
    picture: Picture,
    scope: Scope,
    cascaded: tuple[str, ...],
    then: Mapping[Scope, JsonObject],
) -> dict[Path, str]:
    """Give the deleted intent that each thing goes with."""
    gone = frozenset(cascaded)
    intents = then.get(scope, {}).get("intents")
    left = intents if is_object(intents) else {}
    claims = picture.claims.get(scope) or owned(dialect, scope, picture.states.get(scope, {}))
    return {
        claim.path: claim.intent
        for claim in claims
        if claim.exists and claim.intent not in left and spell(scope, claim.path) in gone
    }


def _measure(picture: Picture, overlaid: Iterable[Overlaid]) -> None:
    """Learn the sizes of what holds a change, as they will be: of all else in it they are known, once the picture's are."""
    if picture.hot_bytes is None:
        return
    for over in overlaid:
        for path in over.above:
            for _ in picture.sizes.measure(over.value(path)):
                pass


def _touched(net: JsonObject) -> KeyTrie | None:
    """Give the places that a record of a change names."""
    return {key: _touched(value) if is_object(value) and value else None for key, value in net.items()}
