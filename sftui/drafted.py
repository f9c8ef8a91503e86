"""The app with a draft and a ledger: what a person can do with a draft as a whole, wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sftui.shell import Shell

if TYPE_CHECKING:
    from rich.text import Text
    from textual.driver import Driver

    from engine.ledger.folds import Folds
    from sftui.app import SftuiApp
    from sftui.drafting import Drafting
    from sftui.script import Curation
    from sftui.undoing import Undoing


class Drafted(Shell, inherit_bindings=False):
    """Has a draft, loaded when it is first asked for. `ledger`: what is applied is recorded."""

    def __init__(
        self, *, ascii_signs: bool, readonly: bool, ledger: bool, driver_class: type[Driver] | None = None
    ) -> None:
        super().__init__(ascii_signs=ascii_signs, readonly=readonly, driver_class=driver_class)
        self.with_ledger = ledger
        self._drafting: Drafting | None = None
        self._undoing: Undoing | None = None
        self._curation: Curation | None = None
        self._folds: Folds | None = None

    @property
    def _itself(self) -> SftuiApp:
        return cast("SftuiApp", self)

    @property
    def has_draft(self) -> bool:
        """Whether the draft was asked for yet."""
        return self._drafting is not None

    @property
    def drafting(self) -> Drafting:
        """The draft; the engine's part of it is loaded when it is first asked for."""
        if self._drafting is None:
            from sftui.drafting import Drafting

            self._drafting = Drafting(self._itself, ledger=self.with_ledger)
        return self._drafting

    @property
    def undoing(self) -> Undoing:
        """What puts inverses of changes into the draft, made when it is first needed."""
        if self._undoing is None:
            from sftui.undoing import Undoing

            self._undoing = Undoing(self._itself, ledger=self.with_ledger)
        return self._undoing

    @property
    def curation(self) -> Curation:
        """What was applied in this window."""
        if self._curation is None:
            from sftui.script import Curation

            self._curation = Curation()
        return self._curation

    @property
    def folds(self) -> Folds:
        """What the ledger of the store comes to, for whoever asks it: in threads."""
        if self._folds is None:
            from engine.ledger.folds import Folds

            snapshot = self._itself.live.snapshot
            self._folds = Folds.open(
                self._itself.store if snapshot is None else snapshot.address.root, self.with_ledger
            )
        return self._folds

    async def on_unmount(self) -> None:
        """Let go of the draft's file: the draft is offered again."""
        if self._drafting is not None:
            await self._drafting.close()

    async def action_review(self) -> None:
        """Review the draft."""
        from sftui.screens.review import ReviewScreen

        if self._undoing is not None:
            await self._undoing.settled()
        if self.drafting.draft.is_empty:
            self.say("There is nothing to review: the draft is empty")
        else:
            self.push_screen(ReviewScreen())

    def action_draft_back(self) -> None:
        """Take the last change of the draft back."""
        if not self.drafting.retract():
            self.say("There is no change of the draft to take back")

    def action_draft_again(self) -> None:
        """Do again what was taken back."""
        if not self.drafting.reinstate():
            self.say("Nothing was taken back")

    async def action_draft_resume(self) -> None:
        """Go on with a draft that was left behind."""
        if self._itself.picture.snapshot is None:
            self.say("Nothing has been read yet: a draft that was left behind is offered once it has")
            return
        await self.drafting.resume()

    def action_draft_clear(self) -> None:
        """Drop the whole draft, or one that was left behind, after a question."""
        from sftui.screens.dropping import ask

        ask(self._itself)

    def action_script(self) -> None:
        """Save what was applied in this window as a script."""
        from sftui.scripting import ask

        ask(self._itself)

    async def keep_draft(self) -> Text | None:
        """Keep what there is of the draft, and say where; None where there is nothing to keep."""
        return None if self._drafting is None else await self._drafting.keep()
