"""How a screen asks a person: a line to type, a choice, a window, an editor. What was typed is never lost."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.records import dataclass
from sftui.display import clean
from sftui.views.targets import Question
from sftui.views.typed import CHANGED, WINDOW_CHARACTERS, Text, blame

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.screens.base import LiveScreen
    from sftui.widgets.prompt import Prompt

Take = Callable[[str], None]

# What was written and not used is kept for so many places.
_KEPT: Final = 20


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was written and not used, and what would have used it."""

    text: str
    take: Take | None


class Asking:
    """Asks on behalf of a screen, and goes on with the answer."""

    def __init__(self, screen: LiveScreen) -> None:
        self.screen = screen
        self._line: tuple[str, str, str, Take] | None = None
        self._kept: dict[tuple[Hashable, str], _Kept] = {}
        self._moved: tuple[str, Callable[[], bool]] | None = None
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
        self._kept.pop((self.about, title), None)
        self._kept[self.about, title] = _Kept(text, take)
        while len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        self.app.say("What was written is kept: the same key brings it back")

    def left_behind(self, title: str) -> str | None:
        """Give what was written before, if anything."""
        kept = self._kept.get((self.about, title))
        return None if kept is None else kept.text

    def forget(self, title: str) -> None:
        """It has been used."""
        self._kept.pop((self.about, title), None)

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
        kept = self._kept.get((self.about, title))
        if kept is not None and "\n" not in kept.text:
            text, take = kept.text, kept.take or take
            self.forget(title)
        self._line = purpose, title, hint, take
        self._moved = None if moved is None else (title, moved)
        self.screen.ask(purpose, hint, text, title=title, at=at)

    def catch_up(self) -> None:
        """Say of the line that is being typed whether its value has become another one underneath."""
        if self._line is not None and self._moved is not None and self._moved[1]():
            self.screen.retitle(f"{self._moved[0]} {CHANGED}")
            self._moved = None

    def answered(self, event: Prompt.Answered) -> bool:
        """Take in what has been typed; False if it was not asked for here."""
        if self._line is None or event.purpose != self._line[0]:
            return False
        if event.final:
            (purpose, title, hint, take), self._line = self._line, None
            try:
                take(event.text)
            except EngineError as error:
                self.app.say(blame(error), warning=True)
                moved = None if self._moved is None else self._moved[1]
                at = None if error.column is None else error.column - 1
                self.line(purpose, title, hint, event.text, take, at=at, moved=moved)
        elif event.left:
            (_, title, _, take), self._line = self._line, None
            self.leave(title, event.text, take)
        return True

    def abandoned(self) -> None:
        """The line was left."""
        self._line = None

    # A choice.

    def choose(self, question: Question, take: Take) -> None:
        """Have one of the offers chosen; nothing happens where none is."""
        from sftui.screens.choice import Answer, ChoiceScreen

        answers = [Answer(key, title, remark) for key, title, remark in question.offers]

        def chosen(key: str | None) -> None:
            if key is not None:
                self.do(lambda: take(key))

        self.app.push_screen(ChoiceScreen(question.title, answers, question.about, start=question.start), chosen)

    # A text.

    def write(self, title: str, text: Text, take: Take, *, outside: bool, moved: Callable[[], bool]) -> None:
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

        kept = self._kept.get((self.about, title)) if error is None else None
        if kept is not None:
            take = kept.take or take
        begun = take

        def use(now: str) -> None:
            begun(now)
            self.forget(title)

        start = written if error is not None else text.text if kept is None else kept.text
        self.app.push_screen(
            EditScreen(
                title,
                start,
                plain=text.plain,
                take=use,
                leave=lambda now: self.leave(title, now, begun),
                large=lambda now: self.try_text(title, Text(now, plain=text.plain, place="outside"), begun),
                told=None if kept is None else ("as you left it", "warn"),
                error=error,
                moved=moved,
            )
        )

    def _outside(self, title: str, text: Text, take: Take) -> None:
        from sftui.external import edit_outside

        edited = edit_outside(self.app, text.text, text.suffix)
        if edited.text is None:
            self.app.say(edited.problem, warning=True)
        elif edited.text == text.text:
            self.app.say("Nothing was changed in the editor")
        else:
            self.try_text(title, Text(edited.text, plain=text.plain, place=text.place), take)

    def try_text(self, title: str, text: Text, take: Take) -> None:
        """Use what an editor left; where it cannot be used, say where, and offer the text again."""
        try:
            take(text.text)
        except EngineError as error:
            if len(text.text) <= WINDOW_CHARACTERS:
                self._window(title, text, take, error=error, written=text.text)
                return
            question = Question(
                "this cannot be used",
                (((clean(blame(error)), "bad"),),),
                (("1", "go on in the editor", "the text is kept"), ("2", "leave it", "the text is dropped")),
            )
            self.choose(question, lambda key: self._outside(title, text, take) if key == "1" else None)
