"""The scopes of a store as a tree: global, each directory with its sessions, and what is orphaned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from engine.records import dataclass, field
from sftui.cells import cell_len, cut, cut_middle
from sftui.display import clean
from sftui.times import day
from sftui.views.names import start_of
from sftui.views.spans import Span, Spans

if TYPE_CHECKING:
    from engine.values import JsonObject
    from sftui.views.notices import Notice

Path = tuple[str | int, ...]

GLOBAL: Final[Path] = ("global",)
ORPHANS: Final[Path] = ("orphans",)
# Narrower rows have signs only.
_WORDS_FROM: Final = 24


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """A session's directory: its key and when its memory last advanced (Unix seconds; 0: never)."""

    key: str
    advanced: float


@dataclass(frozen=True, slots=True)
class CwdPlace:
    """A directory's memory: `owner` is the real path where it is known, `exists` whether that is there."""

    key: str
    owner: str | None
    exists: bool


@dataclass(frozen=True, slots=True)
class Peek:
    """What a closer look at one scope gave. `status`: healthy, absent or fenced; `mode` of a session."""

    name: str
    revision: int | None
    status: Literal["healthy", "absent", "fenced"]
    unfinished: bool = False
    mode: str | None = None
    faults: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """What a store holds. Sessions are listed for the directories that were opened; peeks are by path."""

    root: str
    cwds: tuple[CwdPlace, ...] = ()
    sessions: Mapping[str, tuple[SessionPlace, ...]] = field(default_factory=dict)
    peeks: Mapping[Path, Peek] = field(default_factory=dict)
    now: float = 0.0

    def to_json(self) -> JsonObject:
        """The survey as data."""
        return {
            "root": self.root,
            "cwds": [{"key": cwd.key, "cwd": cwd.owner, "exists": cwd.exists} for cwd in self.cwds],
        }


class ScopeSource:
    """A survey as the source of a tree. `current` is the path of what is open."""

    def __init__(self, survey: Survey, current: Path, *, pinned: bool, home: str) -> None:
        self.survey = survey
        self.current = current
        self.pinned = pinned
        self._home = home
        self._places = {cwd.key: cwd for cwd in survey.cwds}
        self._living: list[Path] = [(cwd.key,) for cwd in survey.cwds if not _orphaned(cwd)]
        self._orphans: list[Path] = [(*ORPHANS, cwd.key) for cwd in survey.cwds if _orphaned(cwd)]

    def children(self, path: Path) -> Sequence[Path]:
        """Give what is inside."""
        if not path:
            return [GLOBAL, *self._living, *([ORPHANS] if self._orphans else [])]
        if path == ORPHANS:
            return self._orphans
        key = cwd_of(path)
        if key is None or session_of(path) is not None:
            return ()
        return [(*path, session.key) for session in self.survey.sessions.get(key, ())]

    def expandable(self, path: Path) -> bool:
        """Tell whether there is something inside."""
        if path == ORPHANS:
            return bool(self._orphans)
        key = cwd_of(path)
        if key is None or session_of(path) is not None:
            return False
        listed = self.survey.sessions.get(key)
        # Sessions are listed when their directory is opened; until then it may have some.
        return listed is None or bool(listed)

    def token(self, path: Path) -> object:
        """Rows stay as long as the listing does; what they say is asked anew each time."""
        if path in {(), ORPHANS}:
            return self.survey.cwds
        return self.survey.sessions.get(cwd_of(path) or "")

    def row(self, path: Path, *, expanded: bool, width: int) -> tuple[Spans, Spans]:
        """Give the row of a scope."""
        peek = self.survey.peeks.get(path)
        here = path == self.current
        marker = "▾" if expanded else "▸" if self.expandable(path) else " "
        indent = "  " * (len(path) - 1)
        right: list[Span] = []
        bullet: Span = ("●" if here else " ", "accent")
        if peek is not None and peek.status == "fenced":
            bullet = ("✖", "bad")
            # Where it is narrow the sign says it, and the name is what is needed.
            right += [("fenced", "bad")] if width >= _WORDS_FROM else []
        elif peek is not None and peek.mode not in {None, "active"}:
            right.append((f"{peek.mode} ", "muted"))
        if peek is not None and peek.status != "fenced" and peek.revision is not None:
            right.append((f"{peek.revision:>4}", "muted"))
        room = max(6, width - len(indent) - 5 - sum(cell_len(text) for text, _ in right))
        name, role = self._name(path, peek, room)
        left: Spans = ((indent + marker, "muted"), bullet, (" ", "text"), (name, "strong" if here else role))
        return left, (*right, (" ", "text"))

    def name(self, path: Path) -> str:
        """Give the name of a scope as it stands in a sentence."""
        return self._name(path, self.survey.peeks.get(path), 40)[0]

    def _name(self, path: Path, peek: Peek | None, room: int) -> tuple[str, Literal["text", "muted"]]:
        if path == GLOBAL:
            return "global", "text"
        if path == ORPHANS:
            return f"orphaned ({len(self._orphans)})", "muted"
        session = session_of(path)
        if session is not None:
            if peek is not None and peek.name:
                return cut(peek.name, room), "text"
            key = cwd_of(path)
            for listed in self.survey.sessions.get(key or "", ()):
                if listed.key == session and listed.advanced:
                    return day(listed.advanced, self.survey.now), "muted"
            return cut(start_of(session), room), "muted"
        place = self._places.get(cwd_of(path) or "")
        if place is None or place.owner is None:
            return cut_middle(clean(str(path[-1])), room), "muted"
        owner = clean(place.owner)
        if self._home and owner.startswith(f"{self._home}/"):
            owner = f"~{owner[len(self._home) :]}"
        last = f"…/{owner.rpartition('/')[2]}"
        return last if cell_len(owner) > room >= cell_len(last) else cut_middle(owner, room), "text"


