"""Screen 5: what a model would be given now, how large each part of it is, and what the next change does to it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final, Literal

from engine.memory.cohort import Cohort
from engine.memory.context import Mode
from engine.memory.navigation import lazy_navigation
from engine.memory.overlay import effective
from engine.memory.reading import View
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass, replace
from engine.store.readings import Snapshot
from engine.values import Json, JsonObject, dotted, encoded_size
from sftui.views.entails import Folded, folded
from sftui.views.kinds import Path
from sftui.views.moments import moments
from sftui.views.picture import Picture
from sftui.views.staging import Staging
from sftui.views.units import BYTES_PER_TOKEN, tokens
from sftui.views.weighing import Item, Memory, State, Weighed, weigh, weigh_state

Why = Literal["session", "chosen", "assumed"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which mode is told of, "off" for none, and why that one: the session's own, asked for, or for want of any."""

    mode: Mode | Literal["off"]
    why: Why

    @property
    def words(self) -> str:
        """It in words."""
        return f"{self.mode.capitalize()}, {_WHY[self.why]}"


_WHY: Final[dict[Why, str]] = {
    "session": "the session's own",
    "chosen": "chosen here",
    "assumed": "assumed",
}


@dataclass(frozen=True, slots=True)
class Next:
    """What history lets go of with the next change.

    `folds` are the retained changes that the next one of their scope makes part of its checkpoint, with how far back
    they lie in the lineage (None: outside of it). `leaves` is the moment of the lineage that can then no longer be
    asked for, `drops` the recent transition that a model is then no longer told of, by their offsets now.
    """

    folds: tuple[tuple[Folded, int | None], ...] = ()
    leaves: int | None = None
    drops: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What a model would be given of a picture.

    `weighed` is None where that is nothing, or where `trouble` says why it is not known. `after` is the state as the
    draft would leave it, `after_navigation` the size of the hint then.
    """

    picture: Picture
    choice: Choice
    weighed: Weighed | None = None
    trouble: str | None = None
    after: State | None = None
    after_navigation: int | None = None
    next: Next = Next()

    @property
    def delta(self) -> int | None:
        """By how many bytes the draft makes state and hint longer; None where there is no draft or nobody knows."""
        if self.weighed is None or self.after is None or self.after_navigation is None:
            return None
        hint = self.after_navigation - encoded_size(self.weighed.navigation)
        return self.after.size - self.weighed.state.size + hint

    def delta_of(self, path: Path) -> int:
        """By how many bytes the draft makes the value of one key longer, or that of a plane."""
        if self.weighed is None or self.after is None:
            return 0
        return self.after.size_of(path) - self.weighed.state.size_of(path)

    def to_json(self, document: JsonObject | None) -> JsonObject:
        """It as data, with what a model would be given itself."""
        told: list[Json] = list(remarks(self))
        return {
            "mode": self.choice.mode,
            "mode_is": self.choice.why,
            "context": document,
            "sizes": None if self.weighed is None else _sizes(self.weighed),
            "next": _next_json(self.next),
            "remarks": told,
        }


def choice(snapshot: Snapshot | None, asked: Mode | None) -> Choice:
    """Which mode to tell of."""
    if asked is not None:
        return Choice(asked, "chosen")
    mode = None if snapshot is None else snapshot.mode
    if mode == "passive":
        return Choice("passive", "session")
    if mode == "off":
        return Choice("off", "session")
    return Choice("active", "session" if mode == "active" else "assumed")


def gather(
    picture: Picture,
    asked: Mode | None,
    *,
    given: tuple[View, JsonObject] | None = None,
    staging: Staging | None = None,
    known: Context | None = None,
) -> Generator[None, None, Context]:
    """Work it out, in steps. `given` is what is read and its effective memory, where that is not all of the picture.

    `known` is what was told before: what did not change is not worked out again.
    """
    snapshot = picture.snapshot
    chosen = choice(snapshot, asked)
    if given is None and snapshot is not None and snapshot.cohort is not None and "effective" in picture.memory:
        given = View(snapshot.cohort, SCOPES), picture.memory["effective"]
    if snapshot is None or given is None:
        return Context(picture, chosen, trouble=_trouble(picture))
    view, whole = given
    if chosen.mode == "off":
        return Context(picture, chosen, next=_next(snapshot, view.cohort, None))
    old = None if known is None or known.weighed is None else known.weighed.state
    weighed = yield from weigh(view, whole, chosen.mode, picture.sizes, old)
    earlier = None if weighed.before else _before_last(picture, view)
    if earlier is not None:
        memory = Memory(view.dialect, earlier, effective(view.dialect, earlier), view.only)
        was = yield from weigh_state(memory, chosen.mode, picture.sizes, weighed.state)
        weighed = replace(weighed, before=(was.size,))
    after: State | None = None
    hint: int | None = None
    then = None if staging is None else staging.picture
    if then is not None and "effective" in then.memory:
        shown = then.memory["effective"]
        dialect = then.dialect or view.dialect
        after = yield from weigh_state(Memory(dialect, then.states, shown), chosen.mode, picture.sizes, weighed.state)
        hint = encoded_size(lazy_navigation(dialect, shown))
    return Context(picture, chosen, weighed, None, after, hint, _next(snapshot, view.cohort, weighed))


def _before_last(picture: Picture, view: View) -> dict[Scope, JsonObject] | None:
    """Memory before the newest retained change, where no lineage tells; None where nobody knows which that is."""
    known = moments(picture)
    if not known or (len(known) > 1 and known[1].order == "unknown"):
        return None
    states = {scope: state for scope, state in view.cohort.states.items() if scope in view.wanted}
    for part in known[0].parts:
        stream = view.cohort.streams.get(part.scope)
        if part.scope not in states or stream is None or not stream.tail or stream.revision != part.revision:
            return None
        states[part.scope] = stream.states[-2]
    return states


def _trouble(picture: Picture) -> str:
    snapshot = picture.snapshot
    if snapshot is None:
        return "nothing has been read yet"
    if picture.trouble is not None:
        return picture.trouble
    if picture.as_of is not None and picture.as_of.unknown:
        return next(iter(picture.as_of.unknown.values()))
    fenced = [scope for scope, reading in snapshot.scopes.items() if reading.stream is None and reading.faults]
    if fenced:
        return f"{' and '.join(fenced)} memory cannot be read, and no part of the rest would be given without it"
    return "the scopes cannot be read as one memory"


# What the next change folds away.


def _next(snapshot: Snapshot, cohort: Cohort, weighed: Weighed | None) -> Next:
    limit = cohort.limit
    back = {boundary: offset for offset, boundary in enumerate(reversed(cohort.lineage))}
    folds: list[tuple[Folded, int | None]] = []
    for scope, reading in snapshot.scopes.items():
        stream = reading.stream
        if stream is None:
            continue
        oldest = stream.revision - len(stream.tail) + 1
        for index, transition in enumerate(stream.tail[: max(0, len(stream.tail) + 1 - limit)]):
            told = folded(scope, oldest + index, transition.boundary.id, transition.patch)
            folds.append((told, back.get(transition.boundary)))
    leaves = len(cohort.lineage) - 1 if len(cohort.lineage) == limit + 1 else None
    told_of = () if weighed is None else [one.told.offset for one in weighed.recent]
    drops = leaves - 1 if leaves is not None and leaves - 1 in told_of else None
    return Next(tuple(folds), leaves, drops)


# In words.

UNKNOWN: Final = (
    "not known from any file: the host's own words around this and its names for the parts, the conversation beside "
    "it, and which scopes an agent was given; all that are open are counted"
)
ESTIMATED: Final = f"tokens are estimated: {BYTES_PER_TOKEN} bytes of JSON a token"


def remarks(found: Context) -> Iterator[str]:
    """What the files say about this session that matters for what its model has."""
    snapshot = found.picture.snapshot
    if snapshot is None:
        return
    if found.picture.as_of is not None:
        yield "as of an earlier moment: the mode is that of now"
        return
    if snapshot.mode == "off":
        yield "the session is off: its model is given nothing of this"
    elif snapshot.mode is None and found.choice.why == "assumed":
        yield "no file here says a session's mode: Active is assumed"
    if snapshot.stale:
        yield f"as last seen: {' and '.join(sorted(snapshot.stale))} memory is being written"
    runtime = snapshot.runtime
    if runtime is not None and runtime.bootstrap:
        yield "the session's record says bootstrap: until that run is complete the earlier conversation is kept beside this"
    if runtime is not None and runtime.specification is not None:
        yield "a run is unfinished: its model was given memory as it was when that began, and has seen its own changes since"
    if snapshot.address.session is None:
        yield "no session is open: only a session has a line of history, so nothing counts as recent"
    elif snapshot.cohort is not None and snapshot.cohort.adopted:
        yield "shared memory and the session's line of history have parted: it begins anew, so nothing counts as recent"


# As data.


def _sizes(weighed: Weighed) -> JsonObject:
    state = weighed.state
    keys: list[Json] = [
        {"path": dotted("", item.path), **_size(item.size), "from": list(item.providers)} for item in largest(state)
    ]
    planes: list[Json] = [
        {"plane": plane.name, **_size(plane.size), "keys": plane.count}
        for plane in sorted(state.planes, key=lambda plane: -plane.size)
    ]
    told: list[Json] = [
        {
            "offset": one.told.offset,
            "boundary": one.told.boundary.id,
            "scopes": list(one.told.patches),
            **_size(one.size),
        }
        for one in weighed.recent
    ]
    before: list[Json] = list(weighed.before)
    return {
        **_size(weighed.total),
        "bytes_per_token": BYTES_PER_TOKEN,
        "parts": {name: _size(size) for name, size in weighed.parts.items()},
        "planes": planes,
        "keys": keys,
        "scopes": {scope: _size(size) for scope, size in state.scopes.items()},
        "transitions": told,
        "untold": weighed.untold,
        "grew": weighed.grew,
        "before": before,
    }


def _size(size: int) -> dict[str, Json]:
    return {"bytes": size, "tokens": tokens(size)}


def largest(state: State) -> list[Item]:
    """The keys, the largest first; those of one size stay in reading order."""
    return sorted(state.items.values(), key=lambda item: -item.size)


def _next_json(found: Next) -> JsonObject:
    folds: list[Json] = [{**fold.to_json(), "offset": offset} for fold, offset in found.folds]
    return {"folds": folds, "leaves": found.leaves, "drops": found.drops}
