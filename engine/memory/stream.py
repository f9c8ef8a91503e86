"""One scope's stream: a checkpoint, the patches kept after it, and every value between."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from engine.errors import EngineError, InvalidRequest
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect, check_state, check_touched
from engine.memory.scope import Scope
from engine.memory.tidy import stays_tidy
from engine.records import dataclass, field, replace
from engine.values import Json, JsonObject, fast_paths, graft, is_array, is_object, merge, whole

# The format's own maximum of retained patches; a configured limit is at most this.
MAX_RETAINED: Final = 100

# White space as a JavaScript program trims it: an id made of nothing else counts as empty.
_BLANK = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*\\Z")


_BOUNDARY = frozenset({"id", "position", "parent"})


class StreamFault(EngineError):
    """A stream that contradicts itself. `line` is the retained patch it is about, counted from 1; None: the checkpoint."""

    @property
    def reason(self) -> str:
        return self.message


class Boundary(NamedTuple):
    """The identity of one accepted transition, shared by every scope that it changed.

    A tuple, since every file names many and all of them are compared.
    """

    id: str
    position: int
    parent: str | None

    def to_json(self) -> JsonObject:
        return {"id": self.id, "position": self.position, "parent": self.parent}


@dataclass(frozen=True, slots=True)
class Transition:
    """What one scope recorded at one boundary."""

    boundary: Boundary
    patch: JsonObject


@dataclass(frozen=True, slots=True)
class ScopeStream:
    """A scope's retained history.

    `through` is the checkpoint's boundary. `states[0]` is the checkpoint and `states[n]` the value after the nth
    patch of `tail`; what a patch did not touch is the same object in both. `tidy` promises that the current value
    holds no empty object, so that pruning it need not look beyond what a change touched; `ordered` that the checkpoint
    is in canonical order, so that after a fold nothing but what was folded need be put into it.
    """

    revision: int
    through: Boundary
    tail: tuple[Transition, ...]
    states: tuple[JsonObject, ...]
    tidy: bool
    ordered: bool = field(default=False, compare=False)

    @property
    def checkpoint(self) -> JsonObject:
        return self.states[0]

    @property
    def current(self) -> JsonObject:
        return self.states[-1]

    @property
    def head(self) -> Boundary:
        """The boundary of the current value."""
        return self.tail[-1].boundary if self.tail else self.through

    def boundaries(self) -> Iterable[Boundary]:
        """Every retained boundary, oldest first."""
        yield self.through
        for transition in self.tail:
            yield transition.boundary


def parse_boundary(value: Json) -> Boundary:
    """The boundary that a JSON value spells; raises InvalidRequest "bad-boundary"."""
    if not is_object(value) or value.keys() != _BOUNDARY:
        raise InvalidRequest("bad-boundary", "A boundary has exactly an id, a position and a parent")
    name, position, parent = value["id"], value["position"], value["parent"]
    if not isinstance(name, str) or not name:
        raise InvalidRequest("bad-boundary", "A boundary's id is a non-empty string")
    position = whole(position)
    if position is None or position < 0:
        raise InvalidRequest("bad-boundary", f"The position of boundary {name!r} is not a whole number from 0 on")
    if parent is not None and (not isinstance(parent, str) or not parent):
        raise InvalidRequest("bad-boundary", f"The parent of boundary {name!r} is neither an id nor null")
    if parent == name:
        raise InvalidRequest("bad-boundary", f"Boundary {name!r} is its own parent")
    if position == 0 and parent is not None:
        raise InvalidRequest("bad-boundary", f"Boundary {name!r} stands at position 0 and still has a parent")
    return Boundary(name, position, parent)


def parse_lineage(value: Json, limit: int = MAX_RETAINED) -> tuple[Boundary, ...]:
    """A lineage from JSON: 1 to limit + 1 boundaries, each the child of the one before.

    Raises InvalidRequest "bad-boundary" or "bad-lineage".
    """
    if not is_array(value) or not 1 <= len(value) <= limit + 1:
        raise InvalidRequest("bad-lineage", f"A lineage holds 1 to {limit + 1} boundaries")
    lineage = tuple(parse_boundary(member) for member in value)
    for before, after in itertools.pairwise(lineage):
        if after.position != before.position + 1 or after.parent != before.id:
            raise InvalidRequest("bad-lineage", f"Boundary {after.id!r} is not the child of {before.id!r}")
    if len({boundary.id for boundary in lineage}) != len(lineage):
        raise InvalidRequest("bad-lineage", "A boundary occurs twice in the lineage")
    return lineage


def new_boundary(name: Json, position: int, parent: str | None) -> Boundary:
    """A boundary that is about to be made; raises InvalidRequest for an id that is empty or blank."""
    if not isinstance(name, str) or _BLANK.match(name) is not None:
        raise InvalidRequest("bad-boundary", "A boundary needs an id that is not blank")
    return parse_boundary({"id": name, "position": position, "parent": parent})


def created(boundary: Boundary, state: JsonObject | None = None, *, tidy: bool | None = None) -> ScopeStream:
    """A stream that begins: revision 0, no patches, `state` (default empty) as its checkpoint."""
    return ScopeStream(0, boundary, (), ({} if state is None else state,), tidy=not state if tidy is None else tidy)


def open_stream(
    dialect: Dialect,
    scope: Scope,
    *,
    revision: int | None,
    through: Boundary,
    checkpoint: Json,
    transitions: Sequence[Transition],
    maybe_null: bool = True,
    maybe_empty: bool = True,
) -> ScopeStream:
    """Replay what was stored and validate every value on the way.

    `revision` None stands for the number of patches. `maybe_null` and `maybe_empty` are what a search of the
    checkpoint's bytes said: where it found no null the checkpoint is not walked for one. Raises StreamFault.
    """
    if not is_object(checkpoint):
        raise StreamFault("not-an-object", "The checkpoint is not an object", scope=scope)
    if len(transitions) > MAX_RETAINED:
        raise StreamFault("tail-too-long", f"More than {MAX_RETAINED} patches are retained", scope=scope)
    count = len(transitions) if revision is None else revision
    if type(count) is not int or count < len(transitions):
        raise StreamFault(
            "bad-revision", f"The revision {revision!r} is below the {len(transitions)} retained patches", scope=scope
        )
    try:
        check_state(dialect, checkpoint, maybe_null=maybe_null or not fast_paths())
    except InvalidRequest as flaw:
        raise _fault(flaw, scope, None) from flaw
    start = ScopeStream(count - len(transitions), through, (), (checkpoint,), tidy=not maybe_empty)
    return extend(dialect, scope, start, transitions)


def extend(
    dialect: Dialect,
    scope: Scope,
    stream: ScopeStream,
    transitions: Sequence[Transition],
    *,
    revision: int | None = None,
) -> ScopeStream:
    """`stream` with further recorded transitions: only these are validated, and only where they point.

    `revision`, where given, is what the metadata says afterwards and must agree. Nothing is folded: `constrain` does.
    Raises StreamFault.
    """
    if not transitions:
        return stream if revision is None or revision == stream.revision else _wrong_revision(scope, stream, revision)
    states = list(stream.states)
    tidy = stream.tidy
    last = stream.head
    seen = {boundary.id for boundary in stream.boundaries()}
    for number, transition in enumerate(transitions, len(stream.tail) + 1):
        boundary = transition.boundary
        _check_order(scope, last, boundary, seen, number)
        plain = _plainly_applied(dialect, states[-1], transition.patch)
        if plain is None:
            try:
                after = _applied(states[-1], transition.patch)
                check_touched(dialect, scope, transition.patch, after)
                if not fast_paths():
                    check_state(dialect, after)
            except InvalidRequest as flaw:
                raise _fault(flaw, scope, number) from flaw
            tidy = tidy and stays_tidy(transition.patch, after)
        else:
            after = plain
        states.append(after)
        seen.add(boundary.id)
        last = boundary
    longer = ScopeStream(
        stream.revision + len(transitions),
        stream.through,
        (*stream.tail, *transitions),
        tuple(states),
        tidy=tidy,
        ordered=stream.ordered,
    )
    return longer if revision is None or revision == longer.revision else _wrong_revision(scope, longer, revision)


def accept(
    stream: ScopeStream, boundary: Boundary, patch: JsonObject, after: JsonObject, limit: int, *, tidy: bool = False
) -> ScopeStream:
    """The stream after one accepted transition, folded to `limit`.

    `after` is the value that `patch` leads to, already validated; `tidy` says that it was pruned.
    """
    longer = ScopeStream(
        stream.revision + 1,
        stream.through,
        (*stream.tail, Transition(boundary, patch)),
        (*stream.states, after),
        tidy=tidy or (stream.tidy and stays_tidy(patch, after)),
        ordered=stream.ordered,
    )
    return constrain(longer, limit)


def constrain(stream: ScopeStream, limit: int) -> ScopeStream:
    """The stream with at most `limit` patches: older ones are folded into the checkpoint."""
    check_limit(limit)
    excess = len(stream.tail) - limit
    return fold_oldest(stream, excess) if excess > 0 else stream


def fold_oldest(stream: ScopeStream, count: int = 1) -> ScopeStream:
    """The stream with its `count` oldest patches folded in; their values are known, so nothing is computed."""
    if not 0 <= count <= len(stream.tail):
        raise InvalidRequest("bad-limit", f"There are {len(stream.tail)} patches to fold, not {count}")
    if count == 0:
        return stream
    return replace(
        stream,
        through=stream.tail[count - 1].boundary,
        tail=stream.tail[count:],
        states=stream.states[count:],
        ordered=False,
    )


def rebased(stream: ScopeStream, checkpoint: JsonObject) -> ScopeStream:
    """The stream on an equal checkpoint in canonical order: every value is as a reader of its files has it."""
    if checkpoint is stream.checkpoint:
        return stream if stream.ordered else replace(stream, ordered=True)
    states = [checkpoint]
    for transition in stream.tail:
        quick = graft(states[-1], transition.patch) if fast_paths() else None
        states.append(merge(states[-1], transition.patch).value if quick is None else quick)
    return replace(stream, states=tuple(states), ordered=True)


def state_at(stream: ScopeStream, position: int) -> JsonObject:
    """The value at the newest retained boundary that is not later than `position`.

    Raises InvalidRequest "history-unavailable" where that lies before the checkpoint.
    """
    if stream.through.position > position:
        raise InvalidRequest("history-unavailable", "That moment lies before the oldest retained one")
    index = 0
    for number, transition in enumerate(stream.tail, 1):
        if transition.boundary.position > position:
            break
        index = number
    return stream.states[index]


def patch_at(stream: ScopeStream, boundary: Boundary) -> JsonObject | None:
    """The patch recorded at `boundary`, or None where this scope did not change there."""
    for transition in stream.tail:
        if transition.boundary == boundary:
            return transition.patch
    return None


def check_limit(limit: int) -> None:
    """Raise InvalidRequest unless `limit` is a number of patches that may be retained."""
    if type(limit) is not int or not 0 <= limit <= MAX_RETAINED:
        raise InvalidRequest(
            "bad-limit", f"The history limit is a whole number from 0 to {MAX_RETAINED}, not {limit!r}"
        )


def _plainly_applied(dialect: Dialect, state: JsonObject, patch: JsonObject) -> JsonObject | None:
    """The next value where it needs no validation: plain members of ordinary planes; None where it may need some."""
    if not fast_paths():
        return None
    for plane, change in patch.items():
        if plane in (RESPONSE, ARTIFACTS) or plane not in dialect.planes or not is_object(change):
            return None
        for retired, key in dialect.retired:
            if plane == retired and key in change:
                return None
    return graft(state, patch)


def _applied(state: JsonObject, patch: Json) -> JsonObject:
    if not is_object(patch):
        raise InvalidRequest("not-an-object", "The patch is not an object")
    return merge(state, patch).value


def _check_order(scope: Scope, last: Boundary, boundary: Boundary, seen: set[str], number: int) -> None:
    if boundary.position <= last.position:
        raise StreamFault(
            "positions-not-rising",
            f"Boundary {boundary.id!r} does not come after {last.id!r}",
            scope=scope,
            line=number,
        )
    if boundary.id in seen:
        raise StreamFault("boundary-twice", f"Boundary {boundary.id!r} occurs twice", scope=scope, line=number)
    if boundary.position == last.position + 1 and boundary.parent != last.id:
        raise StreamFault(
            "wrong-parent",
            f"Boundary {boundary.id!r} does not name {last.id!r} as its parent",
            scope=scope,
            line=number,
        )


def _fault(flaw: InvalidRequest, scope: Scope, number: int | None) -> StreamFault:
    return StreamFault(flaw.code, flaw.message, scope=scope, path=flaw.path, line=number)


def _wrong_revision(scope: Scope, stream: ScopeStream, revision: int) -> ScopeStream:
    raise StreamFault("bad-revision", f"The revision should be {stream.revision}, not {revision}", scope=scope)
