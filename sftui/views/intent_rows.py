"""The rows of screen 4: a graph, intent by intent, or a table of the intents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.memory.relations import KINDS, Kind, Relation
from engine.memory.scope import Scope, initial, is_scope
from engine.values import Json, get
from sftui.cells import cell_len, cut, fit, fit_right
from sftui.display import clean
from sftui.views.intents import Intent, Intents, RowKey, unowned_key
from sftui.views.kinds import Path, View
from sftui.views.picture import Picture
from sftui.views.preview import gist, key_text
from sftui.views.spans import SIGN_ROLES, Role, Span, Spans
from sftui.views.units import human

Layout = str
GRAPH: Final = "graph"
TABLE: Final = "table"

_SIZE: Final = 7
_WORD: Final = 9
_NUMBER: Final = 5
# The columns of numbers, in narrow and in wide tables.
_SHORT: Final[dict[Kind, str]] = {"owned": "own", "shared": "shr", "used": "use", "dangling": "dng"}
_TALLIED: Final[dict[Kind, str]] = {"owned": "owns", "shared": "shares", "used": "uses", "dangling": "dangling"}
_NARROW: Final = 60
_WIDE_FROM: Final = 72
_WIDE_NUMBER: Final = 9
_ROLES: Final[dict[Kind, Role]] = {"owned": "accent", "shared": "changed", "used": "muted", "dangling": "warn"}


def _no_sign(scope: Scope, path: Path) -> str:
    del scope, path
    return ""


class IntentSource:
    """What the list shows: a graph with the places below their intents, or one line an intent.

    `sign` gives that of the draft for a place.
    """

    def __init__(self, found: Intents, layout: Layout, sign: Callable[[Scope, Path], str] = _no_sign) -> None:
        self.found = found
        self.layout = layout
        self.items: dict[RowKey, Intent] = {item.key: item for item in found.items}
        self._groups: dict[RowKey, Scope] = {unowned_key(scope): scope for scope, left in found.unowned.items() if left}
        self._relations: dict[RowKey, Relation] = {
            (*item.key, relation.target): relation for item in found.items for relation in item.relations
        }
        self._sign_of = sign
        self._width = max((cell_len(key_text(item.name)) for item in found.items), default=6)

    def children(self, path: Path) -> Sequence[Path]:
        """Give the intents and the unowned groups, or what is below one of them in the graph."""
        key = _key(path)
        if not key:
            return [*self.items, *self._groups]
        if self.layout == TABLE or len(key) > 1:
            return ()
        item = self.items.get(key)
        if item is not None:
            return [(*key, relation.target) for relation in item.relations]
        scope = self._groups.get(key)
        return [] if scope is None else [(*key, told) for told in self.found.unowned[scope]]

    def expandable(self, path: Path) -> bool:
        """Tell whether there is something below."""
        key = _key(path)
        if self.layout == TABLE or len(key) != 1:
            return False
        item = self.items.get(key)
        return bool(item.relations) if item is not None else key in self._groups

    def token(self, path: Path) -> object:
        """Every look is a new one."""
        del path
        return self

    # What the rows are about.

    def place(self, path: Path) -> tuple[View, Path] | None:
        """Give root and path of what a row stands for in memory; None for a group, and for what is not in memory."""
        key = _key(path)
        item = self.items.get(key)
        if item is not None:
            return item.scope, item.path
        relation = self._relations.get(key)
        if relation is not None:
            return None if relation.root is None else (relation.root, relation.path)
        return self.left(key)

    def left(self, path: Path) -> tuple[Scope, Path] | None:
        """Give scope and path of a row of something unowned."""
        key = _key(path)
        scope = self._groups.get(key[:1]) if len(key) == 2 else None
        path = () if scope is None else self.found.unowned[scope].get(key[1], ())
        return (scope, path) if scope is not None and path else None

    def group(self, path: Path) -> Scope | None:
        """Give the scope whose unowned places a row counts."""
        return self._groups.get(_key(path))

    def relation(self, path: Path) -> Relation | None:
        """Give what a row says of an intent and a place."""
        return self._relations.get(_key(path))

    def item(self, path: Path) -> Intent | None:
        """Give the intent of a row, or of the one above it."""
        return self.items.get(_key(path)[:1])

    # Laying out.

    def row(self, path: Path, *, expanded: bool, width: int) -> tuple[Spans, Spans]:
        """Lay a row out."""
        key = _key(path)
        scope = self._groups.get(key)
        item = self.items.get(key)
        if self.layout == TABLE:
            return self._table_row(item, scope, width)
        marker = ("▾" if expanded else "▸") if self.expandable(path) else "·"
        if item is not None:
            return self._intent_row(item, marker, width)
        if scope is not None:
            count = len(self.found.unowned[scope])
            left: Spans = ((f"  {marker} ", "muted"), (f"unowned in {scope}", "strong"), (f" ({count:,})", "muted"))
            return left, _right(initial(scope), None)
        relation = self._relations.get(key)
        return self._left_row(key, width) if relation is None else self._relation_row(key, relation, width)

    def _intent_row(self, item: Intent, marker: str, width: int) -> tuple[Spans, Spans]:
        told = tally(item, short=width < _NARROW)
        name_width = max(8, min(self._width, width // 4))
        room = width - name_width - cell_len(told) - _SIZE - 12
        says = fit(_bare(item.says), room) if room >= 8 else ""
        left: Spans = (
            self._sign(item.scope, item.path),
            (f" {marker} ", "muted"),
            (fit(key_text(item.name), name_width), "strong"),
            (f" {says} ", "text"),
            (told, "warn" if item.count("dangling") else "muted"),
        )
        return left, _right(initial(item.scope), self.found.goes(item) or None)

    def _relation_row(self, key: RowKey, relation: Relation, width: int) -> tuple[Spans, Spans]:
        scope = relation.root if relation.root is not None and is_scope(relation.root) else None
        picture = self.found.told_from(key)
        value = _value(picture, relation)
        words = ""
        if relation.kind == "shared":
            words = f"with {clean(', '.join(relation.shared_with))}"
        elif relation.kind == "dangling":
            words = "would own it" if relation.owning else "nothing is there"
        elif not relation.known:
            words = "not in present memory" if relation.root is None else f"no {relation.root} memory in view"
        elif value is not None:
            words = "not in context" if self._is_lazy(relation.path) else gist(value, 100)[0]
        sign: Span = (" ", "text") if scope is None else self._sign(scope, relation.path)
        size = None if value is None else picture.sizes.quick(value)
        mark = "" if relation.root is None else initial(scope) if scope is not None else "e"
        word: Span = (relation.kind, _ROLES[relation.kind])
        left = _place_row(sign, word, clean(relation.target), words, width)
        return left, _right(mark, size)

    def _left_row(self, key: RowKey, width: int) -> tuple[Spans, Spans]:
        place = self.left(key)
        if place is None:
            return (), ()
        scope, path = place
        users = self.found.users_of(scope, path)
        words = f"used by {clean(', '.join(users))}" if users else ""
        left = _place_row(self._sign(scope, path), ("unowned", "muted"), clean(key[1]), words, width)
        return left, _right(initial(scope), self.found.size(scope, path))

    def _table_row(self, item: Intent | None, scope: Scope | None, width: int) -> tuple[Spans, Spans]:
        wide = _WIDE_NUMBER if width >= _WIDE_FROM else _NUMBER
        right: list[Span] = []
        if item is not None:
            name, sign = key_text(item.name), self._sign(item.scope, item.path)
            right = [
                (fit_right(str(count) if count else "", wide), "warn" if kind == "dangling" else "text")
                for kind in KINDS
                for count in [item.count(kind)]
            ]
            goes = self.found.goes(item)
            right.append((fit_right("" if not goes else human(goes), _SIZE + 1), "muted"))
            mark = initial(item.scope)
        elif scope is not None:
            name, sign, mark = f"unowned in {scope} ({len(self.found.unowned[scope]):,})", (" ", "text"), initial(scope)
            right = [(" " * (4 * wide + _SIZE + 1), "text")]
        else:
            return (), ()
        room = width - 4 * wide - _SIZE - 6
        left: Spans = (sign, (f" {fit(name, max(4, room))}", "strong" if item is not None else "muted"))
        return left, ((f" {mark}", "text"), *right)

    def _sign(self, scope: Scope, path: Path) -> Span:
        sign = self._sign_of(scope, path)
        return fit(sign, 1), SIGN_ROLES.get(sign, "accent")

    def _is_lazy(self, path: Path) -> bool:
        dialect = self.found.picture.dialect
        return dialect is not None and bool(path) and path[0] in dialect.lazy


def _value(picture: Picture, relation: Relation) -> Json:
    if relation.root is None or relation.kind == "dangling":
        return None
    root = picture.memory.get("effective") if relation.root == "effective" else picture.states.get(relation.root)
    return None if root is None else get(root, relation.path, None)


def _key(path: Path) -> RowKey:
    """A row's key: all of it is text."""
    return tuple(str(part) for part in path)


