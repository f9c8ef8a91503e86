"""The header: what is open, how far it is, whether it is live, whether anything is wrong."""

from __future__ import annotations

from engine.records import dataclass
from engine.values import JsonObject
from sftui.cells import cell_len, cut, cut_middle
from sftui.display import clean, one_line
from sftui.views.notices import health_count
from sftui.views.picture import Picture, first_intent, revisions
from sftui.views.sizes import human_tokens
from sftui.views.spans import Span, Spans


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


def header(picture: Picture, home: str) -> Header:
    """Sum a picture up. `home` is shortened to ~ in paths."""
    snapshot = picture.snapshot
    if snapshot is None:
        return Header("", "", "", False, not picture.pinned, "", picture.feed, 0, 0, None)
    faults, warnings = health_count(picture)
    address = snapshot.address
    cwd = address.cwd or address.key or ""
    feed: str = picture.feed
    if not snapshot.present:
        feed = "absent"
    elif snapshot.verdict == "busy" or snapshot.stale:
        feed = "busy"
    return Header(
        _tilde(clean(address.root), home),
        _tilde(clean(cwd), home),
        session_name(picture),
        snapshot.runtime is not None and snapshot.runtime.specification is not None,
        not picture.pinned,
        revisions(picture),
        feed,
        faults,
        warnings,
        picture.hot_bytes,
    )


def _tilde(path: str, home: str) -> str:
    return f"~{path[len(home) :]}" if home and (path == home or path.startswith(f"{home}/")) else path


def session_name(picture: Picture) -> str:
    """Name the session by its specification, its first intent or its start; '' without a session."""
    snapshot = picture.snapshot
    if snapshot is None or snapshot.address.session is None:
        return ""
    runtime = snapshot.runtime
    if runtime is not None and runtime.specification:
        return f'"{one_line(runtime.specification.strip(), 80)}"'
    intent = first_intent(picture.states.get("session"))
    return clean(intent) if intent else start_of(snapshot.address.session)


def start_of(key: str) -> str:
    """Give when a session began as its key tells it: `2026-11-14 14:10`; a key that does not, as it is."""
    date, mark, rest = key.partition("T")
    parts = rest.split("-")
    if mark and len(date) == 10 and len(parts) > 2 and parts[0].isdigit() and parts[1].isdigit():
        return f"{date} {parts[0]}:{parts[1]}"
    return clean(key[:40])


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
