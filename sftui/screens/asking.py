"""How a screen asks a person: a line to type, a choice, a window, an editor. What was typed is never lost."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from engine.errors import EngineError
from engine.records import dataclass, replace
from sftui.background import begin
from sftui.display import clean
from sftui.kept import Kept
from sftui.views.targets import Question
from sftui.views.typed import CHANGED, WINDOW_CHARACTERS, Text, blame

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.edits import Edit
    from sftui.screens.base import LiveScreen
    from sftui.widgets.prompt import Prompt

Take = Callable[[str], None]

# The code of a refusal where what was meant is gone: another try with the same text cannot succeed.
MOVED: Final = "moved"


@dataclass(frozen=True, slots=True)
class _Line:
    """What is typed: for what, and the text that it began with; whether that is one that was kept or refused before."""

    purpose: str
    title: str
    hint: str
    text: str
    take: Take
    is_kept: bool = False
    is_refused: bool = False


class Asking:
    """Asks on behalf of a screen, and goes on with the answer."""

    # Whether what was kept is used as it would have been when it was written.
    keeps_takes: ClassVar[bool] = True

    def __init__(self, screen: LiveScreen) -> None:
        self.screen = screen
        self._line: _Line | None = None
        self._moved: tuple[str, Callable[[], bool]] | None = None
        # The line that was answered last, until something has come of it.
        self._answered: tuple[str, str, Take] | None = None
        # Which memory is meant: what was written about one is not offered for another.
        self.about: Hashable = None

    @property
    def app(self) -> SftuiApp:
        """The app."""
        return self.screen.sftui

    def do(self, act: Callable[[], object]) -> None:
        """Do what may be refused; then that is said."""
        try:
            act()
        except EngineError as error:
            self.app.say(blame(error), warning=True)

    # Kept texts.

    def leave(self, title: str, text: str, take: Take | None = None) -> None:
        """Keep what was written and not used: it is offered when the same is asked again.

        With `take` it is then used as it would have been: in view of the value that it was begun on.
        """
        self._keep(title, text, take)
        self.app.say("What was written is kept: the same key brings it back")

    def _keep(self, title: str, text: str, take: Take | None = None, file: Edit | None = None) -> None:
        known = self.kept(title)
        if file is None and known is not None and known.file is not None:
            file = known.file
            try:
                file.write(text.encode())
            except OSError:
                pass  # it is kept here, and the file has what the editor saved
        self.app.kept.keep(self.about, title, Kept(text, take if self.keeps_takes else None, file))

    def kept(self, title: str) -> Kept | None:
        """Give what was written before, if anything."""
        return self.app.kept.get(self.about, title)

    def left_behind(self, title: str) -> str | None:
        """Give the text of that."""
        kept = self.kept(title)
        return None if kept is None else kept.text

    def forget(self, title: str) -> None:
        """It has been used."""
        self.app.kept.used(self.about, title)

    def _came_to_nothing(self) -> None:
        """A question behind a line was not answered: what was typed there is kept."""
        if self._answered is not None:
            (title, text, take), self._answered = self._answered, None
            self.leave(title, text, take)

    def came_of_it(self) -> None:
        """Something has been made of what was typed."""
        self._answered = None

    # A line.

    def line(
        self,
        purpose: str,
        title: str,
        hint: str,
        text: str,
        take: Take,
        *,
        at: int | None = None,
        moved: Callable[[], bool] | None = None,
    ) -> None:
        """Let a line be typed, from `at` on.

        `take` is given it, and raises EngineError where it cannot be used: then it is asked again, with the text, at
        the place of the error. `moved` tells whether it has become something else underneath.
        """
        kept, told = self.kept(title), title
        if kept is not None and "\n" not in kept.text:
            text, take, told = kept.text, kept.take or take, f"{title} · as you left it"
        self._begin(_Line(purpose, title, hint, text, take, is_kept=told != title), told, at, moved)

    def _begin(self, line: _Line, told: str, at: int | None, moved: Callable[[], bool] | None) -> None:
        self._line = line
        self._moved = None if moved is None else (line.title, moved)
        self.screen.ask(line.purpose, line.hint, line.text, title=told, at=at)

    def catch_up(self) -> None:
        """Say of the line that is being typed whether its value has become another one underneath."""
        if self._line is not None and self._moved is not None and self._moved[1]():
            self.screen.retitle(f"{self._moved[0]} · {CHANGED}")
            self._moved = None

    def answered(self, event: Prompt.Answered) -> bool:
        """Take in what has been typed; False if it was not asked for here."""
        line = self._line
        if line is None or event.purpose != line.purpose:
            return False
        if event.final:
            self._line, self._answered = None, (line.title, event.text, line.take)
            if line.is_refused:
                # What was said of it is no longer so, or is said again.
                self.app.manners.dismiss()
            try:
                line.take(event.text)
            except EngineError as error:
                self._answered = None
                self._refused(line, event.text, error)
            else:
                self.forget(line.title)
        elif event.left:
            self._line = None
            if event.text != line.text:
                self.leave(line.title, event.text, line.take)
        return True

    def _refused(self, line: _Line, text: str, error: EngineError) -> None:
        """Ask again with the text, at the place of the error; what is meant for something that is gone is kept."""
        self.app.say(blame(error), warning=True)
        if error.code == MOVED:
            self.leave(line.title, text)
            return
        moved = None if self._moved is None else self._moved[1]
        self._keep(line.title, text, line.take)
        at = None if error.column is None else error.column - 1
        self._begin(replace(line, text=text, is_refused=True), line.title, at, moved)

    def abandoned(self) -> None:
        """The line was left: what was typed is kept; what was kept before and is left again as it is goes."""
        line, self._line = self._line, None
        if line is None:
            return
        if self.screen.typed != line.text or line.is_refused:
            self.leave(line.title, self.screen.typed, line.take)
        elif line.is_kept:
            self.forget(line.title)
            self.app.say("What was written before is dropped")

    # A choice.

    def choose(self, question: Question, take: Take) -> None:
        """Have one of the offers chosen; nothing happens where none is."""
        from sftui.screens.choice import Answer, ChoiceScreen

        answers = [Answer(key, title, remark) for key, title, remark in question.offers]

        def chosen(key: str | None) -> None:
            if key is None:
                self._came_to_nothing()
                return
            try:
                take(key)
            except EngineError as error:
                self.app.say(blame(error), warning=True)
                self._came_to_nothing()

        self.app.push_screen(ChoiceScreen(question.title, answers, question.about, start=question.start), chosen)

    # A text.

    def write(
        self, title: str, text: Text, take: Take, *, outside: bool = False, moved: Callable[[], bool] | None = None
    ) -> None:
        """Have a text written where there is room for it: on the line, in a window, in an editor."""
        if outside or text.place == "outside":
            self._outside(title, text, take)
        elif text.place == "line" and "\n" not in (self.left_behind(title) or ""):
            self.line("edit", title, "the empty text" if text.plain else "JSON", text.text, take, moved=moved)
        else:
            self._window(title, text, take, moved=moved)

    def _window(
        self,
        title: str,
        text: Text,
        take: Take,
        *,
        error: EngineError | None = None,
        written: str = "",
        moved: Callable[[], bool] | None = None,
    ) -> None:
        from sftui.screens.editor import EditScreen

        kept = self.kept(title) if error is None else None
        use = take if kept is None else kept.take or take
        begun: Take | None = None if error is not None and error.code == MOVED else use

        def try_it(now: str) -> None:
            nonlocal begun
            try:
                use(now)
            except EngineError as refusal:
                if refusal.code == MOVED:
                    begun = None  # what it was begun on is gone
                raise
            self.forget(title)

        start = written if error is not None else text.text if kept is None else kept.text
        self.app.push_screen(
            EditScreen(
                title,
                start,
                plain=text.plain,
                take=try_it,
                leave=lambda now: self.leave(title, now, begun),
                large=lambda now: self.try_text(title, Text(now, plain=text.plain, place="outside"), use),
                told=None if kept is None else ("as you left it", "warn"),
                error=error,
                moved=moved,
            )
        )

    def _outside(self, title: str, text: Text, take: Take) -> None:
        from sftui.external import edit_outside

        kept = self.kept(title)
        start, use = (text.text, take) if kept is None else (kept.text, kept.take or take)
        edited = edit_outside(self.app, title, start, text.suffix)
        if edited.text is None:
            self.app.say(edited.problem, warning=True)
            if edited.saved is not None:
                self._keep(title, edited.saved, use, edited.edit)
        elif edited.text == start:
            self.app.say("Nothing was changed in the editor")
        else:
            self._keep(title, edited.text, use, edited.edit)
            written = Text(edited.text, plain=text.plain, place=text.place)
            begin(self.app, partial(self._use_outside, title, written, use), "outside")

    async def _use_outside(self, title: str, text: Text, take: Take) -> None:
        """Use what an editor left once it is known what memory holds by now: the app stood still meanwhile."""
        from sftui.refreshing import refreshed

        about = self.about
        await refreshed(self.app)
        if self.about == about:
            self.try_text(title, text, take)

    def try_text(self, title: str, text: Text, take: Take) -> None:
        """Use what an editor left; where it cannot be used, say where, and offer the text again."""
        try:
            take(text.text)
        except EngineError as error:
            kept = self.kept(title)
            self._keep(title, text.text, None if error.code == MOVED else take, None if kept is None else kept.file)
            if len(text.text) <= WINDOW_CHARACTERS:
                self._window(title, text, take, error=error, written=text.text)
                return
            question = Question(
                "this cannot be used",
                (((clean(blame(error)), "bad"),),),
                (("1", "go on in the editor", ""), ("2", "leave it", "the text is kept: the same key brings it back")),
            )
            self.choose(question, lambda key: self._outside(title, text, take) if key == "1" else None)
        else:
            self.forget(title)
