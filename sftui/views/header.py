"""The header: what is open, how far it is, whether it is live, whether anything is wrong."""

from __future__ import annotations

from sftui.display import clean, one_line
from sftui.views.header_lines import Header
from sftui.views.names import start_of
from sftui.views.notices import health_count
from sftui.views.picture import Picture, first_intent, revisions


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
