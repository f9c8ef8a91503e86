"""What a review shows and would approve: worked out beside the interface, held while memory moves underneath."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.screen import Screen

    from engine.errors import EngineError
    from engine.memory.draft import Draft
    from engine.store.proposal import Published
    from sftui.applying import Applying
    from sftui.drafting import Drafting
    from sftui.views.reach import Reach
    from sftui.views.review import Obstacle, Review
    from sftui.views.review_page import Page


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
        self._working: Published | None = None
        self._agreed: set[tuple[str, str]] = set()
        self.failed: EngineError | None = None

    def page(self, applying: Applying | None) -> Page:
        """What is shown, as one value."""
        from sftui.views.review_page import Page
        from sftui.views.threeway import conflicts, moved

        drafting, review = self._drafting, self._review
        published = self._published if self._found is None else self._found[1]
        drift = drafting.drift if drafting.is_current else ()
        needs = () if review is None else review.needs
        return Page(
            draft=drafting.draft,
            review=review,
            reach=self._reach,
            trouble=drafting.trouble if drafting.is_current else None,
            conflicts=conflicts(drift, {} if published is None else published.staged.after),
            moved=None if review is None or self._found is None else moved(review, self._found[0]),
            agreed=frozenset(one.code for one in needs if (one.code, one.reason) in self._agreed),
            failed=self.failed,
            waiting="" if applying is None else applying.waiting,
            writing=applying is not None,
            is_current=self._draft is drafting.draft and drafting.is_current,
        )

    def look(self) -> None:
        """Work out what the draft would do now, where that may have changed."""
        if self._drafting.draft.is_empty:
            # Dropped, or taken back to nothing: what it would have done is no more to be seen, nor to be approved.
            self._review = self._published = self._draft = self._found = self._working = self._reach = None
            self.failed = None
            return
        published = self._drafting.preview
        if self._drafting.is_current and published is not None and published is not self._working:
            self._working = published
            self._run(self._work_out(published, self._drafting.draft), "review")

    async def _work_out(self, published: Published, draft: Draft) -> None:
        from sftui.views.review import review

        found = await asyncio.to_thread(review, published, draft)
        if self._review is not None and draft is self._draft and found.digest != self._review.digest:
            self._found = (found, published)
        else:
            self._adopt(found, published, draft)
        self._changed()

    def _adopt(self, found: Review, published: Published, draft: Draft) -> None:
        if draft is not self._draft:
            self.failed = None
        before = self._published
        self._review, self._published, self._draft, self._found = found, published, draft, None
        if before is None or before.digest != published.digest or _vector(before) != _vector(published):
            self._reach = None
            self._stop.set()
            self._stop = threading.Event()
            self._run(self._look_at_sessions(published, self._stop), "sessions")

    async def _look_at_sessions(self, published: Published, stop: threading.Event) -> None:
        """Tell what it means for sessions as they are judged, in slices beside the interface."""
        from engine.store.consequences import consequences
        from sftui.views.reach import gathered

        slices = gathered(consequences(published, stop))
        while (reach := await asyncio.to_thread(_next, slices)) is not None and not stop.is_set():
            self._reach = reach
            self._changed()

    def _run(self, work: object, group: str) -> None:
        self._screen.run_worker(work, group=group, exclusive=True, exit_on_error=False)  # type: ignore[arg-type]

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

    def stop(self) -> None:
        """Look at no further sessions."""
        self._stop.set()


def _vector(published: Published) -> tuple[int | None, ...]:
    return tuple(
        None if reading.stream is None else reading.stream.revision for reading in published.snapshot.scopes.values()
    )


def _next(slices: Iterator[Reach]) -> Reach | None:
    return next(slices, None)
