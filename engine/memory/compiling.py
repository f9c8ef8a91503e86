"""A draft compiled: its steps carried out on current values, one after another, and authored as one patch.

Staging that patch leaves what the steps left, and takes along what the intents that they deleted owned; what a step
set itself survives that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.errors import InvalidRequest
from engine.memory.artifacts import BOOKKEEPING, check_card
from engine.memory.authoring import author, blend, unrecordable
from engine.memory.dialect import ARTIFACTS, Dialect, check_patch
from engine.memory.draft import Draft, Put, Raw, Remove, Transfer
from engine.memory.gathering import (
    Drift,
    Place,
    States,
    add,
    drifted,
    patched_paths,
    places,
    pre_image,
    pre_images,
    raw,
    rebased,
)
from engine.memory.ownership import INTENTS, Cascade, cascade, owned
from engine.memory.relocating import transfer
from engine.memory.renaming import Renaming, rename_everywhere
from engine.memory.request import shape
from engine.memory.scope import SCOPES, SHARED, Scope
from engine.memory.working import Blocked, Marks, Working, check_value, mark
from engine.records import dataclass
from engine.values import (
    Json,
    JsonObject,
    KeyPath,
    dotted,
    get,
    has,
    is_object,
    merge,
    parse_pointer,
    prune_along,
    same,
)

__all__ = [
    "Compiled",
    "Drift",
    "Place",
    "Problem",
    "Remark",
    "States",
    "add",
    "compile_draft",
    "drifted",
    "places",
    "pre_image",
    "pre_images",
    "raw",
    "rebased",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """A step that cannot be carried out on these values."""

    step: int
    code: str
    scope: Scope
    path: KeyPath
    message: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person should know of a step that can be carried out."""

    step: int
    code: str
    scope: Scope
    path: KeyPath
    message: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """`patch` is a request to `patch_state`, {scope: {plane: ...}}; {} where nothing would change.

    Steps with problems are left out of it, so that it can always be staged.
    """

    patch: JsonObject
    problems: tuple[Problem, ...]
    remarks: tuple[Remark, ...]


def compile_draft(draft: Draft, dialect: Dialect, states: States) -> Compiled:
    """The patch that the ticked steps come to on these values. The values have to be valid ones."""
    return _Compilation(dialect, states).run(draft)


