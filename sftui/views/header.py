"""The header: what is open, how far it is, whether it is live, whether anything is wrong."""

from __future__ import annotations

from engine.store.readings import Snapshot
from sftui.display import clean, one_line
from sftui.views.band import Band
from sftui.views.header_lines import Header
from sftui.views.names import start_of
from sftui.views.notices import health_count, is_absent
from sftui.views.picture import Picture, first_intent, revisions


def header(
    picture: Picture,
    home: str,
    *,
    elsewhere: int = 0,
    draft: int = 0,
    hot_delta: int | None = None,
    readonly: bool = False,
    live: Picture | None = None,
    band: Band | None = None,
) -> Header:
    """Sum a picture up. `home` is shortened to ~ in paths; `elsewhere` counts fences in scopes in view that are not open.

    `draft` counts the steps of the draft, `hot_delta` are the bytes by which a model would be given more or less,
    `readonly` says that nothing is changed from this window. Of an earlier moment, told by `band`, `live` is how memory
    is now: what is wrong is wrong there, and the news come from there.
    """
    now = picture if live is None else live
    snapshot = now.snapshot
    if snapshot is None:
        return Header("", "", "", False, not now.pinned, "", now.feed, 0, 0, None, draft=draft, readonly=readonly)
    faults, warnings = health_count(now)
    address = snapshot.address
    cwd = address.cwd or _owner(snapshot) or address.key or ""
    feed: str = now.feed
    pid: int | None = None
    since: float | None = None
    if is_absent(snapshot):
        feed = "absent"
    elif snapshot.verdict == "busy" or snapshot.stale or snapshot.lock.is_live:
        feed = "busy"
        lock = snapshot.lock
        if lock.kind == "held":
            pid, since = lock.pid, None if lock.age_s is None else now.at - lock.age_s
    return Header(
        _tilde(clean(address.root), home),
        _tilde(clean(cwd), home),
        session_name(now),
        snapshot.runtime is not None and snapshot.runtime.specification is not None,
        not now.pinned,
        revisions(picture),
        feed,
        faults,
        warnings,
        picture.hot_bytes,
        pid,
        since,
        draft,
        hot_delta,
        elsewhere,
        readonly,
        band,
    )


def _owner(snapshot: Snapshot) -> str | None:
    """Give the directory that the memory says it belongs to: a key alone says little."""
    reading = snapshot.scopes.get("cwd")
    return None if reading is None or reading.meta is None else reading.meta.owner_cwd


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
