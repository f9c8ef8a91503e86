"""References that follow what they name: structured ones and mentions in text, rewritten to a new place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from engine.memory.dialect import Dialect
from engine.memory.references import MENTION, REF
from engine.memory.scope import SCOPES, Scope
from engine.memory.selectors import EFFECTIVE, try_parse
from engine.memory.working import Working
from engine.records import dataclass
from engine.values import Json, KeyPath, is_addressable, is_array, is_object

# A search for references stops after this many values; a person is told.
MOST_LOOKED_AT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Renaming:
    """What was named `old` is named `new` from now on, and all that is below it. Both are read paths."""

    old: str
    new: str

    def of(self, text: str) -> str | None:
        """The new text of a reference, None where it names something else."""
        if not text.startswith(self.old):
            return None
        rest = text[len(self.old) :]
        return self.new + rest if not rest or rest[0] in ".[" else None


def spelled(root: str, path: KeyPath) -> str | None:
    """The read path of a place below `root`, flat where that is empty; None where the grammar has no spelling for it."""
    if not all(isinstance(key, int) or is_addressable(key) for key in path):
        return None
    return (root + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)).removeprefix(".")


def renaming(root: str, path: KeyPath, to_root: str, to_path: KeyPath) -> Renaming | None:
    """What references to a moved place become, None where they cannot name it before or after."""
    old, new = spelled(root, path), spelled(to_root, to_path)
    return None if old is None or new is None else Renaming(old, new)


def effective_renamings(working: Working, path: KeyPath, to_scope: Scope, to_path: KeyPath) -> list[Renaming]:
    """What references to a place of effective memory become once it moved; none while other scopes stand there, too."""
    elsewhere = any(working.has(scope, to_path) for scope in SCOPES if scope != to_scope)
    if path == to_path or elsewhere or any(working.has(scope, path) for scope in SCOPES):
        return []
    found = (renaming(root, path, root, to_path) for root in (EFFECTIVE, ""))
    return [one for one in found if one is not None]


class Renamings:
    """Several renamings, one after another; however many they are, a reference is looked up by what it names."""

    def __init__(self, dialect: Dialect, renamings: Sequence[Renaming]) -> None:
        self._dialect, self._renamings = dialect, renamings
        self._by_old: dict[str, list[int]] = {}
        for number, one in enumerate(renamings):
            self._by_old.setdefault(one.old, []).append(number)
        self.starts = tuple({one.old.split(".", 1)[0] + "." for one in renamings})

    def of(self, text: str, *, structured: bool) -> str:
        """The text with its references renamed; the same object where there are none."""
        if structured and try_parse(self._dialect, text) is not None:
            return self._followed(text)
        if "$" not in text:
            return text
        new = MENTION.sub(lambda found: "$" + self._followed(found[1]), text)
        return text if new == text else new

    def _followed(self, target: str) -> str:
        after = 0
        while (number := self._first(target, after)) is not None:
            new = self._renamings[number].of(target)
            if new is None or try_parse(self._dialect, target) is None:
                break
            target, after = new, number + 1
        return target

    def _first(self, target: str, after: int) -> int | None:
        """The first renaming from `after` on of what a reference names, or of what holds it."""
        found: int | None = None
        for end in (*(at for at, sign in enumerate(target) if sign in ".["), len(target)):
            numbers = self._by_old.get(target[:end], ())
            at = bisect_left(numbers, after)
            if at < len(numbers) and (found is None or numbers[at] < found):
                found = numbers[at]
        return found


def rename_everywhere(working: Working, renamings: Sequence[Renaming], scopes: Collection[Scope] = SCOPES) -> None:
    """Rewrite every reference in the planes that may be patched, one renaming after another.

    In scopes other than `scopes` they are only told of.
    """
    follow = Renamings(working.dialect, renamings)
    search = _Search(follow.starts)
    for scope in SCOPES:
        state = working.states[scope]
        for plane in working.dialect.patchable:
            if plane not in state:
                continue
            found: list[tuple[KeyPath, str]] = []
            for path, text in search.texts((plane,), state[plane]):
                new = follow.of(text, structured=path[-1] == REF)
                if new is not text:
                    found.append((path, new))
            if scope in scopes:
                for path, new in found:
                    working.mend(scope, path, new)
            elif found:
                working.remark("references-stay", scope, found[0][0],
                               f"In {scope}, which nothing else changes, {_many(len(found))} the old place")  # fmt: skip
            if search.left <= 0:
                working.remark("rewrite-stopped", scope, (plane,),
                               f"Only the first {MOST_LOOKED_AT:,} values were searched for references")  # fmt: skip
                return


class _Search:
    """A search for texts that may name what was moved; `left` is how many values may still be looked at."""

    def __init__(self, starts: tuple[str, ...]) -> None:
        self.left = MOST_LOOKED_AT
        self.starts = starts

    def texts(self, at: KeyPath, value: Json) -> Iterator[tuple[KeyPath, str]]:
        pending: list[tuple[KeyPath, Json]] = [(at, value)]
        while pending and self.left > 0:
            path, node = pending.pop()
            members: Iterable[tuple[str | int, Json]] = ()
            if is_object(node):
                self.left -= len(node)
                members = node.items()
            elif is_array(node):
                self.left -= len(node)
                members = enumerate(node)
            for key, member in members:
                if isinstance(member, str):
                    for start in self.starts:
                        if start in member:
                            yield (*path, key), member
                            break
                elif is_object(member) or is_array(member):
                    pending.append(((*path, key), member))


def renamed(dialect: Dialect, value: Json, renamings: Sequence[Renaming]) -> Json:
    """`value` with the references in it rewritten; parts without any keep their identity."""
    return _renamed(value, Renamings(dialect, renamings)) if renamings else value


def _renamed(value: Json, follow: Renamings) -> Json:
    if isinstance(value, str):
        return follow.of(value, structured=False)
    if is_object(value):
        members = {
            key: follow.of(member, structured=key == REF) if isinstance(member, str) else _renamed(member, follow)
            for key, member in value.items()
        }
        return value if all(members[key] is member for key, member in value.items()) else members
    if is_array(value):
        slots = [_renamed(item, follow) for item in value]
        return value if all(new is old for new, old in zip(slots, value, strict=True)) else slots
    return value


def _many(count: int) -> str:
    return "1 text still names" if count == 1 else f"{count} texts still name"