def _bare(says: str) -> str:
    return says[1:-1] if says[:1] == '"' == says[-1:] and len(says) > 1 else says


def tally(item: Intent, *, short: bool = False) -> str:
    """Count what an intent has to do with, in words: `owns 3, uses 1`."""
    words = _SHORT if short else _TALLIED
    told = [f"{words[kind]} {item.count(kind)}" for kind in KINDS if item.count(kind)]
    return (" " if short else ", ").join(told if item.whole else [*told, "…"])


def _place_row(sign: Span, word: Span, where: str, words: str, width: int) -> Spans:
    room = width - _WORD - _SIZE - 12
    place = cut(where, room)
    rest = room - cell_len(place) - 2
    return (
        sign,
        ("     ", "text"),
        (fit(word[0], _WORD), word[1]),
        (place, "key"),
        (f"  {cut(words, rest)}" if rest > 6 else "", "muted"),
    )


def _right(mark: str, size: int | None) -> Spans:
    return (
        ("│ ", "muted"),
        (fit(mark, 1), "text"),
        (" │", "muted"),
        (fit_right("" if size is None else human(size), _SIZE), "muted"),
    )


def title(found: Intents | None, layout: Layout) -> Spans:
    """Give the title of the list: which layout, how many intents, and what is not among them."""
    if found is None:
        return (("intents", "strong"),)
    told: Spans = (("intents", "strong"), (f" {len(found.items):,}", "muted"), (f" · {layout}", "muted"))
    return (*told, (f" · unreadable: {', '.join(found.hidden)}", "warn")) if found.hidden else told


def heads(layout: Layout, width: int) -> Spans:
    """Give the names of the columns, to stand above them."""
    if layout == GRAPH:
        return (("in │   size", "muted"),)
    wide = _WIDE_NUMBER if width >= _WIDE_FROM else _NUMBER
    names = "".join(fit_right(kind if wide == _WIDE_NUMBER else _SHORT[kind], wide) for kind in KINDS)
    return (("in", "muted"), (f"{names}{fit_right('goes', _SIZE + 1)}", "muted"))
