"""What a person does to rows: each becomes operations of the draft, after all that has to be asked first.

Nothing here says what an operation means; that is the engine's. Used by every screen that has rows of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.errors import InvalidRequest
from engine.memory.dialect import V4
from engine.memory.draft import Operation, Put, Remove
from engine.memory.edited import edited
from engine.memory.gathering import States, alike, array_of, places, pre_image, raw
from engine.memory.patching import parse_request
from engine.memory.scope import SCOPES, Scope
from engine.values import Json, decode, dotted, get, has, is_array, same
from engine.values.text import escape_surrogates
from sftui.commands.jsontext import safe_for_terminal
from sftui.display import clean
from sftui.screens.asking import MOVED
from sftui.screens.moving import Moving
from sftui.screens.rows import if_second
from sftui.views import targets
from sftui.views.kinds import Path, View
from sftui.views.paths import parse_path
from sftui.views.targets import Target
from sftui.views.tracing import traced
from sftui.views.typed import Text, as_text, guess, read


class Editing(Moving):
    """The edits of one screen's rows."""

    # Editing a value.

    def edit(self, view: View, row: Path, *, outside: bool = False) -> None:
        """Edit the value of a row."""
        for found in self.found(view, [row]):
            # Memory as it is seen now: what is written in the end is what was changed since.
            edit = partial(self._edit_in, found, self.picture.states, self.after.states, outside)
            if not self.asks(found.scope, view):
                edit(found.scope)
            elif array_of(found.row) is not None:
                # Another scope's array has other elements.
                question = targets.may_touch_session(self.picture, f"edit {found.name}", "edit")
                self.choose(question, if_second(partial(edit, found.scope)))
            else:
                question = targets.where_to_put(self.picture, found, "edit")
                self.choose(question, lambda key, edit=edit: edit(_PUT[key]))  # type: ignore[misc]

    def _edit_in(self, found: Target, seen: States, after: States, outside: bool, scope: Scope, _: str = "") -> None:
        here = scope == found.scope
        path = found.path if here else targets.stored(after.get(scope, {}), found.row) or found.row
        text, image = as_text(found.value), pre_image(seen, found.scope, found.path)

        def take(written: str) -> None:
            value = read(written, plain=text.plain)
            if same(value, found.value):
                self.app.say("Nothing was changed")
                return
            to, begun, basis = path, seen, seen
            if array_of(path) is not None:
                # An element is seen anew where it stands by now.
                now = self.followed(found)
                basis = after
                if now is not found:
                    to, begun, basis = now.path, self.picture.states, self.after.states
            made = [
                one
                for one in edited(scope, to, found.value, value, basis)
                if here or isinstance(one, Put) or has(after.get(scope, {}), one.path)
            ]
            if not made:
                self.app.say(f"{clean(dotted(scope, path))} holds nothing of what was taken out")
            whole = len(made) == 1 and made[0].path == to
            self.stage(made, note="" if whole else f"edit of {dotted(scope, to)}", seen=begun)

        def moved() -> bool:
            return not alike(image, pre_image(self.picture.states, found.scope, found.path))

        title = f"edit {clean(dotted(scope, path))}"
        if not here:
            title += f" · changes only · shown as {found.scope} has it"
        self.write(title, text, take, outside=outside, moved=moved)

    # A new key.

    def new(self, view: View, row: Path | None, *, expanded: bool) -> None:
        """Put a new key, or a new element, beside a row or into it."""
        self.begin()
        parent = targets.parent_for_new(self.after, view, row, expanded=expanded)
        if parent and is_array(get(self.after.memory.get(view, {}), parent, None)):
            for found in self.found(view, [parent]):
                if is_array(found.value):
                    self._append(view, found)
                else:
                    self.app.say(
                        f"{found.name} picks elements of a broader array; only that one can grow", warning=True
                    )
            return
        start = safe_for_terminal(dotted("", parent)) + "." if parent else ""
        hint = "a key, or a whole path such as cwd.lazy.notes"
        self.line("new", "new", hint, start, lambda text: self._new_at(view, self._whole_path(start, text)))

    def _whole_path(self, start: str, text: str) -> str:
        """What was typed behind the part that was there, where that is a whole path itself."""
        rest = text.removeprefix(start)
        parsed = parse_path(rest.strip()) if start and rest != text else None
        dialect = self.after.dialect
        if parsed is None or dialect is None or parsed[0] not in SCOPES or len(parsed[1]) < 2:
            return text
        return rest if parsed[1][0] in dialect.patchable else text

    def _append(self, view: View, found: Target) -> None:
        def ready(_: str = "") -> None:
            def take(text: str) -> None:
                value = _new_value(text)
                # Others may have added to it meanwhile: it goes to the end that there is now.
                array = traced(found.state or {}, self.after.states.get(found.scope, {}), found.path)
                there = None if array is None else get(self.after.states.get(found.scope, {}), array, None)
                if array is None or not is_array(there):
                    raise InvalidRequest(MOVED, f"{found.name} is another array by now: nothing was staged")
                path = (*array, len(there))
                before = pre_image(self.after.states, found.scope, path)
                self.stage([Put(found.scope, path, value, before)], seen=self.picture.states)
                self.screen.expect(view, path)

            self.line("value", f"new element of {found.name}", _VALUE_HINT, "", take)

        if self.asks(found.scope, view):
            self.choose(targets.may_touch_session(self.picture, f"add to {found.name}", "put"), if_second(ready))
        else:
            ready()

    def _new_at(self, view: View, text: str) -> None:
        scope, path = self.parsed(text)
        if len(path) < 2:
            raise InvalidRequest("no-key", f"a key below a plane is needed, such as {clean(str(path[0]))}.name")
        if scope is None and view != "effective":
            scope = view
        if scope is not None:
            self._new_in(view, scope, path)
            return
        offers = tuple((str(n), f"in {one}", "") for n, one in enumerate(targets.writable(self.picture), 1))
        about = targets.session_warning(self.picture) if len(offers) > 2 else ()
        question = targets.Question(f"new {clean(dotted('', path))}", about, offers)
        self.choose(question, lambda key: self._new_in(view, targets.writable(self.picture)[int(key) - 1], path))

    def _new_in(self, view: View, scope: Scope, path: Path) -> None:
        name = clean(dotted(scope, path))
        if has(self.after.states.get(scope, {}), path):
            raise InvalidRequest("occupied", f"{name} is there already")
        before = self.before(scope, path)

        def take(text: str) -> None:
            self.stage([Put(scope, path, _new_value(text), before)])
            self.screen.expect(view if view in {"effective", scope} else scope, path)

        self.line("value", f"value of {name}", _VALUE_HINT, "", take)

    # Deleting.

    def delete(self, view: View, rows: Sequence[Path], done: Callable[[], None] = lambda: None) -> None:
        """Delete rows; each in the scope that it is shown from."""
        found = self.found(view, rows)
        below = targets.instead_of_session(self.picture, self.after, found[0]) if len(found) == 1 else None
        if below is not None and below.scope not in targets.writable(self.picture):
            below = None

        def finish(chosen: Sequence[Target]) -> None:
            kept = [one for one in chosen if self.is_still(one)]
            if not kept:
                return
            self.stage([Remove(one.scope, one.path, one.before) for one in _from_behind(kept)])
            if view == "effective" and len(kept) == 1:
                self.app.say(f"The draft deletes {kept[0].name}")
            done()

        def answered(key: str) -> None:
            if key == "1" and below is not None:
                finish([below])
                return
            finish(found if key == "2" else [one for one in found if one.scope != "session"])

        if any(self.asks(one.scope, view) for one in found):
            self.choose(targets.which_to_delete(self.picture, self.after, found), answered)
        elif found:
            self.do(lambda: finish(found))

    # The patch itself.

    def patch(self, view: View, row: Path | None) -> None:
        """Write a patch as JSON."""
        from sftui.screens.editor import PatchScreen
        from sftui.views.completion import complete, skeleton

        self.begin()
        start, at = skeleton(self.picture, view, row or ())
        kept = self.left_behind("patch")

        def take(text: str) -> None:
            self.stage([self._read_patch(text)])
            self.forget("patch")

        self.app.push_screen(
            PatchScreen(
                "patch",
                start if kept is None else kept,
                take=take,
                leave=lambda text: self.leave("patch", text),
                large=lambda text: self.try_text("patch", Text(text, plain=False, place="outside"), take),
                check=self._say_patch,
                complete=lambda text, place: complete(self.picture, text, place),
                at=at if kept is None else len(kept),
            )
        )

    def _read_patch(self, text: str) -> Operation:
        # Where nothing is remembered yet, its vocabulary is the one that a new store gets.
        dialect = self.after.dialect or V4
        authored = decode(escape_surrogates(text).encode("utf-8")).value
        patch = parse_request(dialect, targets.scope_names(self.picture), authored)
        return raw(self.picture.states, dict(patch.items()))

    def _say_patch(self, text: str) -> str:
        operation = self._read_patch(text)
        touched = places(operation)
        scopes = ", ".join(scope for scope in SCOPES if any(scope == of for of, _ in touched))
        return f"touches {len(touched)} place{'s' if len(touched) != 1 else ''} in {scopes}"

    # Taking back.

    def unstage(self, view: View, row: Path) -> None:
        """Take the draft's changes of a row back."""
        drafting = self.app.drafting
        over = None if self.staging is None else self.staging.overlaid.get(view)
        path = (over.place_before(row) if over is not None else None) or row
        # Edits of one array depend on each other: they go together.
        whole = next((path[:n] for n, key in enumerate(path) if isinstance(key, int)), path)
        scopes: Sequence[Scope] = SCOPES if view == "effective" else (view,)
        touched = [place for step in drafting.draft.steps for place in places(step.operation)]
        inside = {scope for scope, at in touched if at[: len(whole)] == whole}
        around = {scope for scope, at in touched if whole[: len(at)] == at}
        back = None if self.staging is None else self.staging.moves.back(view, row)
        dropped = 0
        for scope in scopes:
            if scope in (inside or around):
                dropped += drafting.unstage(scope, whole)
        if dropped:
            if back is not None:
                self.screen.expect(view, back)
            return
        taker = None if self.staging is None else self.staging.taker(view, row)
        if taker is not None:
            self.app.say(f"It goes with intents.{clean(taker)}: that is the row to unstage", warning=True)
        else:
            self.app.say("The draft does not change this row")

    def undo(self, view: View, row: Path) -> None:
        """Put the inverse of the last known change of a row into the draft."""
        self.app.undoing.row(view, row)


_PUT: dict[str, Scope] = {"1": "cwd", "2": "session", "3": "global"}
_VALUE_HINT = 'JSON such as true, 12 or ["a"], or a text; one that begins with [ { or " in quotes'


def _new_value(text: str) -> Json:
    if not text.strip():
        raise InvalidRequest("no-value", 'a value is needed; "" is the empty text')
    return guess(text)


def _from_behind(found: Sequence[Target]) -> list[Target]:
    """Order deletions so that none moves what another one means: elements of an array from the last one on."""
    return sorted(found, key=lambda one: [-key if isinstance(key, int) else 0 for key in one.path])
