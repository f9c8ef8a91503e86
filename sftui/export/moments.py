"""Which memory is meant: a view now, so many changes back, or a scope at one of its revisions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidRequest
from engine.memory.cohort import Cohort, at, boundary_at, vector
from engine.memory.dialect import V4, Dialect
from engine.memory.overlay import effective, scope_view
from engine.memory.ownership import owned
from engine.memory.scope import SCOPES, Scope, Wanted, initial
from engine.memory.selectors import try_parse
from engine.records import dataclass, replace
from engine.store.readings import Snapshot
from engine.values import JsonObject
from sftui.commands.target import composed, obstacle
from sftui.views.kinds import VIEWS, Path, View
from sftui.views.paths import parse_path
from sftui.views.picture import Picture, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Gives what a scope held at a revision that it does not retain, or why nobody knows that.
    Deep = Callable[[Scope, int], JsonObject | str]

_AT: Final = re.compile(r"(global|cwd|session)@([0-9]{1,15})(.*)", re.DOTALL)
_BACK: Final = re.compile(r"(effective|global|cwd|session)\[([0-9]{1,15})\](.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Meant:
    """Memory at one moment: the value of `view`, what the scopes held as far as that is meant, and what it is called."""

    name: str
    view: View
    path: Path
    value: JsonObject
    states: Mapping[Scope, JsonObject]
    dialect: Dialect
    when: str

    def picture(self, now: Picture) -> Picture:
        """The picture of it, its sizes known."""
        memory: dict[View, JsonObject] = {
            scope: scope_view(self.dialect, state) for scope, state in self.states.items()
        }
        memory[self.view] = self.value
        claims = {scope: owned(self.dialect, scope, state) for scope, state in self.states.items()}
        made = replace(now, memory=memory, states=self.states, claims=claims, log=(), hot_bytes=None)
        return measured(made)


def meant(found: Snapshot, wanted: Wanted, text: str, deep: Deep | None = None) -> Meant:
    """Find what a text such as `effective[2].tactics`, `cwd` or `cwd@8` means. Raises InvalidRequest, Busy or Fenced."""
    revision = _AT.fullmatch(text)
    back = _BACK.fullmatch(text)
    path: Path
    if revision is not None:
        view, path = _view(revision[1]), _path(text, revision[3])
    elif back is not None:
        view, path = _view(back[1]), _path(text, back[3])
    else:
        parsed = parse_path(text)
        if parsed is None or (parsed[0] is None and not _is_plane(found, text, parsed[1])):
            raise _not_a_path(text)
        view, path = parsed[0] or "effective", parsed[1]
    if view != "effective" and view not in wanted:
        raise InvalidRequest("unwanted-scope", "this memory is outside the scopes that were asked for",
                             scope=view, hint=f"asked for: {', '.join(wanted)}")  # fmt: skip
    if revision is not None:
        assert view != "effective"
        return replace(_at_revision(found, view, int(revision[2]), deep), path=path)
    needed: Wanted = wanted if view == "effective" else (view,)
    return replace(_at_offset(composed(found, needed), needed, view, 0 if back is None else int(back[2])), path=path)


def _view(name: str) -> View:
    return next(view for view in VIEWS if view == name)


def _is_plane(found: Snapshot, text: str, path: Path) -> bool:
    dialect = found.dialect or V4
    return path[0] in dialect.planes or try_parse(dialect, text) is not None


def _path(text: str, rest: str) -> Path:
    if not rest:
        return ()
    parsed = parse_path(rest.removeprefix(".")) if rest[0] in ".[" else None
    if parsed is None or parsed[0] is not None:
        raise _not_a_path(text)
    return parsed[1]


def _not_a_path(text: str) -> InvalidRequest:
    return InvalidRequest(
        "bad-path", "this is not a path into memory", path=text,
        hint="write effective, effective[2], cwd, session[1] or cwd@8, then .key or [index]",
    )  # fmt: skip


def _at_offset(cohort: Cohort, needed: Wanted, view: View, offset: int) -> Meant:
    boundary_at(cohort, offset)
    states = {scope: state for scope, state in at(cohort, offset).items() if scope in needed}
    dialect = cohort.dialect
    value = effective(dialect, states) if view == "effective" else scope_view(dialect, states[view])
    name = f"{view}[{offset}]" if offset else view
    now = vector({scope: cohort.revisions[scope] for scope in SCOPES if scope in needed})
    return Meant(name, view, (), value, states, dialect, f"{offset} back" if offset else now)


def _at_revision(found: Snapshot, scope: Scope, revision: int, deep: Deep | None) -> Meant:
    if scope not in found.scopes:
        raise InvalidRequest("no-such-scope", f"no {scope} is open here", scope=scope)
    reading = found.scopes[scope]
    stream = reading.stream
    if reading.status == "fenced" or (stream is None and reading.status != "absent"):
        raise obstacle(found, (scope,))
    last = 0 if stream is None else stream.revision
    first = 0 if stream is None else last - len(stream.tail)
    value: JsonObject | str
    if first <= revision <= last:
        value = {} if stream is None else stream.states[revision - first]
    elif revision > last:
        value = f"{scope} is at revision {last}"
    else:
        value = f"{scope} retains its revisions {first} to {last}"
        if deep is not None:
            known = deep(scope, revision)
            value = f"{value}, and {known}" if isinstance(known, str) else known
    if isinstance(value, str):
        raise InvalidRequest(
            "history-unavailable", f"it is not known what {scope} was at revision {revision}", scope=scope, hint=value
        )
    dialect = reading.dialect or found.dialect or V4
    name = f"{scope}@{revision}"
    return Meant(name, scope, (), scope_view(dialect, value), {scope: value}, dialect, f"{initial(scope)}{revision}")
