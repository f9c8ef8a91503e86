"""Renaming, moving, copying: what goes along and whether references follow is asked first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.errors import InvalidRequest
from engine.memory.draft import Transfer
from engine.memory.scope import SCOPES, Scope
from engine.values import decode, dotted
from engine.values.text import escape_surrogates
from sftui.commands.jsontext import safe_for_terminal
from sftui.display import is_clean
from sftui.screens.rows import Rows, if_second
from sftui.views import targets
from sftui.views.kinds import Path, View
from sftui.views.targets import Target
from sftui.views.typed import literal


class Moving(Rows):
    """Brings rows to other places."""

    # Moving.

    def rename(self, view: View, row: Path) -> None:
        """Give a key another name."""
        for found in self.found(view, [row]):
            key = found.path[-1]
            if isinstance(key, int) or len(found.path) == 1:
                self.app.say(f"{found.name} has no name of its own to change", warning=True)
                return
            shown = key if is_clean(key) and not key.startswith('"') else literal(key)

            def ready(_: str = "", found: Target = found, shown: str = shown) -> None:
                self.line(
                    "rename", f"rename {found.name}", "a key", shown, lambda text: self._rename(view, found, text)
                )

            if self.asks(found.scope, view):
                self.choose(targets.may_touch_session(self.picture, f"rename {found.name}", "rename"), if_second(ready))
            else:
                ready()

    def _rename(self, view: View, found: Target, text: str) -> None:
        name = decode(escape_surrogates(text).encode()).value if text.startswith('"') else text
        if not isinstance(name, str) or not name:
            raise InvalidRequest("no-name", "a key needs a name")
        if name == found.path[-1]:
            return
        to = (*found.path[:-1], name)
        self.refuse_occupied(found.scope, to)
        self._transfer([(found, found.scope, to)], keep=False, then=lambda: self.screen.expect(view, to))

    def move(self, view: View, rows: Sequence[Path], done: Callable[[], None] = lambda: None) -> None:
        """Move or copy rows to another scope, or one of them to another path."""
        found = self.found(view, rows)
        if not found:
            return
        if any(isinstance(key, int) for one in found for key in one.row):
            # No other scope has an element of this array.
            if len(found) == 1:
                self._ask_path(found[0])
            else:
                self.app.say("Elements of an array are moved one by one, each to a path", warning=True)
            return
        question = targets.where_to_move(self.picture, found)
        titles = {key: title for key, title, _ in question.offers}

        def answered(key: str) -> None:
            words = titles[key].split()
            scope = next((one for one in SCOPES if one == words[-1]), None)
            if scope is None:
                self._ask_path(found[0])
                return
            try:
                for one in found:
                    if one.scope != scope:
                        self.refuse_occupied(scope, one.row)
            except InvalidRequest as error:
                self.app.say(f"{error.message[:1].upper()}{error.message[1:]}: nothing was moved", warning=True)
                return
            moves = [(one, scope, one.row) for one in found if one.scope != scope]
            self._transfer(moves, keep=words[0] == "copy", then=done)

        self.choose(question, answered)

    def _ask_path(self, found: Target) -> None:
        start = safe_for_terminal(dotted(found.scope, found.path))
        self.line("move", f"move {found.name}", "a path", start, lambda text: self._move_to(found, text))

    def _move_to(self, found: Target, text: str) -> None:
        scope, path = self.parsed(text)
        to = (scope or found.scope, path)
        if to == (found.scope, found.path):
            return
        self.refuse_occupied(*to)
        self._transfer([(found, *to)], keep=False)

    def to_lazy(self, view: View, rows: Sequence[Path], done: Callable[[], None] = lambda: None) -> None:
        """Move rows to lazy memory of their scopes."""
        found = self.found(view, rows)
        moves = [(one, one.scope, to) for one in found if (to := targets.lazy_path(self.after, one.path)) is not None]
        if not found:
            return
        if len(moves) < len(found):
            self.app.say("Only keys below a plane in context can go to lazy memory", warning=True)
            return

        def ready(_: str = "") -> None:
            try:
                for move in moves:
                    self.refuse_occupied(move[1], move[2])
            except InvalidRequest as error:
                if len(moves) > 1:
                    self.app.say(f"{error.message[:1].upper()}{error.message[1:]}: nothing was moved", warning=True)
                else:
                    one, scope, to = moves[0]
                    self.app.say(f"{error.message[:1].upper()}{error.message[1:]}: give another path", warning=True)
                    self.line(
                        "move",
                        f"move {one.name}",
                        "a path",
                        safe_for_terminal(dotted(scope, to)),
                        lambda text: self._move_to(one, text),
                    )
                return
            self.do(lambda: self._transfer(moves, keep=False, then=done))

        if any(self.asks(one.scope, view) for one in found):
            name = found[0].name if len(found) == 1 else f"{len(found)} rows"
            self.choose(targets.may_touch_session(self.picture, f"move {name} to lazy", "move"), if_second(ready))
        else:
            ready()

    def _transfer(
        self,
        moves: Sequence[tuple[Target, Scope, Path]],
        *,
        keep: bool,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask what goes along and whether references follow; then stage the moves."""

        def stage(*, along: bool, rewrite: bool) -> None:
            kept = [(self.followed(one), scope, to) for one, scope, to in moves]
            have_moved = any(now is not one for (now, _, _), (one, _, _) in zip(kept, moves, strict=True))
            self.stage(
                [
                    Transfer(one.scope, one.path, scope, to, one.before, self.before(scope, to),
                             keep=keep, along=along, rewrite=rewrite)
                    for one, scope, to in _moves_from_behind(kept)
                ],
                seen=self.picture.states if have_moved else None,
            )  # fmt: skip
            then()

        def ask_references(*, along: bool) -> None:
            count = 0 if keep else targets.naming_count(self.picture, [one for one, _, _ in moves])
            if count and moves:
                question = targets.rewrite_references(moves[0][0] if len(moves) == 1 else None, count)
                self.choose(question, lambda key: stage(along=along, rewrite=key == "1"))
            else:
                stage(along=along, rewrite=True)

        away = [one for one, scope, _ in moves if scope != one.scope]
        owned = targets.owned_by(self.after, away)
        if owned:
            question = targets.take_along(away[0] if len(away) == 1 else None, owned)
            self.choose(question, lambda key: ask_references(along=key == "1"))
        else:
            ask_references(along=True)


def _moves_from_behind(moves: Sequence[tuple[Target, Scope, Path]]) -> list[tuple[Target, Scope, Path]]:
    return sorted(moves, key=lambda move: [-key if isinstance(key, int) else 0 for key in move[0].path])
