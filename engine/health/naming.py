"""What names nothing, and what nothing can name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.health.findings import Finding, Severity
from engine.health.gathering import Odd, Reference
from engine.health.secrets import masked, secrets_in
from engine.memory.dialect import ARTIFACTS, Dialect
from engine.memory.draft import Operation, PreImage, Remove, Transfer
from engine.memory.gathering import pre_image
from engine.memory.ownership import INTENTS
from engine.memory.scope import SCOPES, Scope
from engine.memory.selectors import Range, Selector, try_parse
from engine.values import JsonObject, KeyPath, get, has, is_addressable, is_array, is_object

States = Mapping[Scope, JsonObject]

_EVIDENCE: Final = 5


class Names:
    """Judges references among some states; `whole` is the effective value, None where it cannot be composed."""

    def __init__(self, dialect: Dialect, states: States, whole: JsonObject | None) -> None:
        self._dialect, self._states, self._whole = dialect, states, whole
        self._parsed: dict[str, Selector | None] = {}
        self._missing: dict[str, bool] = {}

    def dangling(self, scope: Scope, at: KeyPath, fact: Reference) -> Finding | None:
        """The finding, where it is plain that nothing is at the named place now."""
        target = fact.target
        if target not in self._parsed:
            self._parsed[target] = try_parse(self._dialect, target)
        selector = self._parsed[target]
        # A whole plane may be absent and still be meant; what lies outside of present memory cannot be judged.
        if selector is None or selector.offset or len(selector.steps) < 2:
            return None
        of_session = False
        if selector.scope is None:
            of_session = scope != "session"
        elif SCOPES.index(selector.scope) > SCOPES.index(scope):
            of_session = True  # a broader scope is seen from many narrower ones
        if of_session and "session" not in self._states:
            return None
        if target not in self._missing:
            self._missing[target] = self._is_missing(selector)
        if not self._missing[target]:
            return None
        severity: Severity = "low" if of_session or not fact.structured else "medium"
        seen = ", as seen from what is open" if of_session else ""
        kind = "the reference" if fact.structured else "the text"
        fix, unfixed = self._fix(scope, at, fact)
        return Finding(
            "dangling",
            severity,
            scope,
            at,
            f"{kind} names {target}, and nothing is there now{seen}",
            fix=fix,
            unfixed=unfixed,
            detail=target,
        )

    def _is_missing(self, selector: Selector) -> bool:
        value = self._whole if selector.scope is None else self._states.get(selector.scope)
        if value is None:
            return False
        path: list[str | int] = []
        for number, step in enumerate(selector.steps):
            if isinstance(step, Range):
                array = get(value, path, None)
                is_last = number == len(selector.steps) - 1
                return not (is_last and is_array(array) and step.start <= step.stop <= len(array))
            path.append(step)
        return not has(value, path)

    def _fix(self, scope: Scope, at: KeyPath, fact: Reference) -> tuple[tuple[Operation, ...], str]:
        if not fact.structured:
            return (), "it stands in a text, which only somebody who has read it can mend"
        if len(at) <= (2 if at[0] == INTENTS else 1):
            return (), "it is all that is there"
        if isinstance(at[-1], int):
            return (), "it is an element of an array: without it those behind it would move up"
        held = get(self._states[scope], at, None)
        if is_object(held) and len(held) > 1:
            return (), "the object with the reference says other things as well"
        if at[0] == INTENTS and _is_last(self._states[scope], at):
            return (), "it is all that its intent says, and an emptied intent counts as deleted"
        return (Remove(scope, at, pre_image(self._states, scope, at)),), ""


def _is_last(state: JsonObject, at: KeyPath) -> bool:
    """Whether nothing else is left of an intent without what stands at a place in it."""
    return all(len(held) == 1 for n in range(2, len(at)) if is_object(held := get(state, at[:n], None)))


def unaddressable(states: States, scope: Scope, at: KeyPath, fact: Odd) -> Finding | None:
    """The finding about keys of one object; artifacts are kept under the paths of their sources, and meant so."""
    if at[0] == ARTIFACTS:
        return None
    count = len(fact.keys)
    shown = tuple(f"[{_short(key)}]" for key in fact.keys[:_EVIDENCE])
    rest = (f"{count - _EVIDENCE:,} more",) if count > _EVIDENCE else ()
    what = "a key" if count == 1 else f"{count:,} keys"
    fix, unfixed = _renames(states, scope, at, fact.keys)
    return Finding(
        "unaddressable",
        "low",
        scope,
        at,
        f"{what} here can be named in no path, so that what is below can only be read together with all of this",
        evidence=(*shown, *rest),
        fix=fix,
        unfixed=unfixed,
    )


def _renames(states: States, scope: Scope, at: KeyPath, keys: Iterable[str]) -> tuple[tuple[Operation, ...], str]:
    """Renames to the nearest name that a path can spell, where that plainly loses nothing."""
    held = get(states[scope], at, None)
    taken = set(held) if is_object(held) else set()
    steps: list[Operation] = []
    for key in keys:
        name = _nearest(key)
        if name is None:
            return (), "no nearby name says the same: a person has to find others"
        if name in taken:
            return (), f"the nearest name, {name}, is taken"
        taken.add(name)
        path = (*at, key)
        before = pre_image(states, scope, path)
        steps.append(Transfer(scope, path, scope, (*at, name), before, PreImage(exists=False)))
    if any(isinstance(key, int) for key in at):
        return (), "it stands in an array: its element has to be set as a whole"
    return tuple(steps), ""


def _nearest(key: str) -> str | None:
    """The key with its spaces as dashes; None where more than that would be lost."""
    name = "-".join(key.split())
    return name if is_addressable(name) else None


def _short(key: str) -> str:
    if secrets_in(key):
        return f'"{masked(key)}"'
    return f'"{key}"' if len(key) <= 60 else f'"{key[:60]}…"'
