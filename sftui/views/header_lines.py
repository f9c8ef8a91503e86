"""How the header is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.records import dataclass
from sftui.cells import cell_len, cut, cut_middle
from sftui.views.band import Band
from sftui.views.spans import Span, Spans
from sftui.views.units import human_tokens, signed_tokens

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
    lock_pid: int | None = None
    lock_since: float | None = None
    draft: int = 0
    hot_delta: int | None = None
    elsewhere: int = 0
    readonly: bool = False
    band: Band | None = None

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
            "faultsElsewhere": self.elsewhere,
            "hotBytes": self.hot_bytes,
            "lockedBy": self.lock_pid,
            "draftSteps": self.draft,
            "draftHotBytes": self.hot_delta,
            "readOnly": self.readonly,
            "asOf": None if self.band is None else self.band.to_json(),
        }


# Narrower headers have two lines.
NARROW = 72

_FEEDS: dict[str, Span] = {
    "starting": ("○ reading", "muted"),
    "live": ("● live", "good"),
    "polling": ("◐ polling", "warn"),
    "stale": ("○ stale", "warn"),
    "busy": ("◐ busy", "warn"),
    "absent": ("○ absent", "warn"),
}


def _feed(head: Header, width: int, now: float) -> Span:
    """Say whether what is shown is current, and who keeps it from being so for how long."""
    if head.feed != "busy" or head.lock_pid is None:
        return _FEEDS.get(head.feed, ("○", "muted"))
    age = "" if head.lock_since is None else f" for {duration(max(0.0, now - head.lock_since))}"
    return f"◐ locked{' by' if width >= NARROW else ','} pid {head.lock_pid}{age}", "warn"


def duration(seconds: float) -> str:
    """Give how long something lasts in a few cells."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


def _health(head: Header, word: str = " health") -> Spans:
    if head.faults:
        return ((f"✖{head.faults}{word}", "bad"),)
    if head.warnings:
        return ((f"!{head.warnings}{word}", "warn"),)
    if head.elsewhere:
        return ((f"✖{head.elsewhere} elsewhere" if word else f"✖{head.elsewhere}", "muted"),)
    return ()


def _hot(head: Header, *, delta: bool = True) -> Spans:
    if head.hot_bytes is None:
        return ()
    spans: Spans = ((f"hot {human_tokens(head.hot_bytes)}", "muted"),)
    if delta and head.draft and head.hot_delta is not None:
        spans += ((f" ({signed_tokens(head.hot_delta)})", "accent"),)
    return spans


def _draft(head: Header) -> Spans:
    """The draft, or why there will be none."""
    if head.readonly:
        return (("read-only", "warn"),)
    return ((f"draft {head.draft:,}", "accent"),) if head.draft else ()


def _whose(head: Header, width: int) -> Spans:
    if not head.session:
        return (("no session", "muted"),)
    spans: Spans = ((cut(head.session, width), "strong"),)
    if head.newest:
        spans += (("  newest", "muted"),)
    return spans


def header_lines(head: Header, width: int, now: float = 0.0) -> list[tuple[Spans, Spans]]:
    """Lay the header out: two lines where it is narrow, else one. Left and right part each.

    `now` (Unix seconds) tells how old a lock is.
    """
    feed = _feed(head, width, now)
    if width < NARROW:
        health = _health(head, " health" if head.lock_pid is None else "")
        state: Spans = (feed, *((("  ", "text"), *health) if health else ()))
        name = head.cwd.rsplit("/", 1)[-1] or head.cwd or head.store
        top: Spans = ((" sftui ", "accent"), (cut(name, 20), "strong"), (f"  {head.vector}", "text"))
        draft: Spans = (*_draft(head), ("  ", "text")) if _draft(head) else ()
        taken = sum(cell_len(text) for text, _ in draft)
        under: list[Span] = [(" ", "text"), *_whose(head, max(8, width - 36 - taken))]
        if head.unfinished:
            under.append(("  unfinished", "warn"))
        return [(top, state), (tuple(under), (*draft, *_hot(head, delta=width >= 64)))]
    right: list[Span] = [(head.vector, "text"), ("   ", "text"), feed]
    if width >= 100 and _hot(head):
        right += [("   ", "text"), *_hot(head)]
    if _draft(head):
        right += [("   ", "text"), *_draft(head)]
    if _health(head):
        right += [("   ", "text"), *_health(head, " health" if width >= 100 else "")]
    # Of what does not fit the session's name goes last: it says most. 8 cells of name, 3 between the parts.
    room = width - sum(cell_len(text) for text, _ in right) - 12
    least = min(cell_len(head.cwd), 16)
    whose = cut(head.session, max(8, room - 3 - min(least, 8))) if head.session else "no session"
    spare = room - 3 - cell_len(whose) - least
    trail, newest = "", ""
    if head.unfinished and spare >= len(_UNFINISHED):
        trail = _UNFINISHED
        spare -= len(trail)
    if head.newest and head.session and width >= 100 and spare >= len(_NEWEST):
        newest = _NEWEST
        spare -= len(newest)
    left: list[Span] = [(" sftui ", "accent")]
    if width >= 100 and spare >= 14:
        store = cut_middle(head.store, min(spare - 4, max(14, spare // 2)))
        left += [(f" {store}  ", "muted")]
        spare -= cell_len(store) + 3
    left += [(" ", "text"), (cut_middle(head.cwd, max(8, least + spare)), "strong")]
    if head.session:
        left += [(" ▸ ", "muted"), (whose, "strong"), (trail, "warn"), (newest, "muted")]
    else:
        left += [(f"  {whose}", "muted")]
    return [(tuple(left), tuple(right))]


_UNFINISHED = "  unfinished"
_NEWEST = "  newest"
