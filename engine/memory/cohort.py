"""Three streams and the lineage that ties them together; the state of all at one moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.errors import EngineError, InvalidRequest
from engine.memory.dialect import Dialect, check_touched, check_types
from engine.memory.scope import SCOPES, Scope, initial, is_scope
from engine.memory.stream import (
    Boundary,
    ScopeStream,
    accept,
    check_limit,
    constrain,
    created,
    new_boundary,
    state_at,
)
from engine.records import dataclass
from engine.values import Json, JsonObject, is_object, merge, same

# An absent scope counts as a stream that ends in this boundary, named after the origin that met it.
_EMPTY = ":empty"


class Contradiction(EngineError):
    """Streams and lineage that cannot all be true."""


@dataclass(frozen=True, slots=True)
class Cohort:
    """Global, cwd and session memory as one history.

    `lineage` runs from the oldest to the newest boundary that can be asked for. `adopted` means that the parts did
    not form one history, so that a fresh origin was made, which alone is the lineage. `limit` patches are retained.
    """

    dialect: Dialect
    streams: Mapping[Scope, ScopeStream]
    lineage: tuple[Boundary, ...]
    adopted: bool
    limit: int

    @property
    def head(self) -> Boundary:
        return self.lineage[-1]

    @property
    def states(self) -> Mapping[Scope, JsonObject]:
        """The current value of each scope."""
        return {scope: stream.current for scope, stream in self.streams.items()}

    @property
    def tidy(self) -> frozenset[Scope]:
        """The scopes whose current values hold no empty object."""
        return frozenset(scope for scope, stream in self.streams.items() if stream.tidy)

    @property
    def revisions(self) -> Mapping[Scope, int]:
        return {scope: stream.revision for scope, stream in self.streams.items()}


def join(
    dialect: Dialect,
    streams: Mapping[Scope, ScopeStream],
    lineage: tuple[Boundary, ...] | None,
    *,
    origin_id: str,
    limit: int,
    above: int = 0,
) -> Cohort:
    """Put streams and a session's lineage together: as they are where they form one history, else on a fresh origin.

    A scope that is not in `streams` is absent and counts as empty. Without a lineage the parts are always adopted.
    `above` is the latest position of scopes that are left out: a fresh origin comes after that, too.
    Raises Contradiction where the same id means two things, where the session's stream does not fit its own lineage,
    and where a root that one scope declares is no plane in another.
    """
    check_limit(limit)
    # Where the lineage itself starts at 0 its start must do: the next boundary is its child, not the invented one's.
    start = lineage[0] if lineage and lineage[0].position == 0 else Boundary(f"{origin_id}{_EMPTY}", 0, None)
    given = {scope: streams.get(scope) or created(start) for scope in SCOPES}
    _check_roots(dialect, given)
    refuse_contradictions(given, lineage or ())
    if lineage:
        session = streams.get("session")
        if session is not None and not _fits(session, lineage):
            raise Contradiction(
                "session-diverged", "The session's memory does not fit its own lineage", scope="session"
            )
        if _is_one(given, lineage):
            return _constrained(Cohort(dialect, given, lineage, adopted=False, limit=limit))
    return _adopted(dialect, given, origin_id=origin_id, limit=limit, above=above)


def adopt(
    dialect: Dialect, streams: Mapping[Scope, ScopeStream], *, origin_id: str, limit: int, above: int = 0
) -> Cohort:
    """The streams on a fresh origin, later than everything they hold and than `above`. It invents no history."""
    check_limit(limit)
    refuse_contradictions(streams, ())
    return _adopted(dialect, streams, origin_id=origin_id, limit=limit, above=above)


def _adopted(
    dialect: Dialect, streams: Mapping[Scope, ScopeStream], *, origin_id: str, limit: int, above: int
) -> Cohort:
    """`adopt` for streams that are known not to contradict each other."""
    latest = max(above, *(stream.head.position for stream in streams.values()))
    origin = new_boundary(origin_id, latest + 1, None)
    if _is_taken(streams, origin):
        refuse_contradictions(streams, (origin,))
    return _constrained(Cohort(dialect, streams, (origin,), adopted=True, limit=limit))


def begin(dialect: Dialect, states: Mapping[Scope, JsonObject], *, origin_id: str, limit: int) -> Cohort:
    """Memory that starts with the given, validated values, all at one origin."""
    check_limit(limit)
    origin = new_boundary(origin_id, 0, None)
    streams: dict[Scope, ScopeStream] = {scope: created(origin, states.get(scope)) for scope in SCOPES}
    return Cohort(dialect, streams, (origin,), adopted=False, limit=limit)


def limited(cohort: Cohort, limit: int) -> Cohort:
    """The cohort under another limit: older patches folded, the lineage cut to limit + 1 boundaries."""
    check_limit(limit)
    return _constrained(Cohort(cohort.dialect, cohort.streams, cohort.lineage, adopted=cohort.adopted, limit=limit))


def boundary_at(cohort: Cohort, offset: int) -> Boundary:
    """The boundary `offset` accepted transitions back; raises InvalidRequest "history-unavailable"."""
    if type(offset) is not int or offset < 0:
        raise InvalidRequest("history-unavailable", f"A moment is named by a whole number from 0 on, not {offset!r}")
    if offset > cohort.limit or offset >= len(cohort.lineage):
        oldest = min(cohort.limit, len(cohort.lineage) - 1)
        raise InvalidRequest(
            "history-unavailable",
            f"It is not known what memory was {offset} {'transition' if offset == 1 else 'transitions'} back",
            hint=f"The oldest moment that can be asked for is {oldest}",
        )
    return cohort.lineage[-1 - offset]


def at(cohort: Cohort, offset: int) -> Mapping[Scope, JsonObject]:
    """Each scope's value `offset` accepted transitions back; raises InvalidRequest where that is not retained."""
    position = boundary_at(cohort, offset).position
    if offset == 0:
        return cohort.states
    return {scope: state_at(stream, position) for scope, stream in cohort.streams.items()}


