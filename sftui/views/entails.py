"""What a patch entails: the one record behind the review of a patch and the answer once it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.memory.dialect import V2, V4, Dialect
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass
from engine.store.proposal import Published
from engine.store.readings import Snapshot
from engine.values import JsonObject, MissingDeletion, Surprise, dotted, encoded_size, get, has, is_object
from sftui.display import clean
from sftui.views.diffs import ScopeDiff, diff
from sftui.views.growth import Growth, growth
from sftui.views.kinds import Path
from sftui.views.showing import Showing, showing


@dataclass(frozen=True, slots=True)
class Taken:
    """What goes along with a deleted intent, and its size in bytes of JSON."""

    scope: Scope
    path: str
    size: int

    def to_json(self) -> JsonObject:
        """It as data."""
        return {"path": self.path, "bytes": self.size}


@dataclass(frozen=True, slots=True)
class Folded:
    """A retained change that leaves the tail of its scope: it becomes part of the checkpoint, and no longer one moment."""

    scope: Scope
    revision: int
    boundary: str
    paths: tuple[str, ...]
    more: int

    def to_json(self) -> JsonObject:
        """It as data."""
        return {
            "scope": self.scope,
            "revision": self.revision,
            "boundary": self.boundary,
            "paths": list(self.paths),
            "more": self.more,
        }


@dataclass(frozen=True, slots=True)
class Entails:
    """What a patch did, or would do.

    `receipt` is the agent's. `diffs` tell `net` for people, `taken` what deleted intents take along, `shown` where a
    change does not show or reveals something, `folds` what history lets go of. `advice` are sentences about what else
    follows, for a session above all, `alarms` what somebody should look into.
    """

    receipt: JsonObject
    net: Mapping[Scope, JsonObject]
    cascaded: Mapping[Scope, tuple[str, ...]]
    missed: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]
    advice: tuple[str, ...]
    alarms: tuple[str, ...]
    diffs: tuple[ScopeDiff, ...]
    taken: tuple[Taken, ...]
    shown: tuple[Showing, ...]
    growth: Growth
    folds: tuple[Folded, ...]
    created: tuple[Scope, ...]

    @property
    def untold(self) -> tuple[Taken, ...]:
        """What deleted intents take along without its standing in the diff."""
        told = {f"{one.scope}.{line.where}" for one in self.diffs for line in one.lines if line.sign == "×"}
        return tuple(taken for taken in self.taken if taken.path not in told)


# Paths told of one change that history lets go of.
_MOST_PATHS: Final = 4


def entails(published: Published) -> Entails:
    """Work out all that follows from a patch. What it does not touch is not looked at."""
    staged = published.staged
    before = {**staged.after, **published.before}
    dialect = published.snapshot.dialect or _spoken(staged.net)
    diffs = diff(dialect, staged.net, before, staged.after, staged.cascaded)
    grew = growth(dialect, before, staged.after, staged.net)
    whole = composes(published.snapshot)
    return Entails(
        receipt=published.receipt.to_json(),
        net=staged.net,
        cascaded=staged.cascaded,
        missed=staged.missed,
        warnings=staged.warnings,
        advice=published.advice,
        alarms=published.alarms,
        diffs=diffs,
        taken=_taken(before, staged.after, staged.cascaded),
        shown=showing(dialect, before, staged.after, diffs) if whole else (),
        growth=grew if whole else Growth(grew.hot, grew.lazy, None),
        folds=tuple(folded(fold.scope, fold.revision, fold.boundary.id, fold.patch) for fold in published.folds),
        created=published.created,
    )


def composes(snapshot: Snapshot) -> bool:
    """Whether what shows can be told: beside a fenced scope nobody knows."""
    return all(reading.status != "fenced" for reading in snapshot.scopes.values())


def _spoken(net: Mapping[Scope, JsonObject]) -> Dialect:
    """The dialect of a store's first memory, by the planes that it uses; those that both have read alike in both."""
    planes = {plane for patch in net.values() for plane in patch}
    return V2 if planes & (set(V2.planes) - set(V4.planes)) else V4


def _taken(
    before: Mapping[Scope, JsonObject], after: Mapping[Scope, JsonObject], cascaded: Mapping[Scope, tuple[str, ...]]
) -> tuple[Taken, ...]:
    """What is gone with deleted intents; what the same patch writes again stays, whatever its receipt lists as cleared."""
    return tuple(
        Taken(scope, clean(path), encoded_size(get(before[scope], keys, None)))
        for scope in SCOPES
        for path, keys in ((path, path.split(".")[1:]) for path in cascaded.get(scope, ()))
        if not has(after.get(scope, {}), keys)
    )


def folded(scope: Scope, revision: int, boundary: str, patch: JsonObject) -> Folded:
    """Tell of a retained change that becomes part of a checkpoint."""
    paths = [clean(dotted("", path)) for path in _ends(patch)]
    return Folded(scope, revision, clean(boundary), tuple(paths[:_MOST_PATHS]), max(0, len(paths) - _MOST_PATHS))


def _ends(patch: JsonObject, at: Path = ()) -> Iterator[Path]:
    """Where a recorded patch points, two keys deep: enough to know which change it was."""
    for key, below in patch.items():
        if is_object(below) and below and len(at) < 1:
            yield from _ends(below, (*at, key))
        else:
            yield (*at, key)
