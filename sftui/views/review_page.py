"""The whole page of the review: what asks to be answered first, then what would happen, then the patch itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.records import dataclass, field, replace
from sftui.actions import key_for
from sftui.display import clean
from sftui.views import review_lines as lines
from sftui.views.review import FORCE
from sftui.views.review_lines import Row, heading
from sftui.views.spans import Span, Spans
from sftui.views.units import human

if TYPE_CHECKING:
    from engine.memory.draft import Draft
    from sftui.views.reach import Reach
    from sftui.views.review import Obstacle, Review
    from sftui.views.threeway import Conflict, Moved


@dataclass(frozen=True, slots=True)
class Page:
    """What the review screen shows.

    `review` is what would be approved, None while nothing is worked out: then `trouble` may say why. `moved` is set
    while memory would make something else of the draft than `review` says. `agreed` are the needs a person has
    consented to, `failed` is why it could not be written, `waiting` whose lock is waited for. `is_current` says whether
    `review` is about the draft as it is now.
    """

    draft: Draft
    review: Review | None = None
    reach: Reach | None = None
    trouble: EngineError | None = None
    conflicts: tuple[Conflict, ...] = ()
    moved: Moved | None = None
    agreed: Collection[str] = field(default_factory=frozenset)
    failed: EngineError | None = None
    waiting: str = ""
    writing: bool = False
    is_current: bool = True

    @property
    def unanswered(self) -> tuple[Obstacle, ...]:
        """What a person has not consented to yet."""
        needs = () if self.review is None else self.review.needs
        return tuple(one for one in needs if one.code not in self.agreed)

    @property
    def refusal(self) -> str:
        """Why it cannot be applied as it stands, cleaned; '' where it can."""
        if self.writing:
            return "it is being applied already"
        if self.draft.is_empty:
            return "the draft is empty"
        if not any(step.ticked for step in self.draft.steps):
            return f"no step is ticked: {key_for('review.tick')} takes one in"
        if self.review is None or not self.is_current:
            return "it is not worked out yet" if self.trouble is None else clean(self.trouble.message)
        if self.conflicts:
            theirs, mine = key_for("review.theirs"), key_for("review.mine")
            return f"{self.conflicts[0].where} was changed by somebody else: {theirs} takes theirs, {mine} keeps mine"
        if self.moved is not None:
            key = key_for("review.moved")
            return f"memory has moved since this was shown: look at both sides, then {key} goes on with what it is now"
        if self.review.blocked:
            return clean(self.review.blocked[0].reason)
        if not self.review.entails.net:
            return "nothing would change: memory is like this already"
        if self.unanswered:
            return f"first read what is asked of you: {lines.consent_key(self.unanswered[0])} agrees"
        return ""

    def rows(self) -> Iterator[Row]:
        """The page, line by line."""
        yield from self._news()
        yield from self._steps()
        if self.review is not None:
            yield from _outcome(self.review, self.reach)

    def _news(self) -> Iterator[Row]:
        """What asks to be seen first."""
        if self.waiting:
            words: Spans = (
                (self.waiting, "warn"),
                (f"   {key_for('review.cancel')}", "accent"),
                (" stops waiting; nothing is written then", "muted"),
            )
            yield Row(("news", "waiting"), ((" … ", "warn"), *words))
        elif self.writing:
            yield Row(("news", "writing"), ((" … ", "accent"), ("writing", "text")))
        if self.failed is not None:
            yield from _error("failed", "not written", self.failed)
            if "draft" not in (self.failed.kept or ""):
                yield Row(("news", "kept"), (("   the draft is kept as it is", "muted"),))
        if self.trouble is not None:
            yield from _error("trouble", "cannot be worked out", self.trouble)
        if self.conflicts:
            from sftui.views.threeway import conflict_rows

            keys: Spans = (
                (key_for("review.theirs"), "accent"),
                (" takes theirs  ", "muted"),
                (key_for("review.mine"), "accent"),
                (" keeps mine", "muted"),
            )
            yield heading("changed by others too", keys)
            yield from conflict_rows(self.conflicts)
        elif self.moved is not None:
            from sftui.views.threeway import moved_rows

            keys = ((key_for("review.moved"), "accent"), (" goes on with what it is now", "muted"))
            yield heading("memory has moved since this was shown", keys)
            yield from moved_rows(self.moved)
        if self.review is not None and self.review.obstacles:
            yield heading("in the way" if self.review.blocked else "asked of you first")
            for one in self.review.obstacles:
                if one.option is None:
                    key = ("blocked", one.code, one.reason)
                    yield Row(key, (("  ✖ ", "bad"), (clean(one.reason), "bad")))
                    if one.hint:
                        yield Row((*key, "hint"), (("    ", "text"), (clean(one.hint), "muted")))
                else:
                    yield lines.consent_row(one, agreed=one.code in self.agreed)

    def _steps(self) -> Iterator[Row]:
        from sftui.views.steps import step_lines

        ticked = sum(1 for step in self.draft.steps if step.ticked)
        count = len(self.draft.steps)
        if not count:
            yield Row(("empty",), (("  the draft is empty", "muted"),))
            return
        words = f"{count}" if ticked == count else f"{ticked} of {count} ticked"
        yield heading("steps", ((words, "muted"),))
        # Before a new step is worked out its line stands there without what is to be said of it.
        told = self.review.steps if self.review is not None and self.is_current else step_lines(self.draft)
        yield from lines.step_rows(told)


def _error(name: str, words: str, error: EngineError) -> Iterator[Row]:
    yield Row(("news", name), ((f" ✖ {words}: ", "bad"), (clean(error.message), "text")))
    if error.where:
        yield Row(("news", name, "where"), ((f"   {clean(error.where)}", "muted"),))
    for part, text in (("kept", error.kept), ("hint", error.hint)):
        if text:
            yield Row(("news", name, part), ((f"   {clean(text)}", "muted"),))


def _outcome(review: Review, reach: Reach | None) -> Iterator[Row]:
    told = review.entails
    if not told.net:
        yield Row(("nothing",), (("  nothing would change", "muted"),))
    else:
        yield heading("would change", lines.growth_spans(told.growth))
        yield from lines.change_rows(told, review.revisions)
    if told.taken:
        total = human(sum(taken.size for taken in told.taken))
        yield heading("goes along with intents", ((f"{len(told.taken)}, {total}", "muted"),))
        yield from lines.taken_rows(told)
    if told.shown:
        yield heading("what shows")
        yield from lines.effect_rows(told)
    # What is said of a step stands below it already, and what follows for sessions is told of each.
    # So is an unfinished run, where that is what is asked about.
    asked = any(one.code == FORCE for one in review.needs)
    surprises = list(lines.surprise_rows(replace(told, alarms=()) if asked else told, advice=False))
    if surprises:
        yield heading("worth a look")
        yield from surprises
    if told.folds:
        yield heading("history folds away", ((f"{len(told.folds)}", "muted"),))
        yield from lines.fold_rows(told)
    if told.net:
        looking: tuple[Span, ...] = (("looking…", "muted"),)
        yield heading("sessions", looking if reach is None else reach.words)
        if reach is not None:
            yield from lines.reach_rows(reach)
        yield heading("the patch as it is written", ((f"digest {review.digest[:12]}", "muted"),))
        yield from lines.authored_rows(review)


def summary(page: Page) -> Spans:
    """What stands right of the title: what keeps it from being applied, wherever in the page one reads, and how much it is."""
    if page.waiting:
        return ((page.waiting, "warn"),)
    if page.conflicts:
        return ((f"{_many(len(page.conflicts), 'place')} changed by others too", "warn"),)
    if page.moved is not None:
        return (("memory has moved", "warn"),)
    if page.review is None:
        return (("working it out…" if page.trouble is None and not page.draft.is_empty else "", "muted"),)
    if page.failed is not None:
        return (("not written", "bad"),)
    if not page.review.entails.net:
        return (("nothing would change", "muted"),)
    scopes = ", ".join(one.scope for one in page.review.entails.diffs)
    told: Spans = (
        (f"{_many(sum(len(one.lines) + one.more for one in page.review.entails.diffs), 'line')} in {scopes}", "text"),
    )
    if page.review.blocked:
        return (("blocked", "bad"), (" · ", "muted"), *told)
    return (("asks first", "warn"), (" · ", "muted"), *told) if page.unanswered else told


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