class _Compilation:
    """One run over one draft."""

    def __init__(self, dialect: Dialect, states: States) -> None:
        self.dialect = dialect
        self.states = states
        self.working = Working(dialect, states)
        self.problems: list[Problem] = []
        self.renamings: list[Renaming] = []
        self.mended = SCOPES

    def run(self, draft: Draft) -> Compiled:
        # A session is its agent's: it is not written for nothing but a reference in it.
        changed = {scope for step in draft.steps if step.ticked for scope, _ in places(step.operation)}
        self.mended = SCOPES if "session" in changed else SHARED
        for index, step in enumerate(draft.steps):
            if not step.ticked:
                continue
            operation = step.operation
            if not isinstance(operation, Transfer) or operation.path[:1] == (INTENTS,):
                self._follow()
            self.working.step = index
            try:
                self._carry_out(operation)
            except Blocked as blocked:
                self._problem(index, blocked)
        self._follow()
        patch: dict[str, Json] = {scope: change for scope in SCOPES if (change := self._author(scope))}
        remarks = (Remark(*place, message) for place, message in self.working.remarks.items())
        return Compiled(patch, tuple(self.problems), tuple(sorted(remarks, key=lambda remark: remark.step)))

    def _follow(self) -> None:
        """Let references follow what was moved. Moves in a row are searched for once: each text follows them in turn."""
        if self.renamings:
            rename_everywhere(self.working, self.renamings, self.mended)
            self.renamings = []

    def _problem(self, step: int, blocked: Blocked) -> None:
        self.problems.append(Problem(step, blocked.code, blocked.scope, blocked.path, blocked.message))

    def _carry_out(self, operation: Put | Remove | Transfer | Raw) -> None:
        working = self.working
        if isinstance(operation, Raw):
            self._patch(operation)
        elif isinstance(operation, Transfer):
            self._note_partial(operation.to_scope, operation.to_path)
            self.renamings.extend(transfer(working, operation))
        elif isinstance(operation, Remove):
            if (
                operation.path
                and isinstance(operation.path[-1], str)
                and not working.has(operation.scope, operation.path)
            ):
                working.check_place(operation.scope, operation.path)
                working.remark("gone-already", operation.scope, operation.path, "Nothing stands there any more")
                return
            working.remove(operation.scope, operation.path)
        else:
            working.check_place(operation.scope, operation.path)
            check_value(operation.scope, operation.path, operation.value)
            self._check_card(operation)
            self._note_partial(operation.scope, operation.path)
            working.put(operation.scope, operation.path, operation.value)

    def _note_partial(self, scope: Scope, path: KeyPath) -> None:
        """Say where only a part of an intent is written, and the rest of it is not there."""
        if len(path) > 2 and path[0] == INTENTS and not self.working.has(scope, path[:2]):
            self.working.remark("recreates-intent", scope, path[:2],
                                "The intent is not there any more: this makes a new one with nothing else in it")  # fmt: skip

    def _check_card(self, put: Put) -> None:
        """Refuse to let a person say where an artifact came from."""
        if put.path[0] != ARTIFACTS:
            return
        for path, member in _bookkeeping(put.path, put.value):
            stands = get(self.working.states[put.scope], path, None)
            if stands is None or not same(stands, member):
                raise Blocked("artifact-provenance", put.scope, path,
                              f"{path[2]} says where an artifact came from, and is not written by hand")  # fmt: skip

    def _patch(self, operation: Raw) -> None:
        working = self.working
        try:
            planned = shape(self.dialect, operation.patch)
            merged = []
            for scope in SCOPES:
                if scope in planned:
                    check_patch(self.dialect, scope, planned[scope])
                    state = working.states[scope]
                    paths = [
                        path
                        for path in patched_paths(planned[scope], state)
                        if _is_written(planned[scope], state, path)
                    ]
                    merged.append((scope, merge(state, planned[scope]).value, paths))
        except InvalidRequest as refusal:
            raise _blocked(refusal) from None
        for scope, state, paths in merged:
            for path in paths:
                self._note_partial(scope, path)
            working.take_over(scope, state, paths)

    def _author(self, scope: Scope) -> JsonObject:
        """The patch of one scope."""
        working = self.working
        before, wanted = self.states.get(scope, {}), working.states[scope]
        touched = working.touched[scope]
        for path in working.mended[scope]:
            if path[0] == INTENTS and has(wanted, path):
                mark(touched, path)
        base, gone = before, Cascade(scope, ())
        if INTENTS in touched:
            base = _pruned(blend(before, wanted, {INTENTS: touched[INTENTS]}), {INTENTS: touched[INTENTS]})
            names = touched[INTENTS]
            gone = cascade(self.dialect, scope, before, base, among=None if names is None else map(str, names))
            if gone.targets:
                base = merge(base, gone.patch).value
        for path, step in working.mended[scope].items():
            # What only mentions a new name does not keep itself alive.
            if has(wanted, path) and not gone.covers(path):
                working.marks.append((scope, path, step))
                mark(touched, path)
        if not touched:
            return {}
        desired = _pruned(blend(base, wanted, touched), touched)
        desired = self._checked(scope, before, desired, touched)
        self._remark_intents(scope, before, desired, gone)
        return author({**base, INTENTS: before.get(INTENTS, {})}, desired, touched)

    def _checked(self, scope: Scope, before: JsonObject, desired: JsonObject, touched: Marks) -> JsonObject:
        """`desired` without what may not be stored, which becomes the problem of the step that was there last."""
        refused: list[tuple[KeyPath, str, str]] = [
            (path, "unrecordable", "An object of nothing but [N] keys cannot take the place of an array in one patch")
            for path in unrecordable(before, desired, touched)
        ]
        refused.extend(
            ((plane, key), "retired-key", f"The key {key} is no longer stored in {plane}")
            for plane, key in self.dialect.retired
            if plane in touched and has(desired, (plane, key))
        )
        if ARTIFACTS in touched:
            desired, bad = self._cards(scope, before, desired, touched)
            refused.extend(bad)
        for path, code, message in refused:
            self._problem(self._last_step(scope, path), Blocked(code, scope, path, message))
            desired = _restored(desired, before, path)
        return desired

    def _cards(
        self, scope: Scope, before: JsonObject, desired: JsonObject, touched: Marks
    ) -> tuple[JsonObject, list[tuple[KeyPath, str, str]]]:
        """The cards with their bookkeeping as it stands, and which of them are none."""
        refused: list[tuple[KeyPath, str, str]] = []
        old, new = before.get(ARTIFACTS, {}), desired.get(ARTIFACTS, {})
        assert is_object(old)
        assert is_object(new)
        names = touched[ARTIFACTS]
        cards = dict(new)
        for source in list({**old, **new}) if names is None else map(str, names):
            if source not in new or (source in old and old[source] is new[source]):
                continue
            path = (ARTIFACTS, source)
            cards[source] = _kept_bookkeeping(old.get(source), new[source])
            try:
                check_card(source, cards[source])
            except InvalidRequest as refusal:
                refused.append((path, refusal.code, refusal.message))
                continue
            self.working.step = self._last_step(scope, path)
            self.working.remark("no-fresh-evidence", scope, path,
                                "No source was read for this: what is recorded of when the card was made stays as it is"
                                if source in old else
                                "No source was read for this: nothing is recorded of where the card came from")  # fmt: skip
        return ({**desired, ARTIFACTS: cards} if new else desired), refused

    def _remark_intents(self, scope: Scope, before: JsonObject, desired: JsonObject, gone: Cascade) -> None:
        """Say which intents are gone because nothing is left in them, and what goes with them."""
        names = self.working.touched[scope].get(INTENTS, {})
        was, left, now = (self._intents(state) for state in (before, self.working.states[scope], desired))
        emptied = [
            name
            for name in (was if names is None else map(str, names))
            if name in was and name in left and name not in now
        ]
        for name in emptied:
            claims = {claim.path for claim in owned(self.dialect, scope, before) if claim.intent == name}
            along = [dotted(scope, target) for target in gone.targets if target in claims]
            self.working.step = self._last_step(scope, (INTENTS, name))
            self.working.remark("emptied-intent", scope, (INTENTS, name), "Nothing is left in it, so it counts as deleted"
                                + (f"; with it go {', '.join(along)}" if along else ""))  # fmt: skip

    def _intents(self, state: JsonObject) -> JsonObject:
        intents = state.get(INTENTS)
        return intents if is_object(intents) else {}

    def _last_step(self, scope: Scope, path: KeyPath) -> int:
        """The step that was last at, above or below a place."""
        for where, at, step in reversed(self.working.marks):
            shorter = min(len(at), len(path))
            if where == scope and at[:shorter] == path[:shorter]:
                return step
        return self.working.step


