"""Where what a draft moves goes, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.memory.draft import Draft, Transfer
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass, field
from engine.values import dotted
from sftui.display import clean
from sftui.views.kinds import Path, View

_Place = tuple[Scope, Path]


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of a draft from end to end, by where they begin and by where they end."""

    ends: Mapping[_Place, _Place] = field(default_factory=dict)
    origins: Mapping[_Place, _Place] = field(default_factory=dict)

    def to(self, view: View, path: Path) -> str:
        """Give where a row goes, whole or within what holds it; '' for what does not move."""
        return _other_end(self.ends, view, path)

    def back(self, view: View, path: Path) -> Path | None:
        """Give the row of the same view that a row comes from."""
        for scope in reversed(SCOPES) if view == "effective" else (view,):
            found = self.origins.get((scope, path))
            if found is not None and view in {"effective", found[0]}:
                return found[1]
        return None

    def origin(self, view: View, path: Path) -> str:
        """Give where a row comes from."""
        return _other_end(self.origins, view, path)


def moves(draft: Draft) -> Moves:
    """Find the moves of the ticked steps; one that goes on from where another ended is one with it."""
    origins: dict[_Place, _Place] = {}
    for step in draft.steps:
        one = step.operation
        if not step.ticked or not isinstance(one, Transfer) or one.keep:
            continue
        here, there = (one.scope, one.path), (one.to_scope, one.to_path)
        origins[there] = origins.pop(here, here)
    origins = {end: begun for end, begun in origins.items() if begun != end}
    return Moves({begun: end for end, begun in origins.items()}, origins)


NO_MOVES: Final = Moves()


def _other_end(ends: Mapping[_Place, _Place], view: View, path: Path) -> str:
    for scope in reversed(SCOPES) if view == "effective" else (view,):
        for length in range(len(path), 0, -1):
            found = ends.get((scope, path[:length]))
            if found is not None:
                return clean(dotted(found[0], (*found[1], *path[length:])))
    return ""