def _orphaned(cwd: CwdPlace) -> bool:
    """Memory of a directory that is gone; one whose owner cannot be read is not called that."""
    return cwd.owner is not None and not cwd.exists


def fenced_elsewhere(survey: Survey, here: frozenset[Path]) -> tuple[Path, ...]:
    """Give the scopes that were found fenced and are none of those that are open."""
    fenced = (path for path, peek in survey.peeks.items() if peek.status == "fenced" and path not in here)
    return tuple(path for path in fenced if _listed(survey, path))


def _listed(survey: Survey, path: Path) -> bool:
    """Tell whether a scope was there when they were listed last."""
    key, session = cwd_of(path), session_of(path)
    if session is not None:
        return any(place.key == session for place in survey.sessions.get(key or "", ()))
    return key is None or any(place.key == key for place in survey.cwds)


def near(survey: Survey, key: str | None, most: int) -> list[Path]:
    """Give the scopes that matter most: the open directory's newest sessions, and the other directories."""
    opened = path_of(survey, key, None)
    sessions = () if key is None else survey.sessions.get(key, ())[:most]
    others = islice((cwd for cwd in survey.cwds if cwd.key != key), most)
    beside = [path_of(survey, cwd.key, None) for cwd in others]
    return [GLOBAL, opened, *((*opened, place.key) for place in sessions), *beside]


def cwd_of(path: Path) -> str | None:
    """Give the key of the directory that a row is about or lies in."""
    if path[:1] == ORPHANS:
        return str(path[1]) if len(path) > 1 else None
    return None if path in {GLOBAL, ()} else str(path[0])


def session_of(path: Path) -> str | None:
    """Give the key of the session that a row is about."""
    depth = 3 if path[:1] == ORPHANS else 2
    return str(path[depth - 1]) if len(path) == depth and path != GLOBAL else None


def path_of(survey: Survey, cwd: str | None, session: str | None) -> Path:
    """Give the row's path of a directory's or session's keys; a directory's keys begin with --, so none is a root."""
    if cwd is None:
        return GLOBAL
    orphaned = any(place.key == cwd and _orphaned(place) for place in survey.cwds)
    return (*(ORPHANS if orphaned else ()), cwd, *((session,) if session is not None else ()))
