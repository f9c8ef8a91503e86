"""The rows of screen 5: the whole, its keys with the largest first, planes, scopes, transitions, the hint, what folds next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine.memory.context import NAVIGATION, RECENT
from engine.memory.scope import SCOPES, initial
from engine.values import Json, dotted, get, pointer, pretty
from sftui.cells import cut_middle, fit, fit_right
from sftui.display import clean
from sftui.times import clock
from sftui.views.changes import Entry, Line
from sftui.views.context import ESTIMATED, UNKNOWN, Context, largest, remarks
from sftui.views.context_lines import bar, delta_words, next_lines, part_words, recent_words, share
from sftui.views.details import details
from sftui.views.growth import delta, token_delta
from sftui.views.kinds import Path, View
from sftui.views.spans import SIGN_ROLES, Role, Span, Spans, plain
from sftui.views.units import human, human_tokens, tokens
from sftui.views.weighing import Item, RecentSize, Weighed
from sftui.views.wrapping import shortened

TOTAL: Final[Path] = ("total",)
KEYS: Final[Path] = ("keys",)
PLANES: Final[Path] = ("planes",)
PROVIDERS: Final[Path] = ("scopes",)
TRANSITIONS: Final[Path] = ("recent",)
HINT: Final[Path] = ("hint",)
FOLDS: Final[Path] = ("next",)
GROUPS: Final = (KEYS, PLANES, PROVIDERS, TRANSITIONS, FOLDS)
NAMES: Final = "names"

# Keys that are listed; the rest are counted.
MOST_KEYS: Final = 1_000
_MORE: Final = "more"

_FROM: Final = 3
_SIZE: Final = 7
_TOKENS: Final = 9
_DELTA: Final = 9
_SHARE: Final = 5
# From so many columns on there is room for tokens, for a bar, for percents.
_TOKENS_FROM: Final = 56
_BAR_FROM: Final = 68
_SHARE_FROM: Final = 90
_BAR: Final = 8


class ContextSource:
    """What the list shows. `sign` gives that of the draft for a path of effective memory; with a `draft` it has a column."""

    def __init__(self, found: Context, sign: Callable[[Path], str], *, draft: bool = False) -> None:
        self.found = found
        self._draft = draft or found.after is not None
        self._sign_of = sign
        self.items: dict[Path, Path] = {}
        self.left = 0
        weighed = found.weighed
        if weighed is None:
            return
        listed = largest(weighed.state)
        if found.after is not None:
            now = weighed.state.items
            listed += [item for path, item in found.after.items.items() if path not in now]
            listed.sort(key=lambda item: -max(item.size, self._then(item)))
        self.left = max(0, len(listed) - MOST_KEYS)
        self._left_size = sum(self._now(item.path) for item in listed[MOST_KEYS:])
        self.items = {(*KEYS, pointer(item.path)): item.path for item in listed[:MOST_KEYS]}
        self._planes = {
            (*PLANES, plane.name): plane for plane in sorted(weighed.state.planes, key=lambda one: -one.size)
        }
        self._recent = {
            (*TRANSITIONS, f"{one.told.boundary.position} {one.told.boundary.id}"): one for one in weighed.recent
        }

    def _now(self, path: Path) -> int:
        item = self.item(path)
        return 0 if item is None else item.size

    def _then(self, item: Item) -> int:
        after = None if self.found.after is None else self.found.after.items.get(item.path)
        return 0 if after is None else after.size

    def item(self, path: Path) -> Item | None:
        """Give one key of the memory that is given."""
        return None if self.found.weighed is None else self.found.weighed.state.items.get(path)

    # The tree.

    def children(self, path: Path) -> Sequence[Path]:
        """Give the groups, or what is in one."""
        weighed = self.found.weighed
        if weighed is None:
            return ()
        if path == ():
            return [
                TOTAL,
                *(group for group in (KEYS, PLANES, PROVIDERS, TRANSITIONS) if self.expandable(group)),
                HINT,
                *([FOLDS] if self.found.picture.as_of is None else ()),
            ]
        if path == KEYS:
            return [*self.items, *([(*KEYS, _MORE)] if self.left else ())]
        if path == PLANES:
            return list(self._planes)
        if path == PROVIDERS:
            return [*((*PROVIDERS, scope) for scope in SCOPES if scope in weighed.state.scopes), (*PROVIDERS, NAMES)]
        if path == TRANSITIONS:
            return list(self._recent)
        if path == FOLDS:
            return [(*FOLDS, str(number)) for number, _ in enumerate(next_lines(self.found.next))]
        return ()

    def expandable(self, path: Path) -> bool:
        """Tell whether a group has anything in it."""
        return path in GROUPS and self.found.weighed is not None and bool(self.children(path))

    def token(self, path: Path) -> object:
        """Every look is a new one."""
        del path
        return self

    # What the rows are about.

    def place(self, row: Path) -> tuple[View, Path] | None:
        """Give view and path of what a row stands for in memory."""
        if row in self.items:
            return "effective", self.items[row]
        if row[:1] == PLANES and len(row) > 1:
            return "effective", (str(row[1]),)
        if row == HINT:
            return "effective", ("lazy",)
        return None

    def recent(self, row: Path) -> RecentSize | None:
        """Give the recent transition of a row."""
        return self._recent.get(row) if self.found.weighed is not None else None

    # Laying out.

    def row(self, path: Path, *, expanded: bool, width: int) -> tuple[Spans, Spans]:
        """Lay a row out."""
        weighed = self.found.weighed
        if weighed is None:
            return (), ()
        if path in self.items:
            return self._key_row(self.items[path], width)
        sign: Span = (" ", "text")
        marker = f" {'▾' if expanded else '▸'} " if self.expandable(path) else "   "
        if path == TOTAL:
            head: Spans = (sign, ("   ", "muted"), ("all of it", "strong"), *grown(weighed))
            return head, self._right("", weighed.total, width, self.found.delta, "strong")
        if path == HINT:
            return (sign, (marker, "muted"), ("lazy_navigation", "strong")), self._right(
                "", weighed.parts[NAVIGATION], width
            )
        if path in GROUPS:
            name, count, size = self._group(path)
            change = None
            if path == KEYS and self.found.after is not None:
                change = self.found.after.size - weighed.state.size
            head = (sign, (marker, "muted"), (name, "strong"), (f" {count}", "muted"))
            return head, self._right("", size, width, change)
        told, mark, size = self._child(path)
        if path[:1] == FOLDS:
            return (sign, ("     ", "muted"), *told), ()
        room = max(4, width - self._right_width(width) - 6)
        change = self.found.delta_of((str(path[-1]),)) if path in self._planes else None
        return (sign, ("     ", "muted"), *shortened(told, room)), self._right(mark, size, width, change)

    def _group(self, path: Path) -> tuple[str, str, int | None]:
        weighed = self.found.weighed
        assert weighed is not None
        if path == KEYS:
            return "by key", f"({len(weighed.state.items):,})", weighed.state.size
        if path == PLANES:
            return "by plane", f"({len(self._planes)})", weighed.state.size
        if path == PROVIDERS:
            return "by scope", "", weighed.state.size
        if path == TRANSITIONS:
            count = len(weighed.recent)
            words = f"({count})" if not weighed.untold else f"({count} of {count + weighed.untold})"
            return "recent transitions", words, weighed.parts[RECENT]
        return "the next change", "", None

    def _child(self, path: Path) -> tuple[Spans, str, int | None]:
        """Give the name, the scopes and the size of a row in a group."""
        weighed = self.found.weighed
        assert weighed is not None
        key = str(path[-1])
        if path in self._planes:
            return ((clean(key), "key"),), "", self._planes[path].size
        if path[:1] == PROVIDERS:
            scopes = weighed.state.scopes
            if key == NAMES:
                return (("names and brackets", "muted"),), "", weighed.state.size - sum(scopes.values())
            return ((key, "key"),), key[0], next(size for scope, size in scopes.items() if scope == key)
        if path in self._recent:
            one = self._recent[path]
            mark = "".join(initial(scope) for scope in one.told.patches)
            return ((f"effective[{one.told.offset}]", "key"),), mark, one.size
        if path[:1] == FOLDS:
            lines = list(next_lines(self.found.next))
            at = int(key)
            return (lines[at] if at < len(lines) else ()), "", None
        return ((f"{self.left:,} smaller keys", "muted"),), "", self._left_size

    def _key_row(self, path: Path, width: int) -> tuple[Spans, Spans]:
        weighed = self.found.weighed
        assert weighed is not None
        after = None if self.found.after is None else self.found.after.items.get(path)
        item = self.item(path) or after
        assert item is not None
        sign = self._sign_of(path)
        room = max(4, width - self._right_width(width) - 6)
        left: Spans = (
            (fit(sign, 1), SIGN_ROLES.get(sign, "accent")),
            ("     ", "muted"),
            (cut_middle(clean(dotted("", path)), room), "key"),
        )
        mark = "".join(initial(scope) for scope in item.providers)
        return left, self._right(mark, self._now(path) or None, width, self.found.delta_of(path))

    def _right(self, mark: str, size: int | None, width: int, change: int | None = None, role: Role = "text") -> Spans:
        """The columns: whose it is, bar and share, bytes, tokens, what the draft does."""
        weighed = self.found.weighed
        assert weighed is not None
        total = weighed.total
        spans: list[Span] = [(f" {fit(mark, _FROM)}", "text")]
        if width >= _BAR_FROM:
            spans.append((f" {'' if size is None else bar(size, total, _BAR)}".ljust(_BAR + 1), "accent"))
        if width >= _SHARE_FROM:
            spans.append((fit_right("" if size is None else share(size, total), _SHARE), "muted"))
        spans.append((fit_right("" if size is None else human(size), _SIZE + 1), role))
        if width >= _TOKENS_FROM:
            spans.append((fit_right("" if size is None else human_tokens(size), _TOKENS), "muted"))
        if self._draft:
            told = delta(change) if change else ""
            spans.append((fit_right(told, _DELTA), "added" if (change or 0) > 0 else "removed"))
        return tuple(spans)

    def _right_width(self, width: int) -> int:
        wide = 1 + _FROM + _SIZE + 1
        wide += _BAR + 1 if width >= _BAR_FROM else 0
        wide += _SHARE if width >= _SHARE_FROM else 0
        wide += _TOKENS if width >= _TOKENS_FROM else 0
        return wide + (_DELTA if self._draft else 0)

    def heads(self, width: int) -> Spans:
        """Name the columns, to stand above them."""
        words = fit("in", _FROM)
        words += fit(" share", _BAR + 1) if width >= _BAR_FROM else ""
        words += " " * _SHARE if width >= _SHARE_FROM else ""
        words += fit_right("bytes", _SIZE + 1)
        words += fit_right("tokens", _TOKENS) if width >= _TOKENS_FROM else ""
        words += fit_right("draft", _DELTA) if self._draft else ""
        return ((words, "muted"),)


def title(found: Context, room: int) -> Spans:
    """Say which mode is shown, and why that one, in about so many cells."""
    words: Spans = ((found.choice.words, "strong"),)
    named: Spans = (("context", "strong"), (" · ", "muted"), *words)
    return named if len(plain(named)) <= room else words


def grown(weighed: Weighed) -> Spans:
    """Say by how much the last change made hot memory longer, in a few words."""
    grew = weighed.grew
    if grew is None:
        return ()
    role: Role = "added" if grew > 0 else "removed" if grew < 0 else "text"
    return (("  last change ", "muted"), (delta(grew), role))


# Details.


def row_details(source: ContextSource, row: Path) -> tuple[Spans, list[Spans]]:
    """Give a title and lines about the row under the cursor."""
    found = source.found
    weighed = found.weighed
    if weighed is None:
        return (("details", "strong"),), []
    if row in source.items:
        return _key_details(source, source.items[row])
    recent = source.recent(row)
    if recent is not None:
        return ((f"effective[{recent.told.offset}]", "strong"),), list(_recent_details(found, recent))
    if row == HINT:
        lines: list[Spans] = [((clean(line), "text"),) for line in pretty(weighed.navigation).splitlines()]
        return (("lazy_navigation", "strong"),), [*lines, (("all that is given of lazy memory unasked", "muted"),)]
    if row[:1] == FOLDS:
        return (("the next change", "strong"),), list(next_lines(found.next))
    if row[:1] in _GROUP_WORDS:
        words = _GROUP_WORDS[row[:1]]
        more: list[Spans] = [((recent_words(weighed), "text"),)] if row[:1] == TRANSITIONS else []
        return ((words[0], "strong"),), [*more, ((words[1], "muted"),)]
    return (("what a model would be given", "strong"),), list(_total_details(found))


_GROUP_WORDS: Final[dict[Path, tuple[str, str]]] = {
    KEYS: ("by key", "each key of hot memory, and in Active the answer; bytes are those of its value as JSON"),
    PLANES: ("by plane", "the planes that are given unasked; lazy ones are not among them"),
    PROVIDERS: (
        "by scope",
        "what each scope alone provides, with its names; names and brackets around what several provide are nobody's",
    ),
    TRANSITIONS: (
        "recent transitions",
        "what the session's line of history did to hot memory; what did nothing to it is left out, the others keep their numbers",
    ),
}


def _key_details(source: ContextSource, path: Path) -> tuple[Spans, list[Spans]]:
    found = source.found
    assert found.weighed is not None
    told = details(found.picture, "effective", path)
    item = source.item(path)
    lines: list[Spans] = []
    change = found.delta_of(path)
    if item is None:
        return ((told.title, "strong"),), [(("the draft adds it: ", "muted"), (delta(change), "added"))]
    size = f"{human(item.size)} · {human_tokens(item.size)} · {share(item.size, found.weighed.total)}"
    lines.append(((size, "strong"), (" of what is given", "muted")))
    if change:
        role: Role = "added" if change > 0 else "removed"
        lines.append((("draft ", "muted"), (delta(change), role), (f" · {_token_change(change)}", "muted")))
    if len(item.shares) > 1:
        lines += [((f"{scope} ", "muted"), (human(size), "text")) for scope, size in item.shares.items()]
    return ((told.title, "strong"),), [*lines, *told.lines()[1:]]


def _recent_details(found: Context, recent: RecentSize) -> Iterator[Spans]:
    yield (
        (f"{human(recent.size)} · {human_tokens(recent.size)}", "strong"),
        (f" · {', '.join(recent.told.patches)}", "text"),
    )
    for entry in found.picture.log:
        if entry.boundary == recent.told.boundary:
            yield from _entry_lines(entry, recent)
    names = " and ".join(f"{scope}[{recent.told.offset}]" for scope in recent.told.patches)
    yield ((f"reads name it {names}", "muted"),)


def _entry_lines(entry: Entry, recent: RecentSize) -> Iterator[Spans]:
    patch = recent.told.patches.get(entry.scope)
    if patch is None:
        return
    seen = "seen: unknown" if entry.seen is None else f"seen {clock(entry.seen)}"
    yield ((entry.short, "strong"), (f"  {seen}", "muted"))
    for line in entry.lines:
        if _is_told(patch, line):
            role = SIGN_ROLES.get(line.sign, "text")
            yield ((f" {line.sign} ", role), (line.where, "key"), (f"  {line.what}", "text"))


def _is_told(patch: Json, line: Line) -> bool:
    """Whether a line of a change is about what a model is told of."""
    keys = [key for key in line.path if isinstance(key, str)]
    return get(patch, keys[:1], None) is not None if keys else False


def _total_details(found: Context) -> Iterator[Spans]:
    weighed = found.weighed
    assert weighed is not None
    change = found.delta
    if change is not None:
        role: Role = "added" if change > 0 else "removed" if change < 0 else "text"
        yield (
            ("the draft: ", "muted"),
            (delta(change), role),
            (f" · {_token_change(change)}, and it becomes a recent transition", "muted"),
        )
    yield delta_words(weighed)
    for name, size in weighed.parts.items():
        yield ((f"{part_words(name)}: ", "muted"), (f"{human(size)} · {human_tokens(size)}", "text"))
    for words in remarks(found):
        yield ((words, "warn"),)
    yield ((ESTIMATED, "muted"),)
    yield ((UNKNOWN, "muted"),)


def _token_change(change: int) -> str:
    count = tokens(abs(change))
    return token_delta(count if change >= 0 else -count)
