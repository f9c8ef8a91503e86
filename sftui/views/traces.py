"""Where a value still stands: one trace a place, what can be done about each, and the page that tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, Protocol

from engine.records import dataclass, field
from engine.values import Json, JsonObject, canonical
from sftui.display import clean
from sftui.views.kinds import Path
from sftui.views.spans import Span, Spans
from sftui.views.units import human

Kind = Literal["memory", "history", "record", "temporary", "stray", "ledger", "own", "archive", "git"]

KINDS: Final[dict[Kind, str]] = {
    "memory": "in memory now",
    "history": "in what scopes retain",
    "record": "in other files of the store",
    "temporary": "in left-over temporaries",
    "stray": "in files beside the store's own",
    "ledger": "in the ledger",
    "own": "in other files of ours",
    "archive": "in archives",
    "git": "in Git",
}
# Line numbers that are told of one file.
FEW: Final = 8
NOT_LOOKED_AT: Final = (
    "Not looked at: transcripts and logs of agents, snapshots and backups of the machine, other clones of a repository, "
    "clipboards, what is compressed or encrypted elsewhere."
)


@dataclass(frozen=True, slots=True)
class Trace:
    """One place where the value stands.

    `where` names it for people, `file` is the path of its file; `lines` are the first few of its lines, `count` is how
    many there are (in a file that has no lines, how often it was met). `address`, `path` and `revision` where known.
    """

    kind: Kind
    where: str
    file: str
    remedy: str
    lines: tuple[int, ...] = ()
    count: int = 1
    address: str | None = None
    path: Path | None = None
    revision: int | None = None

    def to_json(self, hide: Callable[[str], str]) -> JsonObject:
        """The trace as data."""
        lines: list[Json] = list(self.lines)
        found: dict[str, Json] = {
            "kind": self.kind,
            "where": hide(self.where),
            "file": hide(self.file),
            "lines": lines,
            "count": self.count,
            "remedy": self.remedy,
        }
        if self.address is not None:
            found["address"] = self.address
        if self.path is not None:
            found["path"] = [hide(key) if isinstance(key, str) else key for key in self.path]
        if self.revision is not None:
            found["revision"] = self.revision
        return found


@dataclass(frozen=True, slots=True)
class Unseen:
    """A place that could not be looked at, or not to its end, and why."""

    place: str
    reason: str

    def to_json(self, hide: Callable[[str], str]) -> JsonObject:
        """The same as data."""
        return {"place": hide(self.place), "reason": hide(self.reason)}


@dataclass(frozen=True, slots=True)
class Looked:
    """How far the look is: where it is now, and how much it has read."""

    at: str
    files: int = 0
    size: int = 0


@dataclass(slots=True)
class Found:
    """What has been found so far."""

    traces: list[Trace] = field(default_factory=list)
    unseen: list[Unseen] = field(default_factory=list)
    looked: dict[str, Looked] = field(default_factory=dict)

    def take(self, step: Trace | Unseen | Looked) -> bool:
        """Take a step in; tell whether there is something new to show."""
        match step:
            case Trace():
                self.traces.append(step)
            case Unseen():
                self.unseen.append(step)
            case Looked():
                self.looked[step.at] = step
                return False
        return True


def masked(text: str) -> str:
    """A text that is not for everybody's eyes: its first and last characters, and how long it is."""
    length = len(text)
    ends = 3 if length >= _LONG else 1 if length >= _SHORT else 0
    count = f"({length:,} character{'' if length == 1 else 's'})"
    return f"{clean(text[:ends])}…{clean(text[-ends:])} {count}" if ends else f"… {count}"


# From so many characters on three of either end give nothing away, and one of either.
_LONG, _SHORT = 20, 8


def hiding(texts: Iterable[str], *, show: bool) -> Callable[[str], str]:
    """What takes the texts out of anything that is printed, unless they are to be shown."""
    # As they are, and as a path or a cleaned line spells them.
    spelled = {one for text in texts for one in (text, clean(text), canonical(text)[1:-1])}
    sought = sorted(spelled, key=len, reverse=True)

    def hide(string: str) -> str:
        for text in sought:
            string = string.replace(text, masked(text)) if text else string
        return string

    return (lambda string: string) if show else hide


