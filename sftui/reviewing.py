"""What a review shows and would approve: worked out beside the interface, held while memory moves underneath."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from sftui.background import begin

if TYPE_CHECKING:
    from textual.screen import Screen

    from engine.errors import EngineError
    from engine.memory.draft import Draft
    from engine.memory.gathering import Drift, States
    from engine.store.proposal import Published
    from sftui.applying import Applying
    from sftui.drafting import Drafting
    from sftui.views.reach import Reach
    from sftui.views.review import Obstacle, Review
    from sftui.views.review_page import Page
    from sftui.views.threeway import Conflict


# Sessions are judged again no sooner than so many seconds after the last time, nor than so many times as long as that took.
PAUSE_SECONDS: Final = 2.0
PAUSE_SHARE: Final = 10


class Reviewing:
    """The review of one draft. `changed` is called whenever there is something else to show.

    What is shown stays while memory makes something else of the same draft: that is kept beside it until a person has
    gone on to it.
    """

    def __init__(self, screen: Screen[None], drafting: Drafting, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._drafting = drafting
        self._changed = changed
        # What would be approved, the dry run that it was worked out from, and of which draft.
        self._review: Review | None = None
        self._published: Published | None = None
        self._draft: Draft | None = None
        # What memory would make of the same draft by now, where that is something else.
        self._found: tuple[Review, Published] | None = None
        self._reach: Reach | None = None
        self._stop = threading.Event()
        self._news_for_sessions = asyncio.Event()
        self._worked_from: Published | None = None
        self._looking = False
        self._agreed: set[tuple[str, str]] = set()
        self._ended = False
        self._conflicts: tuple[tuple[Drift, ...], States, Draft, tuple[Conflict, ...]] | None = None
        self.failed: EngineError | None = None

    def page(self, applying: Applying | None) -> Page:
        """What is shown, as one value."""
        from sftui.views.review_page import Page
        from sftui.views.threeway import moved

        drafting, review = self._drafting, self._review
        published = self._published if self._found is None else self._found[1]
        drift = drafting.drift if drafting.is_current else ()
        needs = () if review is None else review.needs
        return Page(
            draft=drafting.draft,
            review=review,
            reach=self._reach,
            trouble=drafting.trouble if drafting.is_current else None,
            conflicts=self._told_of(drift, {} if published is None else published.staged.after, drafting.draft),
            moved=None if review is None or self._found is None else moved(review, self._found[0]),
            agreed=frozenset(one.code for one in needs if (one.code, one.reason) in self._agreed),
            failed=self.failed,
            waiting="" if applying is None else applying.waiting,
            writing=applying is not None,
            is_current=self._draft is drafting.draft and drafting.is_current,
        )

    def _told_of(self, drift: tuple[Drift, ...], after: States, draft: Draft) -> tuple[Conflict, ...]:
        """The places that both have changed, worked out once: the page is asked for with every slice of the sessions."""
        from sftui.views.threeway import conflicts

        known = self._conflicts
        if known is None or known[0] is not drift or known[1] is not after or known[2] is not draft:
            known = self._conflicts = (drift, after, draft, conflicts(drift, after, draft))
        return known[3]

    def look(self) -> None:
        """Work out what the draft would do now, where that may have changed."""
        if self._drafting.draft.is_empty:
            # Dropped, or taken back to nothing: what it would have done is no more to be seen, nor to be approved.
            self._review = self._published = self._draft = self._found = self._worked_from = self._reach = None
            self.failed = None
            return
        if not self._looking and self._news() is not None:
            self._looking = True
            self._run(self._keep_up)

    def _news(self) -> tuple[Published, Draft] | None:
        """The newest dry run, where it has not been looked at."""
        drafting = self._drafting
        published = drafting.preview
        if not drafting.is_current or published is None or published is self._worked_from:
            return None
        return published, drafting.draft

    async def _keep_up(self) -> None:
        """Look at one dry run after another until there is none newer: a busy writer must not keep it from being shown."""
        from sftui.views.review import review

        try:
            while (news := self._news()) is not None:
                published, draft = news
                self._worked_from = published
                found = await asyncio.to_thread(review, published, draft)
                if draft is self._drafting.draft:
                    self._take(found, published, draft)
                    self._changed()
        finally:
            self._looking = False

    def _take(self, found: Review, published: Published, draft: Draft) -> None:
        """Show it instead of what is shown, unless memory has made something else of the same draft."""
        if self._review is not None and draft is self._draft and found.digest != self._review.digest:
            self._found = (found, published)
        else:
            self._adopt(found, published, draft)

    def _adopt(self, found: Review, published: Published, draft: Draft) -> None:
        if draft is not self._draft:
            self.failed = None
        before = self._published
        self._review, self._published, self._draft, self._found = found, published, draft, None
        if before is None or before.digest != published.digest:
            self._reach = None
            self._stop_looking()
            self._stop = threading.Event()
            self._news_for_sessions = asyncio.Event()
            self._run(partial(self._look_at_sessions, self._stop, self._news_for_sessions))
        elif _vector(before) != _vector(published):
            self._news_for_sessions.set()

    async def _look_at_sessions(self, stop: threading.Event, news: asyncio.Event) -> None:
        """Tell what it means for sessions, in slices beside the interface; again once memory has gone on, but not all the time."""
        from engine.store.consequences import consequences
        from sftui.views.reach import gathered

        while self._published is not None and not stop.is_set():
            began, slices = monotonic(), gathered(consequences(self._published, stop))
            while (reach := await asyncio.to_thread(_next, slices)) is not None and not stop.is_set():
                # What was known of all of them is not taken back by what is known of some.
                if reach.complete or self._reach is None or not self._reach.complete:
                    self._reach = reach
                    self._changed()
            await asyncio.sleep(max(PAUSE_SECONDS, (monotonic() - began) * PAUSE_SHARE))
            await news.wait()
            news.clear()

    def _run(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        if not self._ended:
            begin(self._screen, work, "review")

    def go_on(self) -> bool:
        """Show what memory makes of the draft now; False where nothing has moved."""
        if self._found is None:
            return False
        self.failed = None
        self._adopt(*self._found, self._drafting.draft)
        return True

    def agree(self, need: Obstacle) -> None:
        """Agree to what is asked about as it is worded now, or take that back."""
        self._agreed ^= {(need.code, need.reason)}
        self._changed()

    def end(self) -> None:
        """The screen is gone: begin nothing more, and look at no further sessions."""
        self._ended = True
        self._stop_looking()

    def _stop_looking(self) -> None:
        self._stop.set()
        self._news_for_sessions.set()


def _vector(published: Published) -> tuple[int | None, ...]:
    return tuple(
        None if reading.stream is None else reading.stream.revision for reading in published.snapshot.scopes.values()
    )


def _next(slices: Iterator[Reach]) -> Reach | None:
    return next(slices, None)
