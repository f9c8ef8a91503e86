"""A recorded change as a readable diff: added, removed, changed, moved, cascaded. Looks only where it points."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from typing import Final

from engine.memory.dialect import Dialect
from engine.memory.ownership import INTENTS
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, dotted, encoded_size, is_array, is_object, same
from sftui.display import clean
from sftui.views.changes import BECAME
from sftui.views.ends import GONE, ends
from sftui.views.inner import Inner, inside, whole
from sftui.views.kinds import Path
from sftui.views.preview import badge, brief
from sftui.views.spans import Role
from sftui.views.units import human

# Lines shown of one scope; a last one counts the rest.
KEPT_LINES: Final = 400
_BRIEF: Final = 60
# Shorter texts stand in many places: two of them alike are no sign that one was moved.
_TELLING: Final = 12
# Removed values that are looked at to find out whether what was added is one of them.
_MOST_REMOVED: Final = 10_000
_MOST_COMPARED: Final = 100

MOVED: Final = "→"
ROLES: Final[dict[str, Role]] = {
    "+": "added",
    "-": "removed",
    "~": "changed",
    "×": "cascade",
    MOVED: "changed",
    " ": "muted",
}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One place that changes. `sign` is + - ~, × for what goes with an intent, → for what comes from another place.

    `what` says how, cleaned. `inner` are lines about the inside of a long text or an array, `more` counts those left
    out. `place` is the other end of a move, as a scoped path. `was` is the old value where `what` begins with one,
    followed by an arrow.
    """

    sign: str
    scope: Scope
    path: Path
    where: str
    what: str
    inner: tuple[Inner, ...] = ()
    more: int = 0
    place: str = ""
    was: str = ""

    def to_json(self) -> JsonObject:
        """The line as data."""
        told: dict[str, Json] = {"sign": self.sign, "path": list(self.path), "what": self.what}
        if self.place:
            told["from" if self.sign == MOVED else "to"] = self.place
        if self.inner:
            told["inside"] = [[sign, text] for sign, text in self.inner]
        if self.more:
            told["more_inside"] = self.more
        return told


