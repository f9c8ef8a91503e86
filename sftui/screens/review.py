"""The review: all that a draft would change, and the one place from where it is written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from engine.errors import Cancelled, EngineError, Moved
from sftui.actions import actions_of, bindings, key_for
from sftui.background import begin
from sftui.screens.base import LiveScreen
from sftui.widgets.bars import FooterBar, HeaderBar, Rule
from sftui.widgets.lines import KeyedLines
from sftui.widgets.review_list import ReviewList

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.memory.draft import Step
    from sftui.applying import Applying
    from sftui.reviewing import Reviewing
    from sftui.views.picture import Picture
    from sftui.views.review import Obstacle
    from sftui.views.review_page import Page
    from sftui.views.threeway import Conflict


class ReviewScreen(LiveScreen):
    """Shows what would be written, and writes exactly that.

    What is shown stays while memory moves underneath: the other side is shown beside it, and nothing is written before
    a person has gone on to it.
    """

    BINDINGS: ClassVar = bindings("review")
    AUTO_FOCUS = "#review"
    places = ("review", "list")
    of_moments = False

    def __init__(self) -> None:
        super().__init__()
        self._reviewing: Reviewing | None = None
        self._asked = False

    def compose(self) -> ComposeResult:
        """Header, title, the page, footer."""
        yield HeaderBar()
        yield Rule(id="title")
        yield ReviewList(id="review")
        shown = [action for action in actions_of("app", "list", "review") if action.id not in _NOT_HERE]
        yield FooterBar(shown)

    @property
    def lines(self) -> ReviewList:
        """The list of all there is to read."""
        return self.query_one(ReviewList)

    @property
    def reviewing(self) -> Reviewing:
        """What is shown, and would be approved."""
        if self._reviewing is None:
            from sftui.reviewing import Reviewing

            self._reviewing = Reviewing(self, self.sftui.drafting, self._paint)
        return self._reviewing

    @property
    def page(self) -> Page:
        """What is shown, as one value."""
        return self.reviewing.page(self._applying)

    @property
    def _applying(self) -> Applying | None:
        return self.sftui.drafting.applying

    # Keeping up.

    def show(self, picture: Picture) -> None:
        """Show the draft as it is, and work out what it would do now."""
        super().show(picture)
        self.reviewing.look()
        self._paint()

    def on_unmount(self) -> None:
        """Look at nothing any more."""
        self.reviewing.end()

    def _paint(self) -> None:
        from sftui.views.review_page import summary

        if not self.is_attached or not self.is_mounted:
            return
        page = self.page
        self.lines.show(page.rows())
        self.query_one("#title", Rule).say((("review", "strong"),), summary(page))
        self._asked = bool(page.conflicts) or page.moved is not None
        for footer in self.query(FooterBar):
            footer.offer("review.cancel", page.writing)
            footer.offer("review.moved", page.moved is not None and not page.conflicts)
            footer.offer("review.theirs", bool(page.conflicts))
            footer.offer("review.mine", bool(page.conflicts))
            footer.offer("review.instead", self._has_session_steps())
        self._offer_for_row()

    def _offer_for_row(self) -> None:
        """Offer what can be done to the row under the cursor; the footer is short, and what is asked comes first."""
        for footer in self.query(FooterBar):
            for name in ("review.tick", "review.edit", "review.drop"):
                footer.offer(name, not self._asked and self._step() is not None)

    def usable(self, action_id: str) -> bool:
        """What makes sense now."""
        page = self.page
        match action_id:
            case "app.review" | "list.open":
                return False
            case "review.cancel":
                return page.writing
            case "review.moved":
                return page.moved is not None
            case "review.theirs" | "review.mine":
                return bool(page.conflicts)
            case "review.force" | "review.allow":
                return page.review is not None and bool(page.review.needs)
            case "review.tick" | "review.drop" | "review.edit":
                return self._step() is not None
            case "review.instead":
                return self._has_session_steps()
        return True

    def _has_session_steps(self) -> bool:
        from sftui.views.instead import writes_session

        return any(writes_session(step.operation) for step in self.sftui.drafting.draft.steps)

    # The steps.

    def _step(self) -> int | None:
        """The step that the cursor stands on, or that the line under it speaks of."""
        row = self.lines.row
        if row is None or row[0] not in {"step", "conflict"}:
            return None
        index = int(row[1])
        return index if index < self.sftui.drafting.count else None

    def _chosen(self) -> int | None:
        """The step that the cursor stands on; says where to go without one."""
        index = self._step()
        if index is None:
            self.sftui.say("Put the cursor on a step first")
        return index

    def action_tick(self) -> None:
        """Leave a step out, or take it in again."""
        index = self._chosen()
        if index is not None and not self._is_writing():
            drafting = self.sftui.drafting
            drafting.tick(index, not drafting.draft.steps[index].ticked)

    def on_keyed_lines_moved(self, event: KeyedLines.Moved) -> None:
        """The cursor stands elsewhere."""
        event.stop()
        self._offer_for_row()

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """A click on a box, or two on its line."""
        event.stop()
        row = self.lines.row
        if row is None:
            return
        if row[0] == "step":
            self.action_tick()
        elif row[0] == "needs":
            self._agree(lambda one: one.code == row[1], "This is not asked any more")

    def action_drop(self) -> None:
        """Drop a step."""
        index = self._chosen()
        if index is not None and not self._is_writing():
            self.sftui.drafting.drop(index)

    def action_edit(self) -> None:
        """Edit what a step sets."""
        from sftui.screens.step_editing import edit_step

        index = self._chosen()
        if index is not None and not self._is_writing():
            edit_step(self, index)

    def action_instead(self) -> None:
        """Put what would be written to the session into the cwd scope instead: the step under the cursor, or all."""
        from engine.memory.draft import Draft
        from sftui.views.instead import instead, writes_session

        drafting, states = self.sftui.drafting, self.sftui.live.states
        steps = list(drafting.draft.steps)
        chosen = self._step()
        one = chosen if chosen is not None and writes_session(steps[chosen].operation) else None
        meant = [n for n, step in enumerate(steps) if writes_session(step.operation) and one in {None, n}]
        if not meant or self._is_writing():
            if not meant:
                self.sftui.say("No step writes to the session")
            return
        left = 0
        for index in meant:
            other = instead(steps[index], states)
            if other is None:
                left += 1
            else:
                steps[index] = other
        if left:
            self.sftui.say(
                "A deletion, a move away or an array's element means the session's own memory: it stays there"
            )
        if left < len(meant):
            drafting.set_draft(Draft(tuple(steps)))

    # What has moved.

    def action_moved(self) -> None:
        """Go on from what memory is now."""
        if self._is_writing():
            return
        if not self.reviewing.go_on():
            self.sftui.say("Nothing has moved since this was shown")
            return
        self.lines.begin()
        self._paint()

    def action_theirs(self) -> None:
        """Keep what somebody else has written there: the step leaves that place out, and goes with its last one."""
        from sftui.views.mine_or_theirs import taking_theirs

        self._settle(lambda step, one: taking_theirs(step, one.scope, one.path), drop=True)
        if self.sftui.drafting.draft.is_empty and self.app.screen is self:
            self.sftui.say(
                f"It stays as they have it, and the draft is done: {key_for('app.draft-back')} takes it back"
            )
            self.app.pop_screen()

    def action_mine(self) -> None:
        """Write the draft's value over theirs: what stands there now has been seen."""
        from sftui.views.mine_or_theirs import keeping_mine

        lost = self._settle(lambda step, one: keeping_mine(step, one.scope, one.path, one.now))
        if lost:
            self.sftui.say(
                f"{', '.join(lost)}: the element is not there any more, or not alone; the step is left out",
                warning=True,
            )

    def _settle(self, settled: Callable[[Step, Conflict], Step], *, drop: bool = False) -> list[str]:
        """Settle the place under the cursor, of a step all its places; where there is only one, that.

        Tells the places whose steps are left out now; with `drop` those steps go.
        """
        from engine.memory.draft import Draft

        if self._is_writing():
            return []
        found, row = self.page.conflicts, self.lines.row
        meant = [one for one in found if row is not None and row[:3] == one.key]
        meant = meant or [one for one in found if row is not None and row[:2] == ("step", str(one.step))]
        meant = meant or list(found if len(found) == 1 else ())
        if not meant:
            words = "Put the cursor on one of the places that both have changed"
            self.sftui.say(words if found else "Nobody has changed the same key")
            return []
        steps = list(self.sftui.drafting.draft.steps)
        for one in meant:
            steps[one.step] = settled(steps[one.step], one)
        lost = {one.step: one.where for one in meant if not steps[one.step].ticked}
        left = tuple(step for number, step in enumerate(steps) if not drop or number not in lost)
        self.sftui.drafting.set_draft(Draft(left))
        return list(lost.values())

    # Consents.

    def action_force(self) -> None:
        """Agree to writing to a session whose run is unfinished."""
        self._agree(lambda one: one.option == "--force-session", "No session with an unfinished run would be written")

    def action_allow(self) -> None:
        """Agree to what is asked about."""
        self._agree(lambda one: one.option != "--force-session", "Nothing is asked that this key agrees to")

    def _agree(self, is_meant: Callable[[Obstacle], bool], nothing: str) -> None:
        """Agree once the text is under the cursor: the first press goes there, the second agrees."""
        page = self.page
        needs = [one for one in (page.review.needs if page.review is not None else ()) if is_meant(one)]
        if not needs or page.writing:
            self.sftui.say(nothing)
            return
        row = self.lines.row
        here = next((one for one in needs if row is not None and row[:2] == ("needs", one.code)), None)
        if here is None:
            self.lines.go_to(("needs", needs[0].code))
            self.sftui.say("Read it, then press the key again to agree")
            return
        self.reviewing.agree(here)

    # Writing.

    def _is_writing(self) -> bool:
        if self._applying is not None:
            from sftui.holding import being_applied

            self.sftui.say(being_applied())
        return self._applying is not None

    def action_apply(self) -> None:
        """Write exactly what is shown."""
        if words := self.sftui.refusal("app.review"):
            self.sftui.say(words, warning=True)
            return
        page = self.page
        if page.refusal or page.review is None:
            self._point_out(page)
            return
        self.reviewing.failed = None
        from sftui.applying import Applying

        applying = Applying(self.sftui.drafting, self.sftui.catch_up)
        self.sftui.drafting.begin_applying(applying)
        force = any(one.option == "--force-session" for one in page.review.needs)
        allow = tuple(one.code for one in page.review.needs if one.option != "--force-session")
        # The app's own: what is being written goes on whatever is looked at meanwhile.
        begin(self.sftui, partial(self._apply, applying, page.review.digest, force, allow))
        # There it is said who is waited for.
        self.lines.begin()
        self._paint()

    def _point_out(self, page: Page) -> None:
        """Say why it is not applied, and go there."""
        if page.review is None and page.trouble is not None and page.trouble.code == "dialect-needed":
            from sftui.screens.dialect import ask_for_dialect

            ask_for_dialect(self.sftui)
            return
        self.sftui.say(f"Not applied: {page.refusal}", warning=True)
        if page.conflicts:
            self.lines.go_to(page.conflicts[0].key)
        elif page.moved is not None:
            self.lines.begin()
        elif page.review is not None and page.unanswered and not page.review.blocked:
            self.lines.go_to(("needs", page.unanswered[0].code))

    async def _apply(self, applying: Applying, approved: str, force: bool, allow: tuple[str, ...]) -> None:
        app = self.sftui
        try:
            outcome = await applying.run(approved, force_session=force, allow=allow)
        finally:
            app.drafting.end_applying()
        if isinstance(outcome, Cancelled):
            app.say("Stopped waiting: nothing was written, and the draft is kept")
        elif isinstance(outcome, Moved):
            app.say("Nothing was written: memory has moved since this was shown", warning=True)
            await self._look_again()
        elif isinstance(outcome, EngineError):
            self.reviewing.failed = outcome
            if app.screen is not self:
                app.say(f"Not applied: {outcome.message}; the draft is kept", warning=True)
        else:
            app.say(outcome[:1].upper() + outcome[1:])
            if isinstance(app.screen, ReviewScreen):
                app.pop_screen()
            return
        if self.is_attached:
            self.lines.begin()
            self._paint()

    async def _look_again(self) -> None:
        """What was approved is no longer what would be written: show both sides."""
        try:
            await self.sftui.drafting.dry_run()
        except EngineError:
            return  # said on the page as what cannot be worked out

    def action_cancel(self) -> None:
        """Stop waiting for the lock."""
        if self._applying is None:
            self.sftui.say("Nothing is waited for")
        else:
            self._applying.stop()

    def action_close(self) -> None:
        """Back; while somebody is waited for, stop that first."""
        if self._applying is not None:
            self._applying.stop()
        elif self.app.screen is self:
            self.app.pop_screen()


# Enter applies here and s puts into another scope; where one is already needs no key.
_NOT_HERE = frozenset({"list.open", "app.review", "app.scopes"})
