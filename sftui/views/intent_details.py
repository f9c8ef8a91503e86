"""What is known about one row of screen 4; of an intent above all what its deletion would take along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.memory.relations import Kind, Relation
from engine.memory.scope import SCOPES, Scope
from engine.records import replace
from engine.values import dotted
from sftui.display import clean
from sftui.views.details import details
from sftui.views.intent_rows import IntentSource
from sftui.views.intents import Goes, Intent, Intents, deletion
from sftui.views.kinds import Path, View
from sftui.views.mentions import naming
from sftui.views.preview import key_text
from sftui.views.spans import Span, Spans
from sftui.views.units import human

# So many places are listed; the rest is counted.
_MOST_LISTED: Final = 40
_MOST_NAMED: Final = 6

_MEANS: Final[dict[Kind, str]] = {
    "owned": "goes when the intent is deleted",
    "shared": "stays while another intent names it",
    "used": "named, but not owned: stays when the intent is deleted",
    "dangling": "nothing is there now",
}


def row_details(source: IntentSource, path: Path) -> tuple[Spans, list[Spans]]:
    """Give title and lines for the row at `path`."""
    found = source.found
    relation = source.relation(path)
    item = source.item(path)
    if relation is not None and item is not None:
        return _relation_lines(found, item, relation)
    if item is not None:
        lines = intent_lines(found, item)
        if item.key in found.added:
            lines.insert(0, (("+ ", "added"), ("the draft adds it: nothing of it is written yet", "text")))
        return _title(item.scope, item.path), lines
    place = source.left(path)
    if place is not None:
        scope, where = place
        users = found.users_of(scope, where)
        lines = [(("no intent owns it: it stays until somebody deletes it", "text"),)]
        lines += [(("used by ", "muted"), (key_text(name), "text")) for name in users]
        return _title(scope, where), [*lines, *details(found.picture, scope, where).lines()]
    group = source.group(path)
    return ((("details", "strong"),), []) if group is None else _group_lines(found, group)


def _title(root: View, path: Path) -> Spans:
    return ((clean(dotted(root, path)), "strong"),)


def _group_lines(found: Intents, scope: Scope) -> tuple[Spans, list[Spans]]:
    left = found.unowned[scope]
    lines: list[Spans] = [
        ((f"{len(left):,} place{'' if len(left) == 1 else 's'} of {scope} memory that no intent owns", "text"),),
        (("they stay, whichever intent is deleted", "muted"),),
    ]
    return ((f"unowned in {scope}", "strong"),), lines


def intent_lines(found: Intents, item: Intent) -> list[Spans]:
    """Say what a deletion takes along first: it has to be known before it is made."""
    goes = deletion(found, item)
    lines = list(_going_lines(goes))
    if not item.whole:
        lines.append((("too large to be looked through: ", "warn"), ("what it uses is not listed", "text")))
    lines += _left_dangling(found, item, goes)
    lines += [
        (("stays ", "muted"), (clean(path), "text"), (f": {clean(why)}", "muted")) for path, why in _listed(goes.stays)
    ]
    lines += _rest(len(goes.stays))
    dangling = [relation for relation in item.relations if relation.kind == "dangling"]
    lines += [(("dangling ", "warn"), (clean(one.target), "text")) for one in dangling[:_MOST_LISTED]]
    lines += _rest(len(dangling))
    told = details(found.told_from(item.key), item.scope, item.path)
    # What it owns and names has been told, and better.
    kept = tuple((label, text) for label, text in told.facts if label not in {"owns", "references"})
    return [*lines, *replace(told, facts=kept).lines()]


def _going_lines(goes: Goes) -> Iterator[Spans]:
    if not goes.paths:
        yield (("deleting it takes nothing along", "text"),)
        return
    size = f", {human(goes.size)}" if goes.is_measured else ""
    places = "place" if len(goes.paths) == 1 else "places"
    yield (("deleting it takes along ", "text"), (f"{len(goes.paths):,} {places}{size}", "strong"))
    for path, size_of in goes.paths[:_MOST_LISTED]:
        shown = "" if size_of is None else f"  {human(size_of)}"
        yield (("× ", "cascade"), (clean(path), "text"), (shown, "muted"))
    yield from _rest(len(goes.paths))


def _left_dangling(found: Intents, item: Intent, goes: Goes) -> Iterator[Spans]:
    """Say who names what goes, and would name nothing then."""
    wanted = frozenset(spelling for path, _ in goes.paths for spelling in _spellings(item.scope, path))
    places = [
        (scope, at)
        for scope, at in dict.fromkeys(naming(found.picture.mentions, wanted, SCOPES))
        if not (scope == item.scope and at[:2] == item.path) and not _covered(goes, dotted(scope, at))
    ]
    for scope, at in places[:_MOST_NAMED]:
        yield (("left naming nothing: ", "warn"), (clean(dotted(scope, at)), "text"))
    yield from _rest(len(places), _MOST_NAMED)


def _spellings(scope: Scope, path: str) -> tuple[str, str, str]:
    flat = path.removeprefix(f"{scope}.")
    return path, flat, f"effective.{flat}"


def _covered(goes: Goes, told: str) -> bool:
    return any(told == path or told.startswith((f"{path}.", f"{path}[")) for path, _ in goes.paths)


def _relation_lines(found: Intents, item: Intent, relation: Relation) -> tuple[Spans, list[Spans]]:
    mark: Span = (f"{relation.kind}: ", "warn" if relation.kind == "dangling" else "accent")
    means = _MEANS[relation.kind]
    if relation.kind == "dangling" and relation.owning:
        means += "; whatever is put there will belong to the intent"
    if not relation.known:
        means = "outside of present memory" if relation.root is None else f"no {relation.root} memory is in view"
    lines: list[Spans] = [(mark, (means, "text"))]
    lines.append((("named by ", "muted"), (clean(dotted(item.scope, item.path)), "text")))
    if relation.shared_with:
        lines.append((("also named by ", "muted"), (clean(", ".join(relation.shared_with)), "text")))
    if relation.root is None or relation.kind == "dangling" or not relation.known:
        return ((clean(relation.target), "strong"),), lines
    told = details(found.told_from(item.key), relation.root, relation.path)
    return _title(relation.root, relation.path), [*lines, *told.lines()]


def _listed(stays: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return list(stays)[:_MOST_LISTED]


def _rest(count: int, most: int = _MOST_LISTED) -> list[Spans]:
    return [((f"  {count - most:,} more", "muted"),)] if count > most else []