@dataclass(frozen=True, slots=True)
class ScopeDiff:
    """What changes in one scope; `more` counts the lines left out."""

    scope: Scope
    lines: tuple[DiffLine, ...]
    more: int

    def to_json(self) -> JsonObject:
        """The diff as data."""
        return {"scope": self.scope, "lines": [line.to_json() for line in self.lines], "more": self.more}


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a net patch: what stood there, and what stands there then."""

    scope: Scope
    path: Path
    old: Json
    new: Json


def diff(
    dialect: Dialect,
    net: Mapping[Scope, JsonObject],
    before: Mapping[Scope, JsonObject],
    after: Mapping[Scope, JsonObject],
    cascaded: Mapping[Scope, tuple[str, ...]],
    *,
    most: int = KEPT_LINES,
) -> tuple[ScopeDiff, ...]:
    """Tell what `net` makes of `before`, scope by scope. `cascaded` are the scoped paths that go with intents."""
    taken = {scope: tuple(_keys(path) for path in paths) for scope, paths in cascaded.items()}
    found: dict[Scope, list[_End]] = {}
    for scope, patch in net.items():
        walked = ends(patch, before.get(scope, {}), after.get(scope, {}), taken.get(scope, ()))
        found[scope] = [_End(scope, path, old, new) for path, old, new in walked]
    moves = _Moves([end for some in found.values() for end in some])
    went = {scope: frozenset(taken.get(scope, ())) for scope in found}
    told: list[ScopeDiff] = []
    for scope, some in found.items():
        lines: list[DiffLine] = []
        more = 0
        for end in some:
            for line in _lines(dialect, end, went[scope], moves):
                if len(lines) < most:
                    lines.append(line)
                else:
                    more += 1
        told.append(ScopeDiff(scope, tuple(lines), more))
    return tuple(told)


def _keys(path: str) -> Path:
    """The keys of a cascaded path without its scope: only keys that a read can name are ever owned."""
    return tuple(path.split(".")[1:])


class _Moves:
    """Finds what was added among what was removed."""

    def __init__(self, found: list[_End]) -> None:
        gone = [end for end in found if end.new is GONE]
        # By what they look like, and by their name as well: of many only few are compared.
        self._gone: dict[object, dict[tuple[Scope, Path], _End]] = {}
        self._namesakes: dict[tuple[object, str | int], dict[tuple[Scope, Path], _End]] = {}
        for end in gone[:_MOST_REMOVED]:
            look = _look(end.old)
            self._gone.setdefault(look, {})[end.scope, end.path] = end
            self._namesakes.setdefault((look, end.path[-1]), {})[end.scope, end.path] = end
        self.to: dict[tuple[Scope, Path], str] = {}
        self.origin: dict[tuple[Scope, Path], str] = {}
        for end in found if self._gone else ():
            if end.old is not GONE:
                continue
            stack: list[tuple[Path, Json]] = [(end.path, end.new)]
            while stack:
                path, value = stack.pop()
                source = self._source(path, value)
                if source is not None:
                    self.origin[end.scope, path] = _place(source.scope, source.path)
                    self.to[source.scope, source.path] = _place(end.scope, path)
                elif is_object(value) and len(path) - len(end.path) < _DEEP:
                    stack.extend(((*path, key), member) for key, member in value.items())

    def _source(self, path: Path, value: Json) -> _End | None:
        """Take what was removed that is the same as `value`, a namesake first; for small things only a namesake."""
        look = _look(value)
        alike = self._gone.get(look)
        if not alike:
            return None
        namesakes = self._namesakes.get((look, path[-1]), {}).values()
        others = alike.values() if _tells(value) else ()
        compared = chain(islice(namesakes, _MOST_COMPARED), islice(others, _MOST_COMPARED))
        found = next((end for end in compared if same(end.old, value)), None)
        if found is not None:
            place = found.scope, found.path
            del alike[place], self._namesakes[look, found.path[-1]][place]
        return found


# So far below what was added is looked for what was moved there.
_DEEP: Final = 3


def _look(value: Json) -> object:
    """What two values have in common that are the same; told without walking them."""
    if is_object(value):
        first = min(value, default="")
        return "object", len(value), first, _leaf(value.get(first))
    if is_array(value):
        return "array", len(value), _leaf(value[0]) if value else None
    return type(value), value


def _leaf(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _tells(value: Json) -> bool:
    """Whether two values like this one are hardly the same by chance."""
    if isinstance(value, str):
        return len(value) >= _TELLING
    return (is_object(value) or is_array(value)) and bool(value)


def _lines(dialect: Dialect, end: _End, taken: frozenset[Path], moves: _Moves) -> list[DiffLine]:
    scope, path, old, new = end.scope, end.path, end.old, end.new
    where = _where(path)
    lazy = path[0] in dialect.lazy
    cascaded = any(path[:length] in taken for length in range(1, len(path) + 1))
    if new is GONE:
        place = moves.to.get((scope, path), "")
        if place:
            return [DiffLine("-", scope, path, where, f"moves to {place}", place=place)]
        size = human(encoded_size(old))
        if cascaded:
            return [DiffLine("×", scope, path, where, f"goes with its intent, {size}")]
        if is_object(old) or is_array(old):
            note = ", closed" if len(path) == 2 and path[0] == INTENTS else ""
            return [DiffLine("-", scope, path, where, f"{badge(old)} {size}{note}", *whole("-", old))]
        return [DiffLine("-", scope, path, where, brief(old, _BRIEF), *whole("-", old))]
    if old is GONE:
        return _added(scope, path, new, moves, "not in context" if lazy else "")
    was = brief(old, _BRIEF)
    change = f"{was}{BECAME}{brief(new, _BRIEF)}"
    if is_object(old) or is_array(old) or is_object(new) or is_array(new):
        grew = encoded_size(new) - encoded_size(old)
        sign = f"+{human(grew)}" if grew > 0 else f"−{human(-grew)}"
        change += f"  {sign if grew else 'same size'}"
    if cascaded:
        change += "  would go with its intent, and is written again"
    return [DiffLine("~", scope, path, where, change, *inside(old, new), was=was)]


def _added(scope: Scope, path: Path, value: Json, moves: _Moves, note: str) -> list[DiffLine]:
    """What was added, leaf by leaf, so that it can all be read; what was only moved stays in one piece."""
    found: list[DiffLine] = []
    stack: list[tuple[Path, Json]] = [(path, value)]
    while stack:
        at, node = stack.pop()
        source = moves.origin.get((scope, at), "")
        where = _where(at)
        if source:
            what = f"from {source}  {brief(node, _BRIEF)}"
            found.append(DiffLine(MOVED, scope, at, where, what, place=source))
        elif is_object(node) and node:
            stack.extend(reversed([((*at, key), member) for key, member in node.items()]))
        else:
            ending = f"  {note}" if note else ""
            found.append(DiffLine("+", scope, at, where, f"{brief(node, _BRIEF)}{ending}", *whole("+", node)))
    return found


def _where(path: Path) -> str:
    return clean(dotted("", path))


def _place(scope: Scope, path: Path) -> str:
    return clean(dotted(scope, path))
