"""Comparing from History: one row is marked, then another, and what differs between the two moments is shown."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from sftui.actions import key_for
from sftui.background import begin
from sftui.screens.choice import Answer, ChoiceScreen
from sftui.screens.difference import DifferenceScreen
from sftui.views.differences import Side, compared, sides_to_choose
from sftui.views.picture import revisions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sftui.screens.history import HistoryScreen
    from sftui.views.history import RowKey
    from sftui.views.moments import Moment
    from sftui.views.picture import Picture


class Comparing:
    """What is marked, and what is made of it and the next row."""

    def __init__(self, screen: HistoryScreen, at: Callable[[Moment], Awaitable[Picture]]) -> None:
        self._screen = screen
        self._at = at
        self._marked: tuple[RowKey, Moment] | None = None

    @property
    def marked(self) -> RowKey | None:
        """The row that is marked."""
        return None if self._marked is None else self._marked[0]

    def drop(self) -> None:
        """Mark nothing."""
        self._mark(None)

    def choose(self, key: RowKey, moment: Moment) -> None:
        """Mark the first row; with the second one ask what of the two to compare."""
        if self._marked is None:
            self._mark((key, moment))
            key_name = key_for("history.compare")
            self._screen.sftui.say(
                f"{moment.shorts} is marked: {key_name} on another row compares the two, here with now"
            )
            return
        first = self._marked[1]
        older, newer = sorted((first, moment), key=self._age, reverse=True)
        same = key == self._marked[0]
        answers = [Answer(str(number), *words) for number, words in enumerate(sides_to_choose(same=same), 1)]
        words = f"Compare {moment.shorts} with" if same else f"Compare {older.shorts} with {newer.shorts}"
        done = partial(self._chosen, older, None if same else newer)
        self._screen.app.push_screen(ChoiceScreen(words, answers), done)

    def _age(self, moment: Moment) -> int:
        """How far down the list a moment stands."""
        order = list(self._screen.known.moments.values())
        return order.index(moment) if moment in order else len(order)

    def _mark(self, marked: tuple[RowKey, Moment] | None) -> None:
        self._marked = marked
        self._screen.rows.mark(self.marked)

    def _chosen(self, older: Moment, newer: Moment | None, answer: str | None) -> None:
        if answer is not None:
            self._mark(None)
            begin(self._screen, partial(self._compare, older, newer, int(answer) - 1), "compare", exclusive=True)

    async def _compare(self, older: Moment, newer: Moment | None, choice: int) -> None:
        screen = self._screen
        then = await self._at(older)
        one = Side(revisions(then), then)
        if newer is None:
            other = Side("now", screen.live)
        else:
            then = await self._at(newer)
            other = Side(revisions(then), then)

        found = await asyncio.to_thread(compared, screen.known.dialect, one, other, choice)
        if screen.is_attached:
            screen.app.push_screen(DifferenceScreen(found))
