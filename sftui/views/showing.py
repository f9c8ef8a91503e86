"""What a change makes of what shows: where it is masked, and what a deletion reveals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from engine.errors import InvalidRequest
from engine.memory.dialect import Dialect
from engine.memory.overlay import effective_at, providers
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, same, slot
from sftui.views.diffs import DiffLine, ScopeDiff
from sftui.views.kinds import Path
from sftui.views.preview import brief

States = Mapping[Scope, JsonObject]
_BRIEF: Final = 40


@dataclass(frozen=True, slots=True)
class Showing:
    """A changed place that shows otherwise than one might think.

    "masked": a narrower scope hides it, "same": what shows there does not change, "stays": what moves from scope to
    scope shows on, "reveals": what was under it shows.
    """

    scope: Scope
    path: Path
    where: str
    how: Literal["masked", "same", "stays", "reveals"]
    why: str

    def to_json(self) -> JsonObject:
        """It as data."""
        return {"scope": self.scope, "path": list(self.path), "how": self.how, "why": self.why}


def showing(dialect: Dialect, before: States, after: States, diffs: Iterable[ScopeDiff]) -> tuple[Showing, ...]:
    """Tell of each line of a diff that has no effect, or reveals something. Looks only along the changed paths."""
    found: list[Showing] = []
    for told in diffs:
        for line in told.lines:
            one = _showing(dialect, before, after, line)
            if one is not None:
                found.append(one)
    return tuple(found)


def _showing(dialect: Dialect, before: States, after: States, line: DiffLine) -> Showing | None:
    try:
        for path in _laid_over(line.path):
            was_there, was = effective_at(dialect, before, path)
            is_there, now = effective_at(dialect, after, path)
            if is_there:
                who = providers(dialect, after, path)[0]
                earlier = providers(dialect, before, path)[0][-1] if was_there and same(was, now) else None
                return _told(line, who, earlier, now)
    except InvalidRequest:
        # The receipt warns of what cannot be read any more.
        return None
    return None


def _told(line: DiffLine, who: tuple[Scope, ...], earlier: Scope | None, now: Json) -> Showing | None:
    """Tell who shows what there; `earlier` showed the very same before, None where something else did, or nothing."""
    winner, shown = who[-1], brief(now, _BRIEF)
    if earlier is None:
        if line.sign not in {"-", "×"}:
            return None
        return Showing(line.scope, line.path, line.where, "reveals", f"then {winner} shows {shown} there")
    # A move to another scope, the key as it was: it is told where it arrives.
    across = line.place.partition(".")[2] == line.where
    if across and line.sign == "-":
        return None
    if line.scope not in who and SCOPES.index(winner) > SCOPES.index(line.scope):
        return Showing(line.scope, line.path, line.where, "masked", f"{winner} holds {shown} there, which masks it")
    if winner == earlier:
        return Showing(line.scope, line.path, line.where, "same", f"{winner} shows {shown} there, before as after")
    how: Literal["same", "stays"] = "stays" if across else "same"
    why = f"then {winner} shows {shown} there, as {earlier} did before"
    return Showing(line.scope, line.path, line.where, how, why)


def _laid_over(path: Path) -> Iterator[Path]:
    """The path as the overlay may know it: a key `[3]` of a narrower scope lies over the element 3 of an array."""
    yield path
    steps = tuple(found if isinstance(key, str) and (found := slot(key)) is not None else key for key in path)
    if steps != path:
        yield steps
