"""What a change means for the sessions beside it, in words and in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from engine.records import dataclass
from engine.values import Json, JsonObject
from sftui.display import clean, one_line
from sftui.views.names import start_of
from sftui.views.spans import Role, Span, Spans

if TYPE_CHECKING:
    from engine.store.consequences import Effect, SessionEffect

# Sessions told one by one; the others are counted.
LISTED: Final = 50

# The worst first.
_WORDS: Final[Mapping[Effect, tuple[str, str]]] = {
    "fenced": ("is fenced by it", "are fenced by it"),
    "refuses-once": ("refuses its next publication once", "refuse their next publication once"),
    "loses-history": ("loses aligned history", "lose aligned history"),
    "unreadable": ("was unreadable before", "were unreadable before"),
    "apart": ("had lost it before", "had lost it before"),
    "keeps": ("keeps its history", "keep their history"),
}
_ROLES: Final[Mapping[Effect, Role]] = {
    "fenced": "bad",
    "refuses-once": "warn",
    "loses-history": "warn",
    "unreadable": "muted",
    "apart": "muted",
    "keeps": "muted",
}
_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Reach:
    """What becomes of the sessions that a change concerns.

    `counts` by effect, `listed` the ones that it costs something, the worst first; `complete` once all were judged.
    """

    counts: Mapping[Effect, int]
    listed: tuple[SessionEffect, ...]
    complete: bool

    def to_json(self) -> JsonObject:
        """It as data."""
        counts: dict[str, Json] = dict(self.counts.items())
        listed: list[Json] = [
            {
                "key": one.key,
                "session": one.session,
                "cwd": one.cwd,
                "specification": one.name,
                "effect": one.effect,
                "reason": one.reason,
            }
            for one in self.listed
        ]
        return {"counts": counts, "listed": listed, "complete": self.complete}

    @property
    def words(self) -> Spans:
        """The numbers, the worst first."""
        found: list[Span] = []
        for effect, words in _WORDS.items():
            count = self.counts.get(effect, 0)
            if count:
                found += [(" · " if found else "", "muted"), (f"{count:,} {words[count != 1]}", _ROLES[effect])]
        if not found:
            found.append(("no session is concerned" if self.complete else "looking…", "muted"))
        elif not self.complete:
            found.append((" · looking…", "muted"))
        return tuple(found)


def gathered(effects: Iterable[SessionEffect], *, every: int = 200) -> Iterator[Reach]:
    """Give what is known, after so many sessions each, and at last all of it. Holds few, however many there are."""
    counts: Counter[Effect] = Counter()
    worst: dict[Effect, list[SessionEffect]] = {effect: [] for effect in _WORDS if effect != "keeps"}
    for number, one in enumerate(effects, 1):
        counts[one.effect] += 1
        kept = worst.get(one.effect)
        if kept is not None and len(kept) < LISTED:
            kept.append(one)
        if number % every == 0:
            yield _reach(counts, worst, complete=False)
    yield _reach(counts, worst, complete=True)


def _reach(counts: Counter[Effect], worst: Mapping[Effect, list[SessionEffect]], *, complete: bool) -> Reach:
    # Those of one reason together, the newest first.
    ordered = (sorted(sorted(kept, key=_start, reverse=True), key=lambda one: one.reason) for kept in worst.values())
    listed = [one for kept in ordered for one in kept][:LISTED]
    return Reach(dict(counts), tuple(listed), complete)


def _start(one: SessionEffect) -> str:
    return one.session


def reason_spans(one: SessionEffect) -> Spans:
    """Tell what it means for this session and for those that follow it with the same reason."""
    return (("    ", "text"), (f"{clean(one.reason)}:", _ROLES[one.effect]))


def session_spans(one: SessionEffect, *, elsewhere: bool) -> Spans:
    """Name a session; `elsewhere` names its directory, too."""
    name = f'"{one_line(one.name.strip(), _NAME)}"' if one.name else start_of(one.session)
    spans: list[Span] = [("      ", "text"), (name, "key")]
    if one.name:
        spans.append(("  unfinished", "warn"))
    if elsewhere:
        spans.append((f"  {clean(one.cwd or one.key)}", "muted"))
    return tuple(spans)
