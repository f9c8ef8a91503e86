"""`sftui diff`: what differs between two moments, scopes or views."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from engine.errors import InvalidRequest
from engine.records import replace
from engine.store.snapshot import snapshot
from engine.values import JsonObject, is_object, related
from sftui.commands.exporting import emit
from sftui.commands.target import Target, hint_at_session, target
from sftui.display import clean
from sftui.export.document import Document, Heading, lines
from sftui.export.moments import Meant, meant
from sftui.export.recalling import recalled
from sftui.views.differences import Difference, between_moments, between_values
from sftui.views.paths import parse_path

if TYPE_CHECKING:
    from sftui.views.diffs import ScopeDiff
    from sftui.views.kinds import Path


def run(options: Namespace) -> int:
    wanted = target(options)
    try:
        return _diff(options, wanted)
    except InvalidRequest as error:
        hint_at_session(error, options)
        raise


def _diff(options: Namespace, wanted: Target) -> int:
    path = () if options.path is None else _path(options.path)
    found = snapshot(wanted.address)
    with recalled(found, ledger=not options.no_ledger) as deep:
        one, other = (meant(found, wanted.wanted, text, deep) for text in (options.a, options.b))
    for side, text in ((one, options.a), (other, options.b)):
        if side.path:
            raise InvalidRequest(
                "bad-side", "this names a place, and not a moment, scope or view", path=text,
                hint="give the place with --path",
            )  # fmt: skip
    told = compare(one, other, path)
    return emit(page(told, one, other, path), options, wanted.address.root)


def compare(one: Meant, other: Meant, path: Path = ()) -> Difference:
    """What B has and A has not is added, at or below a path."""
    names = [clean(f"{side.name} ({side.when})") for side in (one, other)]
    before, after = _part(one.value, path), _part(other.value, path)
    view = other.view
    if view != "effective" and one.view == view:
        told = between_moments(other.dialect, (names[0], {view: before}), (names[1], {view: after}))
    else:
        told = between_values(other.dialect, view, (names[0], before), (names[1], after))
    return replace(told, diffs=tuple(filter(None, (_at(scope, path) for scope in told.diffs))))


def _part(value: JsonObject, path: Path) -> JsonObject:
    """What there is of a value along the keys of a path."""
    if not path or not isinstance(path[0], str):
        return value
    key = path[0]
    if key not in value:
        return {}
    below = value[key]
    return {key: _part(below, path[1:]) if is_object(below) else below}


def _at(one: ScopeDiff, path: Path) -> ScopeDiff | None:
    kept = tuple(line for line in one.lines if related(line.path, path))
    return replace(one, lines=kept) if kept or one.more else None


def page(told: Difference, one: Meant, other: Meant, path: Path) -> Document:
    """The difference on a page, by the lines of History and of the review."""
    data: JsonObject = {
        "a": {"name": one.name, "moment": one.when},
        "b": {"name": other.name, "moment": other.when},
        "path": list(path),
        **told.to_json(),
    }
    blocks = (Heading(((told.counted, "muted"),)), lines(row.spans for row in told.rows()))
    return Document(told.title, blocks, data)


def _path(text: str) -> Path:
    parsed = parse_path(text)
    if parsed is None or parsed[0] is not None or not parsed[1]:
        raise InvalidRequest(
            "bad-path", "this is not a path below a plane", path=text, hint="write it as tactics.checks, with no scope"
        )
    return parsed[1]