def _is_written(patch: JsonObject, state: JsonObject, path: KeyPath) -> bool:
    """Whether a patch says something at one of its ends: an empty object changes no object that is there."""
    node: Json = patch
    for key in path:
        node = get(node, (f"[{key}]" if isinstance(key, int) else key,), None)
    return bool(path) and not (is_object(node) and is_object(get(state, path, None)))


def _kept_bookkeeping(old: Json, new: Json) -> Json:
    if not is_object(new):
        return new
    kept = {member: value for member, value in old.items() if member in BOOKKEEPING} if is_object(old) else {}
    if all(member in new and new[member] is value for member, value in kept.items()) and (
        BOOKKEEPING.isdisjoint(new) or set(kept) == BOOKKEEPING & set(new)
    ):
        return new
    return {**{member: value for member, value in new.items() if member not in BOOKKEEPING}, **kept}


def _bookkeeping(path: KeyPath, value: Json) -> Iterator[tuple[KeyPath, Json]]:
    """The members of cards within `value` at `path` that say where a card came from."""
    if len(path) == 3:
        if path[2] in BOOKKEEPING:
            yield path, value
    elif len(path) < 3 and is_object(value):
        for key, member in value.items():
            yield from _bookkeeping((*path, key), member)


def _restored(desired: JsonObject, before: JsonObject, path: KeyPath) -> JsonObject:
    """`desired` with what stood at `path` before."""
    key, *rest = path
    name = str(key)
    members = dict(desired)
    if not rest:
        if name in before:
            members[name] = before[name]
        else:
            members.pop(name, None)
        return members
    below, was = desired.get(name, {}), before.get(name, {})
    assert is_object(below)
    assert is_object(was)
    members[name] = _restored(below, was, tuple(rest))
    return members


def _pruned(state: JsonObject, touched: Marks) -> JsonObject:
    pruned = prune_along(state, touched)
    assert is_object(pruned)
    return pruned


def _blocked(refusal: InvalidRequest) -> Blocked:
    scope: Scope = next((one for one in SCOPES if one == refusal.scope), "global")
    path = refusal.path or ""
    keys: Iterable[str] = parse_pointer(path) if path.startswith("/") else (path,) if path else ()
    return Blocked(refusal.code, scope, tuple(keys), refusal.message)
