"""`read_state`: one or several paths, one projection, one captured view; everything that was asked for, or an error."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import eq, is_
from typing import Final, Literal

from engine.errors import InvalidRequest
from engine.memory.artifacts import shown_card, shown_cards
from engine.memory.cohort import Cohort, at, boundary_at
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect
from engine.memory.overlay import effective, hot, scope_view
from engine.memory.references import owners, relative, relative_path, spellings
from engine.memory.scope import Scope, Wanted, is_scope
from engine.memory.selectors import Range, Selector, Step, parse
from engine.memory.stream import patch_at
from engine.records import dataclass
from engine.values import Json, JsonObject, enumeration_order, is_array, is_object, kind, net_patch, slot

Projection = Literal["value", "keys", "patch"]
PROJECTIONS: Final[tuple[Projection, ...]] = ("value", "keys", "patch")

MISSING = "no-such-path"
DANGLING_MESSAGE: Final = (
    "Nothing stands at this path now. The listed values of current memory refer to it; they are not where it went."
)


@dataclass(frozen=True, slots=True)
class View:
    """One captured moment of memory and the scopes that its reader wants; effective memory is composed of these."""

    cohort: Cohort
    wanted: Wanted

    @property
    def only(self) -> Scope | None:
        """The wanted scope where it is the only one."""
        return self.wanted[0] if len(self.wanted) == 1 else None

    @property
    def dialect(self) -> Dialect:
        return self.cohort.dialect


# The planes of a root ("effective" or a scope) at an offset, each looked up once for all paths of a request.
_Planes = Callable[[str, int], JsonObject]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one path comes to: a value or patch, or what `keys` says."""

    payload: Json
    meta: JsonObject | None = None


def read_state(view: View, request: Json) -> JsonObject:
    """Answer {"path": p} or {"paths": [p, ...]}, with "projection" value (default), keys or patch.

    Members are in the order in which an agent gets them. Raises InvalidRequest for the whole request if any path
    fails, except that a single missing value which current memory refers to is answered by null and a hint.
    """
    paths, projection = _parse(request)
    selectors = [_bound(view, parse(view.dialect, path)) for path in paths]

    @cache
    def planes(root: str, offset: int) -> JsonObject:
        return _planes(view, root, offset)

    if len(paths) == 1 and projection == "value":
        try:
            return {"value": shown(view, _value(view.dialect, planes, selectors[0], paths[0]))}
        except InvalidRequest as refusal:
            if refusal.code != MISSING:
                raise
            hint = _hint(view, selectors[0], paths[0])
            if hint is None:
                raise
            return {"value": None, "hint": [hint]}
    answers = [
        _answer(view, planes, selector, path, projection) for selector, path in zip(selectors, paths, strict=True)
    ]
    payload: Json = [answer.payload for answer in answers] if len(paths) > 1 else answers[0].payload
    if projection != "keys":
        return {projection: payload}
    return {"meta": [answer.meta for answer in answers] if len(paths) > 1 else answers[0].meta, "keys": payload}


def _parse(request: Json) -> tuple[tuple[str, ...], Projection]:
    if not is_object(request):
        raise InvalidRequest("bad-request", "A read is a JSON object with a path or paths")
    for member in request:
        if member not in {"path", "paths", "projection"}:
            raise InvalidRequest("bad-request", f"A read has no member {member!r}",
                                 hint="Scope and history belong in the path: cwd[1].lazy")  # fmt: skip
    if ("path" in request) == ("paths" in request):
        raise InvalidRequest("bad-request", "A read names either a path or a list of paths")
    asked = [request["path"]] if "path" in request else request["paths"]
    if not is_array(asked) or not asked:
        raise InvalidRequest("bad-request", "The paths of a read are a list with at least one path")
    paths = tuple(path for path in asked if isinstance(path, str))
    if len(paths) != len(asked):
        raise InvalidRequest("bad-request", "A path is a string")
    wanted = request.get("projection", "value")
    for projection in PROJECTIONS:
        if projection == wanted:
            return paths, projection
    raise InvalidRequest("bad-request", "There is no such projection", hint="The projections are value, keys and patch")


def _bound(view: View, selector: Selector) -> Selector:
    """The selector as this reader means it: with one wanted scope a flat path is a path into that scope."""
    if view.only is not None:
        selector = selector.anchored(view.only)
    if selector.scope is not None and selector.scope not in view.wanted:
        raise InvalidRequest("unwanted-scope", "This memory is outside the scopes that were asked for",
                             scope=selector.scope, hint=f"Asked for: {', '.join(view.wanted)}")  # fmt: skip
    return selector


def _answer(view: View, planes: _Planes, selector: Selector, path: str, projection: Projection) -> _Answer:
    if projection == "patch":
        return _Answer(shown(view, _patch(view, planes, selector, path)))
    if projection == "value":
        return _Answer(shown(view, _value(view.dialect, planes, selector, path)))
    value = _resolve(view.dialect, planes, selector, path)
    return _Answer(_keys(value), _meta(value))


def _value(dialect: Dialect, planes: _Planes, selector: Selector, path: str) -> Json:
    """The value; null for a plane that is absent as a whole."""
    if len(selector.steps) == 1 and selector.steps[0] in dialect.planes:
        return planes(selector.root, selector.offset or 0).get(str(selector.steps[0]))
    return _resolve(dialect, planes, selector, path)


