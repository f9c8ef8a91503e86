"""How the header is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.records import dataclass
from sftui.cells import cell_len, cut, cut_middle
from sftui.views.spans import Span, Spans
from sftui.views.units import human_tokens

if TYPE_CHECKING:
    from engine.values import JsonObject


@dataclass(frozen=True, slots=True)
class Header:
    """What the header says; texts are cleaned."""

    store: str
    cwd: str
    session: str
    unfinished: bool
    newest: bool
    vector: str
    feed: str
    faults: int
    warnings: int
    hot_bytes: int | None

    def to_json(self) -> JsonObject:
        """The header as data."""
        return {
            "store": self.store,
            "cwd": self.cwd,
            "session": self.session,
            "unfinished": self.unfinished,
            "followingNewest": self.newest,
            "revisions": self.vector,
            "feed": self.feed,
            "faults": self.faults,
            "warnings": self.warnings,
            "hotBytes": self.hot_bytes,
        }


_FEEDS: dict[str, Span] = {
    "starting": ("○ reading", "muted"),
    "live": ("● live", "good"),
    "polling": ("◐ polling", "warn"),
    "stale": ("○ stale", "warn"),
    "busy": ("◑ busy", "warn"),
    "absent": ("○ absent", "warn"),
}


def _health(head: Header) -> Spans:
    if head.faults:
        return ((f"✖{head.faults} health", "bad"),)
    if head.warnings:
        return ((f"!{head.warnings} health", "warn"),)
    return ()


def _hot(head: Header) -> Spans:
    return () if head.hot_bytes is None else ((f"hot {human_tokens(head.hot_bytes)}", "muted"),)


def _whose(head: Header, width: int) -> Spans:
    if not head.session:
        return (("no session", "muted"),)
    spans: Spans = ((cut(head.session, width), "strong"),)
    if head.newest:
        spans += (("  newest", "muted"),)
    return spans


def header_lines(head: Header, width: int) -> list[tuple[Spans, Spans]]:
    """Lay the header out: two lines where it is narrow, else one. Left and right part each."""
    feed = _FEEDS.get(head.feed, ("○", "muted"))
    if width < 72:
        state: Spans = (feed, *((("  ", "text"), *_health(head)) if _health(head) else ()))
        name = head.cwd.rsplit("/", 1)[-1] or head.cwd or head.store
        top: Spans = ((" sftui ", "accent"), (cut(name, 20), "strong"), (f"  {head.vector}", "text"))
        under: list[Span] = [(" ", "text"), *_whose(head, max(8, width - 36))]
        if head.unfinished:
            under.append(("  unfinished", "warn"))
        return [(top, state), (tuple(under), _hot(head))]
    right: list[Span] = [(head.vector, "text"), ("   ", "text"), feed]
    if width >= 100 and _hot(head):
        right += [("   ", "text"), *_hot(head)]
    if _health(head):
        right += [("   ", "text"), *_health(head)]
    room = width - sum(cell_len(text) for text, _ in right) - 11
    left: list[Span] = [(" sftui ", "accent")]
    if width >= 100:
        store = cut_middle(head.store, max(10, room // 4))
        left += [(f" {store}  ", "muted")]
        room -= cell_len(store) + 4
    whose = cut(head.session, max(8, room // 2))
    trail = "  unfinished" if head.unfinished else ""
    newest = "  newest" if head.newest and head.session and width >= 100 else ""
    room -= cell_len(whose) + cell_len(trail) + cell_len(newest) + 3
    left += [(" ", "text"), (cut_middle(head.cwd, max(8, room)), "strong")]
    if head.session:
        left += [(" ▸ ", "muted"), (whose, "strong"), (trail, "warn"), (newest, "muted")]
    else:
        left += [("  no session", "muted")]
    return [(tuple(left), tuple(right))]
