"""The grammar of read paths: `root`, `[offset]` behind an explicit root, then keys, indexes and half-open ranges.

`working.a[0]`, `effective.lazy`, `cwd[2].lazy.notes[0:3]`. A key that this grammar cannot spell cannot be addressed.
"""

from __future__ import annotations

import re

from engine.errors import InvalidRequest
from engine.memory.dialect import Dialect
from engine.memory.scope import SCOPES, Scope, is_scope
from engine.records import dataclass, replace

EFFECTIVE = "effective"

_ROOT = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
# Longer than any history or array needs; int() takes as many whatever limit it is set to.
_NUMBER = "[0-9]{1,600}"
_OFFSET = re.compile(rf"\[({_NUMBER})\]")
_STEP = re.compile(rf"\.(?P<key>[A-Za-z_$][A-Za-z0-9_$-]*)|\[(?P<start>{_NUMBER})(?:(?::|\.\.)(?P<stop>{_NUMBER}))?\]")


@dataclass(frozen=True, slots=True)
class Range:
    """The indexes start <= i < stop."""

    start: int
    stop: int


Step = str | int | Range


@dataclass(frozen=True, slots=True)
class Selector:
    """A parsed read path.

    `root` is "effective" or a scope. `flat` marks a path that named no root and so means effective memory.
    `offset` is None where none was written; both None and 0 mean the present.
    """

    root: str
    offset: int | None
    steps: tuple[Step, ...]
    flat: bool = False

    @property
    def scope(self) -> Scope | None:
        return self.root if is_scope(self.root) else None

    @property
    def keys(self) -> tuple[str, ...] | None:
        """The steps where they are all keys, else None."""
        keys = tuple(step for step in self.steps if isinstance(step, str))
        return keys if len(keys) == len(self.steps) else None

    def text(self) -> str:
        """The path in its canonical spelling."""
        start = "" if self.offset is None else f"[{self.offset}]"
        steps = "".join(_spell(step) for step in self.steps)
        return steps.removeprefix(".") if self.flat else f"{self.root}{start}{steps}"

    def anchored(self, scope: Scope) -> Selector:
        """The same path below `scope`, where it was flat."""
        return replace(self, root=scope, flat=False) if self.flat else self


def parse(dialect: Dialect, text: str) -> Selector:
    """The selector that `text` spells; raises InvalidRequest "bad-path" for anything outside the grammar."""
    found = try_parse(dialect, text)
    if found is None:
        raise InvalidRequest(
            "bad-path", "This is not a path into memory", path=text,
            hint="Start with effective, global, cwd, session or a plane; then .key, [index] or [start:end]",
        )  # fmt: skip
    return found


def try_parse(dialect: Dialect, text: str) -> Selector | None:
    """As `parse`, but None for text outside the grammar."""
    root = _ROOT.match(text)
    if root is None:
        return None
    name, at = root.group(), root.end()
    offset: int | None = None
    if name == EFFECTIVE or name in SCOPES:
        shift = _OFFSET.match(text, at)
        if shift is not None:
            offset, at = int(shift.group(1)), shift.end()
        flat = False
    elif name in dialect.planes:
        at, flat = 0, True
    else:
        return None
    steps = _steps("." + text[at:] if flat else text[at:])
    if steps is None or (steps and not isinstance(steps[0], str)):
        return None
    return Selector(EFFECTIVE if flat else name, offset, steps, flat)


def _steps(text: str) -> tuple[Step, ...] | None:
    steps: list[Step] = []
    at = 0
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        at = step.end()
        key, start, stop = step.group("key", "start", "stop")
        if key is not None:
            steps.append(key)
        elif stop is None:
            steps.append(int(start))
        else:
            steps.append(Range(int(start), int(stop)))
    return tuple(steps)


def _spell(step: Step) -> str:
    if isinstance(step, str):
        return f".{step}"
    return f"[{step.start}:{step.stop}]" if isinstance(step, Range) else f"[{step}]"