def _resolve(dialect: Dialect, planes: _Planes, selector: Selector, path: str) -> Json:
    found = planes(selector.root, selector.offset or 0)
    return _follow(found, selector.steps, path) if selector.steps else hot(dialect, found)


def _planes(view: View, root: str, offset: int) -> JsonObject:
    """The planes of a scope or of effective memory at one moment, artifact cards as they are shown.

    Raises InvalidRequest where that moment is not retained, or effective memory cannot be composed.
    """
    boundary_at(view.cohort, offset)
    states = at(view.cohort, offset)
    if is_scope(root):
        found = scope_view(view.dialect, states[root])
    else:
        found = effective(view.dialect, {scope: states[scope] for scope in view.wanted})
    if ARTIFACTS not in found:
        return found
    return {plane: shown_cards(value) if plane == ARTIFACTS else value for plane, value in found.items()}


def _follow(value: Json, steps: tuple[Step, ...], path: str) -> Json:
    for step in steps:
        if isinstance(step, str):
            if not is_object(value) or step not in value:
                raise _missing(path)
            value = value[step]
        elif isinstance(step, Range):
            if not is_array(value) or not step.start <= step.stop <= len(value):
                raise _missing(path)
            value = list(value[step.start : step.stop])
        else:
            if not is_array(value) or step >= len(value):
                raise _missing(path)
            value = value[step]
    return value


def _patch(view: View, planes: _Planes, selector: Selector, path: str) -> Json:
    """What the transition at the selected moment changed at the path; {} for nothing, null for removed."""
    offset = selector.offset or 0
    boundary = boundary_at(view.cohort, offset)
    if selector.scope is not None:
        change = shown_patch(view.dialect, patch_at(view.cohort.streams[selector.scope], boundary) or {})
    elif offset + 1 < len(view.cohort.lineage):
        change = net_patch(planes(selector.root, offset + 1), planes(selector.root, offset))
    else:
        change = {}
    return _touching(change, selector.steps, path)


def _touching(change: Json, steps: tuple[Step, ...], path: str) -> Json:
    """The part of a patch that touches a path. A range leaves of a patch of elements those that lie in it."""
    for number, step in enumerate(steps, 1):
        if change is None:
            return None
        if is_array(change):
            return _follow(change, steps[number - 1 :], path)
        if not is_object(change):
            raise _missing(path)  # nothing lies below the scalar that was written there
        if isinstance(step, Range):
            # Elements keep the indexes of their array; below a range they are counted from its start.
            start = 0 if number == len(steps) else step.start
            change = {
                f"[{index - start}]": change[key]
                for key in change
                if (index := slot(key)) is not None and step.start <= index < step.stop
            }
            continue
        key = step if isinstance(step, str) else f"[{step}]"
        if key not in change:
            return {}
        change = change[key]
    return change


def shown_patch(dialect: Dialect, patch: JsonObject) -> JsonObject:
    """A record as reads show it: without members outside the planes or bookkeeping of cards; an emptied answer is one removed."""
    shown: dict[str, Json] = {}
    for plane in dialect.planes:
        if plane not in patch:
            continue
        change = patch[plane]
        if plane == ARTIFACTS and is_object(change):
            change = {source: shown_card(card) for source, card in change.items()}
        shown[plane] = None if plane == RESPONSE and change == "" else change
    return shown


def _keys(value: Json) -> Json:
    return {key: kind(value[key]) for key in enumeration_order(value)} if is_object(value) else []


def _meta(value: Json) -> JsonObject:
    meta: dict[str, Json] = {"type": kind(value)}
    if is_object(value):
        meta["size"] = len(value)
    elif is_array(value):
        meta["length"] = len(value)
    elif isinstance(value, str):
        meta["length"] = len(value) + sum(character > "\uffff" for character in value)
    return meta


def _hint(view: View, selector: Selector, path: str) -> JsonObject | None:
    """Who refers to the missing path, if anyone does."""
    names = spellings(parse(view.dialect, path), path)
    if view.only is not None:
        names = (selector.text(), *names)  # as it is stored, and as this reader may have written it into a text
    states = view.cohort.states
    found = owners(view.dialect, {scope: states[scope] for scope in view.wanted}, names)
    if not found.owners:
        return None
    shown = [owner.path for owner in found.owners]
    if view.only is not None:
        shown = [relative_path(view.dialect, view.only, one) for one in shown]
    return {"type": "dangling-reference", "message": DANGLING_MESSAGE, "paths": list(shown)}


def shown(view: View, value: Json) -> Json:
    """A result as this reader gets it: members in enumeration order, references of the only scope made flat."""
    if view.only is not None:
        value = relative(view.dialect, view.only, value)
    return _enumerated(value)


def _enumerated(value: Json) -> Json:
    """The value with members in the order in which a JavaScript program lists them; shared where that is so already."""
    if is_object(value):
        keys = enumeration_order(value)
        moved: dict[str, Json] | None = None if all(map(eq, keys, value)) else {key: value[key] for key in keys}
        for key in keys:
            new = _enumerated(value[key])
            if new is not value[key]:
                moved = dict(value) if moved is None else moved
                moved[key] = new
        return value if moved is None else moved
    if is_array(value):
        slots = [_enumerated(item) for item in value]
        return value if all(map(is_, slots, value)) else slots
    return value


def _missing(path: str) -> InvalidRequest:
    return InvalidRequest(MISSING, "There is nothing at this path", path=path,
                          hint="Read the part above it with the projection keys")  # fmt: skip
