"""What a search finds: one hit a path, as a line, in full, and as data."""

from __future__ import annotations

from typing import Final, Literal

from engine.memory.scope import Scope, initial
from engine.memory.stream import Boundary
from engine.records import dataclass
from engine.values import Json, JsonObject, dotted
from engine.values.needle import Needle
from sftui.display import clean
from sftui.times import day
from sftui.views.authorship import author_words
from sftui.views.kinds import EntryKey, Path
from sftui.views.spans import SIGN_ROLES, Role, Span, Spans

Source = Literal["memory", "retained", "ledger"]
# (source, address, revision, boundary id, path): what a line goes by; the last four of memory are its path alone.
HitKey = tuple[Source, str, int, str, Path]

# Hits that are kept; a search that finds more says so and stops.
MOST_HITS: Final = 5_000
# Characters of an excerpt: before the match, of it, and after it.
_BEFORE, _MATCH, _AFTER = 24, 80, 160
_CLOSER: Final = 6
# Lines of fewer cells have no room for more.
_NARROW: Final = 90

SOURCES: Final[dict[Source, str]] = {"memory": "now", "retained": "retained", "ledger": "ledger"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text around a match, cleaned and cut."""

    before: str
    match: str
    after: str

    def closer(self) -> Excerpt:
        """The same with hardly anything before the match."""
        return Excerpt(f"…{self.before[-_CLOSER:]}", self.match, self.after) if len(self.before) > _CLOSER + 1 else self

    def spans(self) -> Spans:
        """The same with the match between signs of its own, so that it shows without colour."""
        found: list[Span] = [(self.before, "muted"), (f"«{self.match}»", "accent"), (self.after, "muted")]
        return tuple(span for span in found if span[0])


@dataclass(frozen=True, slots=True)
class Stood:
    """The transition that a hit stands in. `seen` is None where nobody saw it come, `ours` where no record tells."""

    revision: int
    boundary: Boundary
    seen: float | None = None
    ours: bool | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One path whose key or value holds the text: in memory as it is, or in a transition.

    `sign` is "" in memory, "+" where a transition set it, "-" where one took it away, and "=" where all that is known is
    that it stood there then. `in_key` tells that it is the path's last key that holds the text.
    """

    source: Source
    scope: Scope
    address: str
    path: Path
    excerpt: Excerpt
    in_key: bool = False
    sign: str = ""
    stood: Stood | None = None

    @property
    def key(self) -> HitKey:
        """What tells it from all others, whatever else is found."""
        revision, boundary = (0, "") if self.stood is None else (self.stood.revision, self.stood.boundary.id)
        return (self.source, self.address, revision, boundary, self.path)

    @property
    def entry(self) -> EntryKey | None:
        """The key of its transition."""
        return None if self.stood is None else (self.address, self.stood.revision, self.stood.boundary.id)

    @property
    def where(self) -> str:
        """Its path, cleaned: below its scope in memory, without it beside the name of a transition."""
        return clean(dotted(self.scope if self.stood is None else "", self.path))

    def to_json(self) -> JsonObject:
        """The hit as data."""
        found: dict[str, Json] = {
            "source": self.source,
            "scope": self.scope,
            "address": self.address,
            "path": list(self.path),
            "in": "key" if self.in_key else "value",
            "before": self.excerpt.before,
            "match": self.excerpt.match,
            "after": self.excerpt.after,
        }
        if self.stood is not None:
            found |= {
                "change": {"+": "set", "-": "removed", "=": "stood"}.get(self.sign, ""),
                "revision": self.stood.revision,
            }
            found |= {"boundary": self.stood.boundary.to_json(), "seen": self.stood.seen, "ours": self.stood.ours}
        return found


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is: `share` (0 to 1) of the logs' bytes, None while it is at memory and what scopes retain.

    `elsewhere` counts transitions of other cohorts that may hold the text; `cut` tells that there was too much.
    `trouble` says why something could not be looked at.
    """

    share: float | None = None
    elsewhere: int = 0
    cut: bool = False
    trouble: str = ""


def excerpt(text: str, sought: Needle) -> Excerpt | None:
    """The text around the first match in it; None where there is none. The cost follows the place of the match."""
    found = sought.within(text)
    if found is None:
        return None
    begin, end = found
    shown = min(end, begin + _MATCH)
    start, stop = max(0, begin - _BEFORE), end + _AFTER
    return Excerpt(
        ("…" if start else "") + clean(text[start:begin]),
        clean(text[begin:shown]) + ("…" if shown < end else ""),
        clean(text[end:stop]) + ("…" if stop < len(text) else ""),
    )


def hit_line(hit: Hit, now: float, width: int | None = None) -> tuple[Spans, Spans]:
    """A hit as a line of a list: where, what stands there, and from where that is known.

    In a narrow one the match comes sooner.
    """
    spans: list[Span] = [(" ", "text")]
    narrow = width is not None and width < _NARROW
    shown = hit.excerpt.closer() if narrow else hit.excerpt
    if hit.stood is not None:
        seen = "" if hit.stood.seen is None or narrow else f" {day(hit.stood.seen, now)}"
        spans += [(f"{initial(hit.scope)}{hit.stood.revision}", "accent"), (seen, "muted"), (" ", "text")]
        spans.append((f"{hit.sign} ", SIGN_ROLES.get(hit.sign, "text")))
    if hit.in_key:
        # The key is the end of the path, and of that the excerpt.
        above = clean(dotted(hit.scope if hit.stood is None else "", hit.path[:-1]))
        spans += [(f"{above} ▸ " if above else "", "key"), *shown.spans()]
    else:
        spans += [(hit.where, "key"), ("  ", "text"), *shown.spans()]
    role: Role = "good" if hit.source == "memory" else "muted"
    return tuple(span for span in spans if span[0]), ((f" {SOURCES[hit.source]} ", role),)


def hit_details(hit: Hit, now: float) -> list[Spans]:
    """A hit in full, for the lines below the list."""
    what = "its key holds it" if hit.in_key else "its value holds it"
    lines: list[Spans] = [((clean(dotted(hit.scope, hit.path)), "key"), (f"  {what}", "muted"))]
    if hit.stood is None:
        lines.append((("in memory now", "text"), (f"  {clean(hit.address)}", "muted")))
    else:
        did = {"+": "set it", "=": "had it: nobody saw what set it"}.get(
            hit.sign, "took it away or put something else there"
        )
        seen = "time unknown" if hit.stood.seen is None else f"seen {day(hit.stood.seen, now)}"
        whose = f", {author_words(hit.stood.ours)}"
        kept = "retained" if hit.source == "retained" else "in the ledger"
        lines.append(
            (
                (f"{initial(hit.scope)}{hit.stood.revision}", "accent"),
                (f" {did}; {seen}{whose}; {kept}", "text"),
            )
        )
    lines.append(hit.excerpt.spans())
    return lines


def found_remark(state: str, count: int, end: Progress, moved: str) -> Spans:
    """How far a search is, for the right of its title. `moved` is the key that looks again where memory moved on."""
    spans: list[Span] = []
    if state == "looking":
        at = "memory" if end.share is None else f"ledger {int(end.share * 100)} %"
        spans.append((f"looking… {at}  ", "accent"))
    elif state == "stopped":
        spans.append(("stopped  ", "warn"))
    elif state == "failed":
        spans.append(("failed: please report it  ", "bad"))
    if end.trouble:
        spans.append((f"{clean(end.trouble)}  ", "warn"))
    if end.cut:
        spans.append((f"the first {count:,}: say more of it", "warn"))
    elif state != "idle":
        spans.append((f"{count:,} found", "strong" if count else "muted"))
    if end.elsewhere:
        spans.append((f"  +{end.elsewhere:,} elsewhere", "muted"))
    if moved:
        spans.append((f"  memory moved: {moved}", "warn"))
    return tuple(spans)


def nothing_lines(state: str, text: str) -> list[Spans]:
    """What stands where hits would be."""
    if state == "idle" or not text:
        words = "type a text: small letters find capitals as well"
    elif state == "looking":
        words = "nothing so far"
    elif state == "stopped":
        words = "stopped before anything was found"
    else:
        words = "nothing holds it: not memory, not what scopes retain, not the ledger"
    return [((f" {words}", "muted"),)]
