"""Screen 6: what is wrong first, then what could be cleaned, each with its reason and its fix as a proposal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from engine.errors import InvalidRequest
from engine.records import replace
from sftui.actions import bindings, key_for
from sftui.background import begin
from sftui.display import clean
from sftui.screens.detailed import DetailedScreen
from sftui.widgets.bars import FooterBar, NoticeBar, Rule
from sftui.widgets.finding_list import FindingList, RowKey
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from engine.health.findings import Finding
    from sftui.examining import Examined, Examiner
    from sftui.views.findings import Findings, Item
    from sftui.views.ignoring import Settings
    from sftui.views.notices import Elsewhere
    from sftui.views.picture import Picture
    from sftui.views.spans import Spans


class HealthScreen(DetailedScreen):
    """The list of findings. Nothing is applied by itself: a fix goes into the draft, and only when it is asked for."""

    BINDINGS: ClassVar = bindings("health")
    AUTO_FOCUS = "#findings"
    places = ("list", "health")

    def __init__(self) -> None:
        super().__init__()
        self._examiner: Examiner | None = None
        self._examined: Examined | None = None
        self._found: Findings | None = None
        self._looking = False
        self._again = False
        self._every = False
        self._complained = ""
        self._told_of: RowKey | None = None
        # What was set since the look that is under way began.
        self._settings: Settings | None = None

    def compose(self) -> ComposeResult:
        """Header, rows, details, footer."""
        yield from self.with_details("health", FindingList(id="findings"))

    async def on_mount(self) -> None:
        """Show the frame before anything has been looked through."""
        self.query_one("#side-rule", Rule).say((("details", "strong"),))
        self.rows.replace([], empty=[((" looking through the memory…", "muted"),)])

    # Showing.

    @property
    def rows(self) -> FindingList:
        """The list."""
        return self.query_one("#findings", FindingList)

    @property
    def found(self) -> Findings | None:
        """What is shown; None until it has been looked through."""
        return self._found

    def show(self, picture: Picture) -> None:
        """Show at once what is wrong, and look for the rest beside the interface."""
        super().show(picture)
        self.query_one(NoticeBar).show(self.sftui.drafting.notices())
        self._show_rows()
        if not self._looking:
            self._looking = True
            begin(self, self._look, "health")

    def on_screen_resume(self) -> None:
        """What memory names on the disk may have changed meanwhile."""
        self._again = True

    async def _look(self) -> None:
        """Look at the newest picture until there is none newer."""
        from sftui.examining import Examiner
        from sftui.screens.owning import is_same

        self._examiner = self._examiner or Examiner()
        try:
            while self.is_attached and self.sftui.has_picture:
                picture, known = self.sftui.picture, self._examined
                if not self._again and known is not None and is_same(known.picture, picture):
                    break
                self._again, self._settings = False, None
                self._take(await self._examiner.look(picture))
        finally:
            self._looking = False

    def _take(self, examined: Examined) -> None:
        if self._settings is not None:
            examined = replace(examined, settings=self._settings)
        self._examined, self._found = examined, examined.found
        problem = examined.settings.problem
        if problem and problem != self._complained:
            self.sftui.say(f"Nothing is ignored, and thresholds are the usual ones: {problem}", warning=True)
        self._complained = problem
        self._show_rows()

    def _show_rows(self) -> None:
        from sftui.views.findings import Findings
        from sftui.views.health import title, unread_line, wrongs

        if not self.is_mounted:
            return
        wrong = wrongs(self.sftui.picture, self._elsewhere())
        found = self._found
        shown = () if found is None else found.items if self._every else found.counted
        items: dict[RowKey, Item] = {("finding", *item.finding.key): item for item in shown}
        empty: Spans = ((" Nothing is wrong, and nothing to be cleaned was found.", "text"),)
        if found is None:
            empty = ((" looking through the memory…", "muted"),)
        self.rows.show(wrong, found or Findings(), items, self._sign, empty)
        left, right = title(list(wrong.values()), found, len(self.rows.marks))
        self.query_one("#findings-rule", Rule).say(left, right or (() if found is None else unread_line(found)))
        self._show_details()

    def _elsewhere(self) -> list[Elsewhere]:
        from sftui.views.notices import Elsewhere, doctor_command
        from sftui.views.scopes import ScopeSource, cwd_of, session_of

        app = self.sftui
        survey = app.neighbours.survey
        names = ScopeSource(survey, (), pinned=False, home=app.home)
        owners = {place.key: place.owner for place in survey.cwds}
        elsewhere: list[Elsewhere] = []
        for path in app.neighbours.fences:
            key = cwd_of(path)
            name = names.name(path)
            if session_of(path) is not None and key is not None:
                name = f"{names.name(path[:-1])} ▸ {name}"
            owner = owners.get(key or "")
            command = doctor_command(survey.root, owner, session_of(path)) if owner else ""
            elsewhere.append(Elsewhere(name, survey.peeks[path].faults, command))
        return elsewhere

    def _sign(self, item: Item) -> str:
        """What the draft does to the place of a finding."""
        staging = self.sftui.drafting.staging
        over = None if staging is None else staging.overlaid.get(item.finding.scope)
        return "" if over is None or not item.finding.path else over.sign(item.finding.path)

    def _show_details(self) -> None:
        from sftui.views.findings import finding_lines

        told: Spans = (("details", "strong"),)
        lines: list[Spans] = []
        item, key = self.rows.item(), self.rows.cursor_key
        wrong = None if key is None else self.rows.wrong.get(key)
        if item is not None and self._found is not None:
            told = ((self._found.veiled(item.finding.place), "strong"),)
            lines = list(finding_lines(self._found, item))
        elif wrong is not None:
            told = ((wrong.notice.title, "strong"),)
            lines = wrong.lines()
        # What comes anew for the same row leaves the reader where they are.
        top, self._told_of = key != self._told_of, key
        self.tell(told, lines, top=top)

    def on_keyed_lines_moved(self, event: KeyedLines.Moved) -> None:
        """Tell about the row that the cursor stands on now."""
        event.stop()
        self._show_details()

    def usable(self, action_id: str) -> bool:
        """What needs a finding, or marks, is of no use without."""
        if not self.is_mounted or action_id == "app.health":
            return False
        if action_id == "health.unmark":
            return bool(self.rows.marks)
        item = self.rows.item()
        if action_id == "health.accept":
            return bool(self.rows.marks) or (item is not None and bool(item.finding.fix))
        if action_id in {"health.mark", "health.mark-all", "health.suppress"}:
            return item is not None
        if action_id == "health.suppressed":
            return self._every or (self._found is not None and bool(self._found.ignored))
        if action_id == "health.copy-path":
            return item is not None
        return True

    # Going somewhere.

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Go to the place in the memory."""
        event.stop()
        item = self.rows.item()
        if item is not None and item.finding.path:
            self.sftui.open_path(item.finding.scope, item.finding.path)
        elif item is not None:
            self.sftui.say(f"That memory is not open here: {key_for('app.scopes')} lists the scopes")

    def action_copy_path(self) -> None:
        """Copy the path of the finding, and print it."""
        from sftui.clipboard import copy_path, copy_text

        item = self.rows.item()
        if item is None:
            self.sftui.say("There is no finding here")
        elif item.finding.path:
            copy_path(self.sftui, item.finding.scope, item.finding.path)
        else:
            copy_text(self.sftui, item.finding.detail, "The directory", clean(item.finding.detail))

    # Marks.

    def action_mark(self) -> None:
        """Mark the finding, or no longer, and go on to the next one."""
        rows = self.rows
        key = rows.cursor_key
        if key is None or key not in rows.items:
            self.sftui.say("Only findings can be marked")
            return
        rows.marks ^= {key}
        rows.move_to(rows.cursor + 1)
        self._show_rows()

    def action_mark_all(self) -> None:
        """Mark every finding of this kind, or all of them no longer where they are."""
        rows, item = self.rows, self.rows.item()
        if item is None:
            self.sftui.say("Only findings can be marked")
            return
        alike = {key for key, one in rows.items.items() if one.finding.code == item.finding.code}
        rows.marks = rows.marks - alike if alike <= rows.marks else rows.marks | alike
        self._show_rows()

    def action_unmark(self) -> None:
        """Take all marks off."""
        self.rows.marks = set()
        self._show_rows()

    # Fixes.

    async def action_accept(self) -> None:
        """Put the fixes of the marked findings, or of the one under the cursor, into the draft."""
        rows = self.rows
        item = rows.item()
        chosen = [one.finding for key, one in rows.items.items() if key in rows.marks]
        if not chosen and item is not None:
            chosen = [item.finding]
        if not chosen or self._examined is None:
            self.sftui.say("There is no finding here")
            return
        examined = self._examined
        session = [one for one in chosen if one.fix and one.scope == "session"]
        if not session or self.sftui.drafting.is_of_session:
            self._stage(examined, chosen)
            return
        from sftui.screens.choice import Answer, ChoiceScreen
        from sftui.views.targets import may_touch_session

        what = f"{len(session)} findings" if len(session) > 1 else clean(session[0].place)
        question = may_touch_session(self.sftui.picture, f"fix {what}", "change")
        answers = [Answer(key, title, remark) for key, title, remark in question.offers]

        def answered(key: str | None) -> None:
            if key is not None:
                self._stage(examined, chosen if key == "2" else [one for one in chosen if one not in session])

        # Waited for: the answer may have been typed already.
        await self.app.push_screen(ChoiceScreen(question.title, answers, question.about), answered)

    def _stage(self, examined: Examined, chosen: list[Finding]) -> None:
        from engine.health.findings import TITLES
        from sftui.views.fixing import fixes

        drafting, app = self.sftui.drafting, self.sftui
        there = None if app.picture.snapshot is None else app.picture.snapshot.address
        meant = None if examined.picture.snapshot is None else examined.picture.snapshot.address
        if there != meant:
            app.say("Other memory is open by now: nothing was done", warning=True)
            return
        made = fixes(chosen, drafting.draft)
        if made.operations:
            titles = dict.fromkeys(TITLES[one.code] for one in made.taken)
            try:
                drafting.stage(*made.operations, note=f"fix: {', '.join(titles)}", seen=examined.picture.states)
            except InvalidRequest as refusal:
                app.say(f"{refusal.message[:1].upper()}{refusal.message[1:]}", warning=True)
                return
            self.rows.marks = set()
        said: list[str] = []
        if made.taken:
            said.append(f"The draft fixes {len(made.taken)} finding{'' if len(made.taken) == 1 else 's'}")
        for left, why in (
            (made.staged, "about what the draft changes already"),
            (made.clashing, "changing what another one changes"),
            (made.unfixed, "without a fix"),
        ):
            said += [f"{len(left)} left out, {why}"] if left else []
        app.say("; ".join(said), warning=not made.taken)
        self._show_rows()

    # Ignoring.

    async def action_suppress(self) -> None:
        """Say no more of this finding, after a question that says where that is kept."""
        from engine.health.findings import TITLES
        from sftui.screens.choice import Answer, ChoiceScreen

        item, examined = self.rows.item(), self._examined
        if item is None or examined is None:
            self.sftui.say("There is no finding here")
            return
        path = clean(examined.settings.path)
        if item.ignored is not None:
            line = f" line {item.ignored.line}" if item.ignored.line else ""
            self.sftui.say(f"It is ignored already: {path}{line} says so, and can be changed there")
            return
        finding, found = item.finding, examined.found
        place = found.veiled(finding.place)
        if found.masks(finding.place) != finding.place:
            self.sftui.say("Its path holds what looks like a secret, which is not written down anywhere", warning=True)
            return
        answers = (
            Answer("1", "leave it as it is"),
            Answer("2", "ignore this", f"{TITLES[finding.code]}, here and below"),
            Answer("3", "ignore every finding", "here and below"),
        )
        about: list[Spans] = [
            (("It is kept in ", "text"), (path, "strong"), (f", for this memory; {key_for('health.suppressed')} shows what is ignored.", "text")),
        ]  # fmt: skip

        def answered(key: str | None) -> None:
            if key in {"2", "3"}:
                begin(self, partial(self._ignore, examined, finding, every=key == "3"), "ignore")

        await self.app.push_screen(ChoiceScreen(f"ignore {place}", answers, about), answered)

    async def _ignore(self, examined: Examined, finding: Finding, *, every: bool) -> None:
        from sftui.examining import ignore

        try:
            settings = await ignore(examined, finding, every=every)
        except InvalidRequest as refusal:
            self.sftui.say(f"It was not ignored: {refusal.message}", warning=True)
            return
        except OSError as error:
            self.sftui.say(f"It was not ignored: {error.strerror or error}", warning=True)
            return
        # A look that is under way has read them as they were before.
        self._settings = settings
        if self._examined is not None:
            self._take(self._examined)
        self.sftui.say(f"Ignored; {key_for('health.suppressed')} shows it")

    def action_suppressed(self) -> None:
        """Show what is ignored as well, or no longer."""
        self._every = not self._every
        self.query_one(FooterBar).rename("health.suppressed", "hide ignored" if self._every else "show ignored")
        self._show_rows()
        if self._every and self._found is not None and not self._found.ignored:
            self.sftui.say("Nothing is ignored")

    def fit(self, width: int) -> None:
        """Lay the rows out anew."""
        del width
        if self.sftui.has_picture:
            self._show_rows()
