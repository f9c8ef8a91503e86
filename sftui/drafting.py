"""The app's one home of a person's draft: what is in it, what it would do now, and applying it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection
from functools import partial
from time import time
from typing import TYPE_CHECKING, Final

from rich.text import Text

from engine.errors import EngineError, InvalidRequest, StoreFailure
from engine.memory.collecting import collect, ticking
from engine.memory.dialect import V4
from engine.memory.draft import Draft, Operation, PreImage
from engine.memory.gathering import Drift, States, pre_image
from engine.memory.scope import Scope
from engine.values import KeyPath
from sftui.actions import key_for
from sftui.background import begin
from sftui.holding import EMPTY, Held, Holding, concerned, scopes_of, steps, without
from sftui.outlook import Outlook, is_landing, outlook
from sftui.port import WritePort
from sftui.views.drafts import draft_notices

if TYPE_CHECKING:
    from engine.store.lockstate import LockState
    from engine.store.proposal import Published
    from engine.store.readings import Snapshot
    from sftui.app import SftuiApp
    from sftui.applying import Applying
    from sftui.drafts import Saved
    from sftui.views.notices import Notice
    from sftui.views.picture import Picture
    from sftui.views.staging import Staging


# An app that is left waits so long, in seconds, for a thread that is writing.
LAST_SECONDS: Final = 10.0


class Drafting:
    """Holds the draft of the cohort on screen.

    `preview` is the newest dry run, None while there is nothing to do or while it cannot be worked out: then
    `trouble` says why. `drift` are the pre-images that no longer hold.
    """

    def __init__(self, app: SftuiApp, *, ledger: bool) -> None:
        self._app = app
        self._port = WritePort(readonly=app.readonly, ledger=ledger)
        self._holding = Holding(app)
        self._looking = False
        self._due = False
        self._begun = False
        self._hushed = False
        self._previewed = EMPTY
        self._written: Published | None = None
        self._unfinished: asyncio.Future[Published] | None = None
        self.applying: Applying | None = None
        self.preview: Published | None = None
        self._staging: Staging | None = None
        self.trouble: EngineError | None = None
        self.drift: tuple[Drift, ...] = ()

    # What there is.

    @property
    def draft(self) -> Draft:
        """The draft of the cohort on screen."""
        held = self._holding.here
        return EMPTY if held is None else held.draft

    @property
    def count(self) -> int:
        """How many steps the draft has."""
        return len(self.draft.steps)

    @property
    def length(self) -> str:
        """The same in words."""
        return steps(self.draft)

    @property
    def is_current(self) -> bool:
        """Whether `preview`, `trouble` and `drift` speak of the draft as it is now."""
        return self._previewed is self.draft

    @property
    def staging(self) -> Staging | None:
        """What it would do, laid over memory as it is now; None without a draft, and while an earlier moment is shown."""
        return None if self._app.looks_back else self._staging

    @property
    def hot_delta(self) -> int | None:
        """How many bytes more or fewer a model would be given; None where that is not known."""
        return None if self.staging is None else self.staging.growth.given

    @property
    def is_saved(self) -> bool:
        """Whether the disk holds every draft as it is."""
        return all(held.saving.is_saved for held in self._holding.all)

    @property
    def is_of_session(self) -> bool:
        """Whether the draft changes the session on screen: then that one is not left unasked."""
        return "session" in scopes_of(self.draft)

    @property
    def can_retract(self) -> bool:
        """Whether a change of the draft can be taken back."""
        held = self._holding.here
        return held is not None and bool(held.past)

    @property
    def can_reinstate(self) -> bool:
        """Whether something was taken back."""
        held = self._holding.here
        return held is not None and bool(held.future)

    @property
    def left(self) -> tuple[Saved, ...]:
        """Saved drafts that nobody holds, the one that is taken up next first."""
        return self._holding.left

    def notices(self) -> tuple[Notice, ...]:
        """What there is to know about the draft besides what it would do."""
        held = self._holding.here
        return draft_notices(
            left=[] if self._hushed or self._port.readonly else [self.told(saved) for saved in self.left],
            unsaved="" if held is None else held.saving.trouble,
            trouble=self.trouble,
            drift=self.drift,
            resume_key=key_for("app.draft-resume"),
            drop_key=key_for("app.draft-clear"),
            review_key=key_for("app.review"),
        )

    def hush(self) -> None:
        """Say no more of the drafts that were left behind, until the next start."""
        self._hushed = True
        self._app.catch_up()

    def pre_image(self, scope: Scope, path: KeyPath) -> PreImage:
        """What stands at a path of one scope now."""
        return pre_image(self._app.live.states, scope, path)

    # Changing it.

    def stage(self, *operations: Operation, note: str = "", seen: States | None = None) -> None:
        """Add operations, as one change; `seen` is memory as it was when they were begun.

        Raises InvalidRequest where that would change what is being applied, or where one cannot be carried out among
        the others of its array.
        """
        picture = self._app.live
        states = picture.states if seen is None else seen
        draft = collect(self.draft, operations, states, picture.dialect or V4, note=note)
        if self._holding.here is not None:
            self._holding.here.check(draft)
        self.set_draft(draft)

    def set_draft(self, draft: Draft) -> None:
        """Have another draft instead; what was there before can be had back."""
        if words := self._app.refusal("memory.edit"):
            self._app.say(words, warning=True)
        elif (held := self._holding.here) is None:
            self._app.say("Nothing has been read yet, so nothing can be changed", warning=True)
        else:
            self._try(partial(held.change, draft))

    def _try(self, change: Callable[[], bool]) -> bool:
        """Change the draft, or say that it is being applied; False where there was nothing to do."""
        try:
            done = change()
        except InvalidRequest as refusal:
            self._app.say(refusal.message, warning=True)
            return True
        if done:
            self._changed()
        return done

    def unstage(self, scope: Scope, path: KeyPath) -> int:
        """Drop the steps that touch a row or what is inside, else those that hold it; tell how many."""
        gone = concerned(self.draft, scope, path)
        if gone:
            self.set_draft(Draft(tuple(step for n, step in enumerate(self.draft.steps) if n not in gone)))
        return len(gone)

    def tick(self, index: int, on: bool) -> None:
        """Take a step in, or leave it out; what it cannot stand beside is left out then."""
        draft, out = ticking(self.draft, index, on)
        self.set_draft(draft)
        if out:
            named = ", ".join(str(number + 1) for number in out)
            self._app.say(f"Both change one array: step {named} is left out", warning=True)

    def drop(self, index: int) -> None:
        """Drop one step."""
        self.set_draft(self.draft.without(index))

    def clear(self) -> None:
        """Drop every step; they can be had back, too."""
        self.set_draft(EMPTY)

    def retract(self) -> bool:
        """Take the last change of the draft back; False where there is none."""
        held = self._holding.here
        return held is not None and self._try(held.retract)

    def reinstate(self) -> bool:
        """Do again what was taken back; False where nothing was."""
        held = self._holding.here
        return held is not None and self._try(held.reinstate)

    def _changed(self) -> None:
        if self._app.is_running:
            self._look()
            self._app.catch_up()

    def begin_applying(self, applying: Applying) -> None:
        """The ticked steps are being applied: until that has ended they stay as they are."""
        self.applying = applying
        if self._holding.here is not None:
            self._holding.here.fix()

    def end_applying(self) -> None:
        """It has ended, in whatever way."""
        self.applying = None
        for held in self._holding.all:
            held.fixed = frozenset()

    # What it would do.

    def speak(self, dialect: int) -> None:
        """Say which vocabulary the first memory of a store is written in."""
        self._port.dialect = dialect
        self._look()

    def _look(self) -> None:
        """Work the preview out again, soon; of several reasons to do so the last one counts."""
        self._due = True
        if not self._looking:
            self._looking = True
            begin(self._app, self._keep_looking, "draft")

    async def _keep_looking(self) -> None:
        try:
            while self._due:
                self._due = False
                picture, draft = self._app.live, self.draft
                self._told(draft, await asyncio.to_thread(outlook, self._port, picture, draft))
        finally:
            self._looking = False

    def _told(self, draft: Draft, found: Outlook) -> None:
        """Take in what a draft would do, unless it is another one by now."""
        if draft is not self.draft:
            self._due = True
            return
        self._previewed = draft
        self._show(found)
        self._app.catch_up()

    def _show(self, found: Outlook) -> None:
        # What has been applied is shown as staged until memory is shown with it: no row goes and comes again.
        lands = found.staging is None and is_landing(self._written, self._app.live.snapshot)
        staging = self._staging if lands else found.staging
        self.preview, self._staging, self.trouble, self.drift = found.preview, staging, found.trouble, found.drift

    async def dry_run(self) -> Published:
        """What the draft would do, worked out now; raises EngineError."""
        self._read()
        draft = self.draft
        found = await asyncio.to_thread(outlook, self._port, self._app.live, draft)
        self._told(draft, found)
        if found.preview is None:
            raise found.trouble or InvalidRequest("empty-draft", "the draft is empty")
        return found.preview

    async def publish(
        self,
        approved: str,
        *,
        force_session: bool = False,
        allow: Collection[str] = (),
        on_wait: Callable[[LockState], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Published:
        """Write exactly what was approved; raises EngineError, and then the draft is kept.

        `on_wait` is called here, between other events, while somebody else holds the lock; `cancel` ends the waiting.
        Afterwards the draft holds only what was not ticked.
        """
        snapshot, held = self._read()
        draft, address = held.draft, held.address
        applied = {id(step) for step in draft.steps if step.ticked}
        stop = threading.Event() if cancel is None else cancel
        loop = asyncio.get_running_loop()

        def waiting(state: LockState) -> None:
            if on_wait is not None:
                loop.call_soon_threadsafe(on_wait, state)

        def done(_: Published) -> None:
            # At once, not when the interface hears of it: that may be closed by then.
            held.saving.want(address, without(applied, held.draft))
            try:
                held.saving.write()
            except OSError:
                pass  # what is left of the draft is tried again below

        async def applying() -> Published:
            published = await asyncio.to_thread(
                self._port.publish, snapshot, draft, approved, force_session=force_session, allow=allow,
                on_wait=waiting, cancel=stop, done=done,
            )  # fmt: skip
            held.end(without(applied, held.draft))
            self._app.curation.add(address, published)
            self._written = published
            self._changed()
            return published

        task = asyncio.ensure_future(applying())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # A thread cannot be stopped: it gives up waiting, or ends what it has begun.
            stop.set()
            self._unfinished = task
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            raise
        except OSError as error:
            raise StoreFailure("not-written", f"the store cannot be written: {error.strerror or error}") from error

    def _read(self) -> tuple[Snapshot, Held]:
        snapshot, held = self._app.live.snapshot, self._holding.here
        if snapshot is None or held is None:
            raise InvalidRequest("not-read", "nothing has been read yet")
        return snapshot, held

    # The cohort on screen, and what was left behind.

    def fresh(self, picture: Picture) -> None:
        """Another picture is there, maybe of another cohort."""
        snapshot = picture.snapshot
        if snapshot is None:
            return
        if self._holding.go_to(snapshot.address):
            self._written = None
            self._show(Outlook())
            self._previewed = EMPTY
        elif self._written is not None and not is_landing(self._written, self._app.live.snapshot):
            self._written = None
            if self.draft.is_empty:
                self._show(Outlook())
        if not self._begun:
            self._begun = True
            self.offer()
        if not self.draft.is_empty:
            self._look()

    def offer(self) -> None:
        """See whether a draft was left behind."""
        self._hushed = False
        begin(self._app, self._offer, "drafts-left", exclusive=True)

    async def _offer(self) -> None:
        snapshot, _ = self._read()
        await self._holding.look(snapshot.address)
        self._app.catch_up()

    async def resume(self) -> None:
        """Go on with a draft that was left behind."""
        snapshot, _ = self._read()
        await self._holding.take_up(snapshot.address)
        self._look()
        self._app.catch_up()

    async def forget(self, saved: Saved) -> None:
        """Drop a draft that was left behind."""
        snapshot, _ = self._read()
        await self._holding.forget(snapshot.address, saved.name)
        self._app.catch_up()

    def told(self, saved: Saved) -> str:
        """A draft that was left behind, in words."""
        return self._holding.told(saved, time())

    async def keep(self) -> Text | None:
        """Save what is not saved yet; give what to say about it when the app closes."""
        return await self._holding.keep()

    async def close(self) -> None:
        """Let go of the files: what they hold is offered again. What is being written is ended first."""
        if self._unfinished is not None:
            await asyncio.wait({self._unfinished}, timeout=LAST_SECONDS)
        await self._holding.close()
