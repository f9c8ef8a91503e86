"""Names for what has only a key."""

from __future__ import annotations

from sftui.display import clean


def start_of(key: str) -> str:
    """Give when a session began as its key tells it: `2026-11-14 14:10`; a key that does not, as it is."""
    date, mark, rest = key.partition("T")
    parts = rest.split("-")
    if mark and len(date) == 10 and len(parts) > 2 and parts[0].isdigit() and parts[1].isdigit():
        return f"{date} {parts[0]}:{parts[1]}"
    return clean(key[:40])