def advance(
    cohort: Cohort,
    boundary_id: str,
    net: Mapping[Scope, JsonObject],
    after: Mapping[Scope, JsonObject],
    *,
    tidy: Iterable[Scope] = (),
) -> Cohort:
    """The cohort after one accepted transition.

    `net` holds the recorded patch of each changed scope and `after` its value, already validated; `tidy` names the
    scopes whose value was pruned. An empty `net` changes nothing. Raises InvalidRequest for an id that is blank or
    still means something else.
    """
    if not net:
        return cohort
    boundary = new_boundary(boundary_id, cohort.head.position + 1, cohort.head.id)
    if _is_taken(cohort.streams, boundary) or any(known.id == boundary_id for known in cohort.lineage):
        raise InvalidRequest("boundary-twice", f"The boundary id {boundary_id!r} is taken")
    pruned = frozenset(tidy)
    streams = dict(cohort.streams)
    for scope, patch in net.items():
        streams[scope] = accept(streams[scope], boundary, patch, after[scope], cohort.limit, tidy=scope in pruned)
    lineage = (*cohort.lineage, boundary)[-(cohort.limit + 1) :]
    return Cohort(cohort.dialect, streams, lineage, adopted=cohort.adopted, limit=cohort.limit)


def record(cohort: Cohort, boundary_id: str, transitions: Iterable[tuple[str, Json]]) -> Cohort:
    """`advance` by patches as recorded: applied without cascade or pruning, validated where they point.

    Scopes that a patch leaves as they were get no record; where none changes, the cohort itself is returned.
    """
    net: dict[Scope, JsonObject] = {}
    after: dict[Scope, JsonObject] = {}
    named: set[str] = set()
    for scope, patch in transitions:
        if not is_scope(scope):
            raise InvalidRequest("unknown-scope", f"There is no scope named {scope!r}")
        if scope in named:
            raise InvalidRequest("scope-twice", "A scope occurs twice in one transition", scope=scope)
        named.add(scope)
        if not is_object(patch):
            raise InvalidRequest("not-an-object", "The patch is not an object", scope=scope)
        before = cohort.streams[scope].current
        value = merge(before, patch).value
        check_touched(cohort.dialect, scope, patch, value)
        if not same(before, value):
            net[scope] = patch
            after[scope] = value
    return advance(cohort, boundary_id, net, after)


def vector(revisions: Mapping[Scope, int]) -> str:
    """The revisions as one short text, such as "g15 c8 s31"."""
    return " ".join(f"{initial(scope)}{revisions[scope]}" for scope in SCOPES if scope in revisions)


def refuse_contradictions(streams: Mapping[Scope, ScopeStream], lineage: Iterable[Boundary]) -> None:
    """Raise Contradiction where one id stands for two boundaries."""
    known: dict[str, Boundary] = {}
    sources: list[tuple[Scope | None, Iterable[Boundary]]] = [(None, lineage)]
    sources.extend((scope, stream.boundaries()) for scope, stream in streams.items())
    for scope, boundaries in sources:
        for boundary in boundaries:
            if known.setdefault(boundary.id, boundary) != boundary:
                raise Contradiction(
                    "boundary-contradiction",
                    f"Boundary {boundary.id!r} has two positions or two parents",
                    scope=scope,
                )


def _check_roots(dialect: Dialect, streams: Mapping[Scope, ScopeStream]) -> None:
    """A scope that did not declare a root was opened without regard to it."""
    roots = [root.name for root in dialect.roots]
    for scope, stream in streams.items() if roots else ():
        for state in stream.states:
            try:
                check_types(dialect, state, roots)
            except InvalidRequest as flaw:
                raise Contradiction(flaw.code, flaw.message, scope=scope, path=flaw.path) from flaw


def _is_taken(streams: Mapping[Scope, ScopeStream], boundary: Boundary) -> bool:
    """Whether the id of a boundary that is about to be made means something already."""
    name = boundary.id
    return any(
        stream.through.id == name or any(transition.boundary.id == name for transition in stream.tail)
        for stream in streams.values()
    )


def _fits(stream: ScopeStream, lineage: tuple[Boundary, ...]) -> bool:
    """Whether a stream says nothing that the lineage does not: no checkpoint, no later boundary of its own."""
    start = lineage[0]
    # What stands at the very position of the lineage's start must be that start, not another session's transition.
    return (stream.through.position < start.position or stream.through == start) and all(
        transition.boundary in lineage for transition in stream.tail if transition.boundary.position >= start.position
    )


def _is_one(streams: Mapping[Scope, ScopeStream], lineage: tuple[Boundary, ...]) -> bool:
    """Whether the parts are strictly one history."""
    recorded = {transition.boundary for stream in streams.values() for transition in stream.tail}
    return all(_fits(stream, lineage) for stream in streams.values()) and recorded.issuperset(lineage[1:])


def _constrained(cohort: Cohort) -> Cohort:
    streams = {scope: constrain(stream, cohort.limit) for scope, stream in cohort.streams.items()}
    lineage = cohort.lineage[-(cohort.limit + 1) :]
    if lineage == cohort.lineage and all(streams[scope] is cohort.streams[scope] for scope in streams):
        return cohort
    return Cohort(cohort.dialect, streams, lineage, adopted=cohort.adopted, limit=cohort.limit)
