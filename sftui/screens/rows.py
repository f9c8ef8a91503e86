"""Rows as what they are edited as: something of one scope, after the draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.errors import InvalidRequest
from engine.memory.draft import Operation, PreImage
from engine.memory.gathering import States, array_of, places, pre_image, pre_images
from engine.memory.scope import SCOPES, Scope
from engine.records import replace
from engine.values import dotted, get, has, same
from sftui.display import clean
from sftui.screens.asking import MOVED, Asking
from sftui.views import targets
from sftui.views.kinds import Path, View
from sftui.views.paths import parse_path
from sftui.views.picture import Picture
from sftui.views.targets import Refused, Target
from sftui.views.tracing import traced

if TYPE_CHECKING:
    from engine.store.layout import Address
    from sftui.views.staging import Staging


class Rows(Asking):
    """Finds what rows are, and puts what becomes of them into the draft."""

    _address: Address | None = None
    _seen: States | None = None

    # What there is.

    @property
    def picture(self) -> Picture:
        """The newest picture."""
        return self.app.live

    @property
    def staging(self) -> Staging | None:
        """What the draft makes of it."""
        return self.app.drafting.staging

    @property
    def after(self) -> Picture:
        """Memory as the draft leaves it: a further step begins there."""
        return targets.then(self.picture, self.staging)

    def found(self, view: View, rows: Sequence[Path]) -> list[Target]:
        """Find what rows are, outermost only; what cannot be changed is said, and then nothing is done at all."""
        self.begin()
        chosen = frozenset(rows)
        outer = [row for row in rows if not any(row[:n] in chosen for n in range(1, len(row)))]
        if any(isinstance(key, int) for row in outer for key in row) and not self._is_settled():
            self.app.say("The draft is just being worked out: once more, please", warning=True)
            return []
        try:
            return [targets.target(self.picture, self.staging, view, row) for row in outer]
        except Refused as refusal:
            self.app.say(str(refusal), warning=True)
            return []

    def _is_settled(self) -> bool:
        """Tell whether elements stand where they are shown: the draft and the memory below it are those on screen."""
        staging = self.staging
        return self.app.drafting.is_current and (staging is None or staging.is_of(self.picture))

    def before(self, scope: Scope, path: Path) -> PreImage:
        return self.app.drafting.pre_image(scope, path)

    def begin(self) -> None:
        """Remember which memory is meant, while something is asked."""
        snapshot = self.picture.snapshot
        self._address = None if snapshot is None else snapshot.address
        self._seen = self.picture.states
        self.about = self._address
        self.came_of_it()

    def stage(self, operations: Sequence[Operation], *, note: str = "", seen: States | None = None) -> None:
        """Put operations into the draft; raises InvalidRequest where other memory is open by now than was meant.

        `seen` is memory as it was when they were begun, if not when `begin` was called.
        """
        for operation in operations:
            for scope in {
                *(scope for scope, _ in places(operation)),
                *(scope for scope, _, _ in pre_images(operation)),
            }:
                self._check_meant(scope)
        if operations:
            self.app.drafting.stage(*operations, note=note, seen=self._seen if seen is None else seen)
            self.came_of_it()

    def _check_meant(self, scope: Scope) -> None:
        snapshot, meant = self.picture.snapshot, self._address
        if snapshot is not None and meant is not None:
            now = snapshot.address
            if scope in now.scopes and scope in meant.scopes and now.scope_address(scope) == meant.scope_address(scope):
                return
        raise InvalidRequest("elsewhere", f"another {scope} is open by now: nothing was done")

    def stands(self, found: Target) -> bool:
        """Tell whether an element of an array is the one that was meant, as far as its place and what it holds tell."""
        if not any(isinstance(key, int) for key in found.path):
            return True
        state = self.after.states.get(found.scope, {})
        return has(state, found.path) and same(get(state, found.path), found.value)

    def is_still(self, found: Target) -> bool:
        """Tell the same, and the person where it is another one."""
        if self.stands(found):
            return True
        self.app.say(f"{found.name} is another element by now: nothing was done", warning=True)
        return False

    def followed(self, found: Target) -> Target:
        """Give an element where it stands by now. Raises InvalidRequest where nobody can tell, or it holds something else."""
        if found.state is None or array_of(found.path) is None:
            return found
        if not self._is_settled():
            raise InvalidRequest("not-settled", "the draft is just being worked out: once more, please")
        state = self.after.states.get(found.scope, {})
        path = traced(found.state, state, found.path)
        if path is None or not has(state, path) or not same(get(state, path), found.value):
            raise InvalidRequest(MOVED, f"{found.name} is another element by now: nothing was staged")
        if path == found.path:
            return found
        self.app.say(f"{found.name} is {clean(dotted(found.scope, path))} by now")
        before = pre_image(self.after.states, found.scope, path)
        return replace(found, path=path, row=path, before=before, state=state)

    def asks(self, scope: Scope, view: View) -> bool:
        """Tell whether to ask before a session is written to: in its own view once, else each time."""
        return scope == "session" and (view == "effective" or not self.app.drafting.is_of_session)

    def parsed(self, text: str) -> tuple[Scope | None, Path]:
        """Read a path that somebody typed. Raises InvalidRequest."""
        parsed = parse_path(text.strip())
        if parsed is None or not parsed[1]:
            raise InvalidRequest("bad-path", 'this is not a path; a key with dots is written ["a.b"]')
        dialect = self.after.dialect
        root, path = parsed
        if dialect is not None and path[0] not in dialect.patchable:
            raise InvalidRequest(
                "unknown-plane", f"no plane is named {clean(str(path[0]))}; there are {', '.join(dialect.patchable)}"
            )
        scope = next((one for one in SCOPES if one == root), None)
        if scope is not None and scope not in targets.writable(self.picture):
            raise InvalidRequest("no-scope", f"no {scope} scope can be written here")
        return scope, path

    def refuse_occupied(self, scope: Scope, path: Path) -> None:
        if has(self.after.states.get(scope, {}), path):
            raise InvalidRequest("occupied", f"{clean(dotted(scope, path))} is there already")


def if_second(ready: Callable[[], None]) -> Callable[[str], None]:
    """Go on with the second answer; the first one leaves things as they are."""

    def answered(key: str) -> None:
        if key == "2":
            ready()

    return answered