class Meant(Protocol):
    """What is looked for."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Its texts."""

    @property
    def whole(self) -> bool:
        """Whether only whole values count."""

    @property
    def left_out(self) -> int:
        """How many of its texts are not looked for."""


def traces_page(
    told: str, sought: Meant, found: Found, *, show: bool, home: str = "", looking: bool = False
) -> list[Spans]:
    """The whole page: what was looked for, where it stands, what was not looked at."""
    hide = hiding(sought.texts, show=show)
    texts = ", ".join(clean(text) if show else masked(text) for text in sought.texts[:_FEW_TEXTS])
    more = len(sought.texts) - _FEW_TEXTS
    lines: list[Spans] = [
        (("looked for  ", "muted"), (f"{texts} and {more} more" if more > 0 else texts, "text")),
        ((clean(hide(told)), "muted"),),
    ]
    if sought.whole:
        words = "so short a text or number is found only where it is a whole value, spelled like this"
        lines.append(((words, "warn"),))
    if sought.left_out:
        lines.append(((f"{sought.left_out:,} shorter texts of this value were not looked for", "warn"),))
    if found.traces:
        lines += [(), *trace_lines(found.traces, hide, home)]
    lines += unseen_lines(found.unseen, hide, home)
    count = len(found.traces)
    places = f"{count:,} place{'' if count == 1 else 's'}"
    said = (f"{places} so far" if looking else places) if count or looking else "it stands nowhere that was looked at"
    lines += [(), ((said, "strong"), (f"  {looked_words(found.looked.values())}", "muted"))]
    lines.append(((NOT_LOOKED_AT, "muted"),))
    return lines


_FEW_TEXTS: Final = 3


def trace_lines(traces: Sequence[Trace], hide: Callable[[str], str], home: str = "") -> list[Spans]:
    """The traces by kind; what can be done about some of them is said once."""
    lines: list[Spans] = []
    for kind, title in KINDS.items():
        here = [trace for trace in traces if trace.kind == kind]
        if not here:
            continue
        if lines:
            lines.append(())
        lines.append(((title, "strong"), (f"  {len(here):,}", "muted")))
        for number, trace in enumerate(here):
            spans: list[Span] = [("  ", "text"), (clean(hide(trace.where)), "key")]
            if trace.lines:
                more = ", …" if trace.count > len(trace.lines) else ""
                word = "line" if trace.count == 1 else f"{trace.count:,} lines:"
                spans.append((f"  {word} {', '.join(map(str, trace.lines))}{more}", "muted"))
            elif trace.count > 1:
                spans.append((f"  {trace.count:,} times", "muted"))
            lines.append(tuple(spans))
            if trace.file and trace.file != trace.where:
                lines.append((("    ", "text"), (clean(hide(_tilde(trace.file, home))), "muted")))
            following = here[number + 1] if number + 1 < len(here) else None
            if following is None or following.remedy != trace.remedy:
                lines.append((("    → ", "accent"), (clean(trace.remedy), "text")))
    return lines


def unseen_lines(unseen: Sequence[Unseen], hide: Callable[[str], str], home: str = "") -> list[Spans]:
    """What could not be looked at."""
    if not unseen:
        return []
    lines: list[Spans] = [(), (("could not be looked at", "warn"), (f"  {len(unseen):,}", "muted"))]
    lines += [
        (("  ", "text"), (clean(hide(_tilde(one.place, home))), "key"), (f"  {clean(hide(one.reason))}", "muted"))
        for one in unseen[:_MOST_UNSEEN]
    ]
    if len(unseen) > _MOST_UNSEEN:
        lines.append(((f"  and {len(unseen) - _MOST_UNSEEN:,} more", "muted"),))
    return lines


_MOST_UNSEEN: Final = 20


def looked_words(looked: Iterable[Looked]) -> str:
    """How much has been read of what, in words."""
    told = [f"{one.files:,} {_COUNTED.get(one.at, 'files')} of {one.at} ({human(one.size)})" for one in looked]
    return "read " + ", ".join(told) if told else "nothing read yet"


_COUNTED: Final = {"Git": "objects"}


def _tilde(path: str, home: str) -> str:
    return f"~{path[len(home) :]}" if home not in {"", "~", "/"} and path.startswith(home + "/") else path
