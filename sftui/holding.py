"""The drafts that this app holds: one for the cohort on screen, others that wait for theirs, and those left behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from rich.text import Text

from engine.errors import InvalidRequest
from engine.memory.draft import Draft, Raw
from engine.memory.gathering import array_of, meeting, places
from engine.memory.scope import SCOPES, Scope
from engine.store.layout import Address
from engine.values import KeyPath, dotted
from sftui.actions import key_for
from sftui.background import begin
from sftui.display import clean
from sftui.saving import Saving
from sftui.times import day
from sftui.views.drafts import count_of

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.drafts import DraftFile, Saved

EMPTY: Final = Draft()
# So many changes of a draft can be taken back.
KEPT_CHANGES: Final = 200


class Held:
    """A draft, the cohort that it is for, and what can be taken back and done again."""

    def __init__(self, address: Address, saving: Saving, draft: Draft = EMPTY) -> None:
        self.address, self.saving, self.draft = address, saving, draft
        self.past: list[Draft] = []
        self.future: list[Draft] = []
        # The steps that are being applied, by their identity: no change may lose one.
        self.fixed: frozenset[int] = frozenset()

    def fix(self) -> None:
        """The ticked steps are being applied."""
        self.fixed = frozenset(id(step) for step in self.draft.steps if step.ticked)

    def check(self, draft: Draft) -> None:
        """Raises InvalidRequest where this draft lacks a step that is being applied."""
        if not self.fixed <= {id(step) for step in draft.steps}:
            raise InvalidRequest("being-applied", being_applied())

    def put(self, draft: Draft) -> None:
        """Have another draft instead, and save it."""
        self.draft = draft
        self.saving.keep(self.address, draft)

    def end(self, draft: Draft) -> None:
        """Go on with what is left of it once the rest has been applied: that cannot be taken back."""
        self.past.clear()
        self.future.clear()
        self.put(draft)

    def change(self, draft: Draft) -> bool:
        """Have another draft instead, which can be taken back; tells whether it is another one.

        Raises InvalidRequest, as taking back does, where a step would be lost that is being applied.
        """
        if draft == self.draft:
            return False
        self.check(draft)
        self.past.append(self.draft)
        del self.past[:-KEPT_CHANGES]
        self.future.clear()
        self.put(draft)
        return True

    def retract(self) -> bool:
        """Take the last change back, if there is one."""
        return self._step(self.past, self.future)

    def reinstate(self) -> bool:
        """Do again what was taken back, if anything was."""
        return self._step(self.future, self.past)

    def _step(self, there: list[Draft], here: list[Draft]) -> bool:
        if not there:
            return False
        self.check(there[-1])
        here.append(self.draft)
        self.put(there.pop())
        return True

    def move(self, address: Address) -> None:
        """Go on beside another cohort, where the draft fits; what does not fit there cannot be taken back any more."""
        self.past = [draft for draft in self.past if fits(draft, self.address, address)]
        self.future = [draft for draft in self.future if fits(draft, self.address, address)]
        self.address = address


class Holding:
    """Whose turn it is. `here` is the draft of the cohort on screen, `left` are saved drafts that nobody holds."""

    def __init__(self, app: SftuiApp) -> None:
        self._app = app
        self.here: Held | None = None
        self._aside: list[Held] = []
        self.left: tuple[Saved, ...] = ()

    @property
    def all(self) -> tuple[Held, ...]:
        """Every draft that is held, the one on screen last."""
        return (*self._aside, *(() if self.here is None else (self.here,)))

    def go_to(self, address: Address) -> bool:
        """Another cohort is on screen: take along what means the same there, leave the rest waiting.

        Tells whether the draft is another one now.
        """
        held = self.here
        if held is not None and held.address == address:
            return False
        if held is not None and fits(held.draft, held.address, address) and not self._waiting(address):
            held.move(address)
            return False
        if held is not None and not held.draft.is_empty:
            self._aside.append(held)
            self._app.say(f"The draft of {steps(held.draft)} waits where it was begun")
        found = self._waiting(address)
        if found is None:
            self.here = Held(address, self._saving())
            return True
        self._aside.remove(found)
        found.move(address)
        self.here = found
        self._app.say(f"Here is the draft of {steps(found.draft)}")
        return True

    def _waiting(self, address: Address) -> Held | None:
        return next((held for held in self._aside if fits(held.draft, held.address, address)), None)

    def _saving(self, file: DraftFile | None = None) -> Saving:
        return Saving(
            self._tell,
            lambda work: begin(self._app, work, "draft-save"),
            file,
        )

    def _tell(self, words: str, warning: bool) -> None:
        self._app.say(words, warning=warning)
        self._app.catch_up()

    # Drafts that were left behind.

    async def look(self, here: Address) -> None:
        """See what nobody holds; none is applied by itself. That of this cohort comes first, then the newest."""
        from sftui import leftover
        from sftui.drafts import Drafts

        await leftover.look(self._app, here)
        try:
            found = await asyncio.to_thread(Drafts(here.root).orphans)
        except OSError as error:
            self._app.say(f"Earlier drafts cannot be looked for: {error.strerror or error}", warning=True)
            return
        for saved in found:
            if saved.draft is None:
                self._app.say(f"A draft that was left behind cannot be read, and stays: {saved.problem}", warning=True)
        readable = [saved for saved in found if saved.draft is not None]
        self.left = tuple(sorted(readable, key=lambda saved: saved.address != here))

    def told(self, saved: Saved, now: float) -> str:
        """How many steps a draft has, when it was saved and, if it is for other memory, for which."""
        draft, made, held = saved.draft or EMPTY, saved.address, self.here
        when = day(saved.at, now)
        if made is not None and held is not None and not fits(draft, made, held.address):
            same = made.key == held.address.key
            when += ", for another session" if same else f", for {made.cwd or made.key or 'global memory'}"
        return f"{steps(draft)}, {clean(when)}"

    async def take_up(self, here: Address) -> None:
        """Go on with the first draft that was left behind; where it means other memory, that is opened."""
        from sftui.drafts import Drafts

        if not self.left:
            await self.look(here)  # asked for before the first look was over, or left by another window since
        if not self.left:
            self._app.say("No draft was left behind")
            return
        first = self.left[0]
        shared = self._shared(first)
        if shared:
            self._app.say(
                f"Not joined: this draft and the one that was left behind both change {shared}; "
                "apply or drop this one first, the other stays offered",
                warning=True,
            )
            return
        self.left = self.left[1:]
        try:
            claimed = await asyncio.to_thread(Drafts(here.root).claim, first.name)
        except OSError as error:
            self.left = (first, *self.left)
            self._app.say(f"The draft cannot be taken up: {error.strerror or error}", warning=True)
            return
        held = self.here
        if claimed is None or claimed[1].address is None or claimed[1].draft is None or held is None:
            self._app.say("That draft is gone, or somebody else has taken it up")
            return
        file, address, draft = claimed[0], claimed[1].address, claimed[1].draft
        if not fits(draft, address, held.address):
            self._aside.append(Held(address, self._saving(file), draft))
            self._app.open_address(address)
        elif held.draft.is_empty:
            self.here = Held(held.address, self._saving(file), draft)
            self._app.say(f"Here is the draft of {steps(draft)}")
        else:
            # Both mean the same memory: one draft, which is saved before the file of the other goes.
            already = steps(held.draft)
            held.change(Draft((*held.draft.steps, *draft.steps)))
            ways = f"{key_for('app.draft-back')} takes what it added out again"
            self._app.say(f"The draft that was left behind, {steps(draft)}, now follows the {already} here; {ways}")
            await asyncio.to_thread(file.discard if await held.saving.flush() else file.release)

    def _shared(self, saved: Saved) -> str:
        """What a saved draft changes that the one on screen changes as well: each was made without the other."""
        held, made = self.here, saved.address
        if held is None or saved.draft is None or made is None or not fits(saved.draft, made, held.address):
            return ""
        place = meeting(held.draft, saved.draft)
        if place is None:
            return ""
        scope, path = place
        return clean(dotted(scope, array_of(path) or path))

    async def forget(self, here: Address, name: str) -> None:
        """Drop a draft that was left behind, for good; what somebody else has taken up meanwhile stays theirs."""
        from sftui.drafts import Drafts

        try:
            claimed = await asyncio.to_thread(Drafts(here.root).claim, name)
            if claimed is not None:
                await asyncio.to_thread(claimed[0].discard)
        except OSError as error:
            self._app.say(f"The draft cannot be dropped: {error.strerror or error}", warning=True)
            return
        self.left = tuple(saved for saved in self.left if saved.name != name)
        gone = "That draft is gone, or somebody else has taken it up"
        self._app.say(gone if claimed is None else "The draft that was left behind is dropped")

    # Leaving.

    async def keep(self) -> Text | None:
        """Save what is not saved yet; give what to say about it when the app closes."""
        held = [one for one in self.all if not one.draft.is_empty]
        for one in held:
            await one.saving.flush()
        told: list[str] = []
        if held:
            told.append(f"a draft of {count_of(sum(len(one.draft.steps) for one in held))} is kept")
        if self.left:
            waiting = (
                "a draft that was left behind is"
                if len(self.left) == 1
                else f"{len(self.left):,} drafts that were left behind are"
            )
            told.append(f"{waiting} {'' if held else 'still '}kept")
        if not told:
            return None
        again = "they are" if len(told) > 1 or (len(self.left) > 1 and not held) else "it is"
        return Text(f"sftui: {' and '.join(told)}; {again} offered again when this store is opened")

    async def close(self) -> None:
        """Let go of the files."""
        for held in self.all:
            await held.saving.flush()
            held.saving.release()


def scopes_of(draft: Draft) -> frozenset[Scope]:
    """The scopes that a draft touches."""
    found: set[Scope] = set()
    for step in draft.steps:
        found.update(scope for scope, _ in places(step.operation))
        if isinstance(step.operation, Raw):
            found.update(scope for scope in SCOPES if scope in step.operation.patch)
    return frozenset(found)


def fits(draft: Draft, made: Address, now: Address) -> bool:
    """Whether all that a draft touches is the same memory in another cohort. An empty draft fits everywhere."""
    scopes = scopes_of(draft)
    if made.root != now.root or not scopes <= set(now.scopes) or not scopes <= set(made.scopes):
        return False
    return all(made.scope_address(scope) == now.scope_address(scope) for scope in scopes)


def without(applied: set[int], draft: Draft) -> Draft:
    """What is left of a draft once some of its steps, named by their identity, have been applied."""
    return Draft(tuple(step for step in draft.steps if id(step) not in applied))


def being_applied() -> str:
    """Say why a draft cannot be changed now, and what ends that."""
    review, stop = key_for("app.review"), key_for("review.cancel")
    return f"It is being applied: {stop} in the review ({review}) stops the waiting"


def steps(draft: Draft) -> str:
    """Say how long a draft is."""
    return count_of(len(draft.steps))


def concerned(draft: Draft, scope: Scope, path: KeyPath) -> set[int]:
    """The steps that touch a row or what is inside, else those that hold it."""
    touched = [[place for of, place in places(step.operation) if of == scope] for step in draft.steps]
    within = {n for n, there in enumerate(touched) if any(place[: len(path)] == path for place in there)}
    return within or {n for n, there in enumerate(touched) if any(path[: len(place)] == place for place in there)}
