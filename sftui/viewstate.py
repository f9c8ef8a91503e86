"""How each cohort of a store was last looked at, kept beside the store for the next time.

Nothing here is worth a word of trouble twice: what cannot be read is left out, what cannot be written is not kept.
Use from threads; the file is shared by every app on the store.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from heapq import nsmallest
from typing import Final

from engine import values
from engine.errors import EngineError
from engine.records import dataclass, field, replace
from engine.store import files
from engine.store.layout import state_home, store_home
from engine.values import Json, JsonObject
from sftui.views.kinds import VIEWS, Path, View

VERSION: Final = 1
NAME: Final = "views.json"
# What is kept: the cohorts that were looked at last, and of each view the open rows that lie highest.
COHORTS: Final = 40
OPEN_ROWS: Final = 2_000
# A file that is longer than this many bytes is not one of ours.
LONGEST: Final = 8_000_000
PATIENCE: Final = 2.0
SCREENS: Final = ("watch", "memory", "intents")


@dataclass(frozen=True, slots=True)
class Looks:
    """How a cohort was looked at. `top` is the row at the upper edge, `narrow` whether the terminal was."""

    screen: str = ""
    narrow: bool = False
    view: View = "effective"
    filter: str = ""
    expanded: Mapping[View, tuple[Path, ...]] = field(default_factory=dict)
    cursors: Mapping[View, Path] = field(default_factory=dict)
    top: Path | None = None

    def to_json(self) -> JsonObject:
        """The same as plain JSON, within its bounds."""
        return {
            "screen": self.screen,
            "narrow": self.narrow,
            "view": self.view,
            "filter": self.filter,
            "expanded": {
                view: [list(path) for path in sorted(paths, key=len)[:OPEN_ROWS]]
                for view, paths in self.expanded.items()
            },
            "cursors": {view: list(path) for view, path in self.cursors.items()},
            "top": None if self.top is None else list(self.top),
        }


def highest(paths: Collection[Path]) -> tuple[Path, ...]:
    """The rows to keep of those that are open: all, or those that hold the others."""
    return tuple(paths if len(paths) <= OPEN_ROWS else nsmallest(OPEN_ROWS, paths, key=len))


def looks_from(found: Json) -> Looks:
    """Read what `to_json` wrote; whatever is not as it should be is left out."""
    if not values.is_object(found):
        return Looks()
    screen, view, text = found.get("screen"), found.get("view"), found.get("filter")
    expanded, cursors = found.get("expanded"), found.get("cursors")
    opened: dict[View, tuple[Path, ...]] = {}
    stood: dict[View, Path] = {}
    for name in VIEWS:
        rows = expanded.get(name) if values.is_object(expanded) else None
        if values.is_array(rows):
            opened[name] = tuple(path for row in rows[:OPEN_ROWS] if (path := _path(row)) is not None)
        cursor = _path(cursors.get(name)) if values.is_object(cursors) else None
        if cursor is not None:
            stood[name] = cursor
    return Looks(
        screen if isinstance(screen, str) and screen in SCREENS else "",
        found.get("narrow") is True,
        next((name for name in VIEWS if name == view), "effective"),
        text if isinstance(text, str) else "",
        opened,
        stood,
        _path(found.get("top")),
    )


def _path(found: Json) -> Path | None:
    if not values.is_array(found):
        return None
    path = tuple(key for key in found if isinstance(key, str | int) and not isinstance(key, bool))
    return path if len(path) == len(found) and path else None


class ViewStates:
    """The file of one store. Cohorts are named by directory key and session."""

    def __init__(self, root: str) -> None:
        self.path = os.path.join(store_home(root), NAME)

    def load(self) -> tuple[dict[str, Looks], str]:
        """Give what is kept, the cohort that was looked at last last, and why nothing is, if something is wrong."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | files.NOFOLLOW | files.CLOEXEC)
        except FileNotFoundError:
            return {}, ""
        except OSError as error:
            return {}, f"{self.path}: {error.strerror or error}"
        try:
            with os.fdopen(descriptor, "rb") as file:
                data = file.read(LONGEST + 1)
            found = values.decode(data).value if len(data) <= LONGEST else None
        except (OSError, EngineError) as error:
            return {}, f"{self.path}: {error}"
        kept = found.get("cohorts") if values.is_object(found) and found.get("version") == VERSION else None
        if not values.is_array(kept):
            return {}, f"{self.path}: this is not what this program wrote"
        states: dict[str, Looks] = {}
        for entry in kept:
            name = entry.get("cohort") if values.is_object(entry) else None
            if isinstance(name, str):
                states[name] = looks_from(entry)
        return states, ""

    def save(self, cohort: str, looks: Looks) -> None:
        """Keep how a cohort is looked at, beside what other apps keep. Raises OSError."""
        from filelock import FileLock, Timeout

        files.make_private(os.path.dirname(self.path))
        try:
            held = FileLock(f"{self.path}.lock", mode=0o600).acquire(timeout=PATIENCE)
        except Timeout:
            raise TimeoutError(f"another app has kept {self.path} for {PATIENCE:g} s") from None
        with held:
            states, _ = self.load()
            states.pop(cohort, None)
            states[cohort] = looks
            kept = [{"cohort": name, **states[name].to_json()} for name in list(states)[-COHORTS:]]
            replace_file(self.path, values.encode({"version": VERSION, "cohorts": kept}))


def replace_file(path: str, data: bytes) -> None:
    """Put a whole file in the place of another; after a power loss the old one may be back."""
    files.replace_private(path, data, f"{path}.{os.getpid()}.tmp", durable=False)


def save_theme(name: str) -> None:
    """Keep the name of the colours for every store. Raises OSError."""
    home = state_home(os.environ)
    files.make_private(home)
    replace_file(os.path.join(home, "theme"), f"{name}\n".encode())


def cohort_of(key: str | None, session: str | None) -> str:
    """The name of a cohort within its store."""
    return "/".join(part for part in (key, session) if part is not None) or "."


def looks_for(states: Mapping[str, Looks], key: str | None, session: str | None) -> Looks | None:
    """How a cohort was looked at; of a new session, how the directory was, without what it was searched for."""
    found = states.get(cohort_of(key, session))
    if found is not None or key is None:
        return found
    beside = [name for name in states if name == key or name.startswith(f"{key}/")]
    return replace(states[beside[-1]], filter="") if beside else None
