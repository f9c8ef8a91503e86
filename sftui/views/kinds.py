"""The names that views and widgets share, free of everything that costs time to load."""

from __future__ import annotations

from typing import Final, Literal

Feed = Literal["starting", "live", "polling", "stale"]
View = Literal["effective", "global", "cwd", "session"]
VIEWS: Final[tuple[View, ...]] = ("effective", "global", "cwd", "session")
Path = tuple[str | int, ...]
# An entry of the change log: scope address, revision, boundary id.
EntryKey = tuple[str, int, str]
# A row of the stream of changes: an entry and the number of its line (0: its heading).
StreamKey = tuple[EntryKey, int]
