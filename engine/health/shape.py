"""What is empty, large or rounded, said twice, or looks like a secret: each told from what was gathered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.health.effect import is_without_effect
from engine.health.findings import Finding, Limits
from engine.health.gathering import Hidden, Number, Text
from engine.health.secrets import Secret, masked
from engine.health.subject import Subject
from engine.memory.artifacts import is_bookkeeping
from engine.memory.dialect import ARTIFACTS, RESPONSE, Dialect
from engine.memory.draft import Operation, PreImage, Put, Remove, Transfer
from engine.memory.gathering import pre_image
from engine.memory.ownership import INTENTS
from engine.memory.references import REF
from engine.memory.scope import SCOPES, Scope
from engine.values import JsonObject, KeyPath, dotted, get, has, is_addressable, is_object

States = Mapping[Scope, JsonObject]

# A text is cut out of what holds it where at least as much is left as went.
_REMOVED: Final = "[removed]"
_MOST_PLACES: Final = 5


def empty(subject: Subject, scope: Scope, at: KeyPath) -> Finding | None:
    """An empty branch; None where it hides something of a broader scope, which is what it may be there for."""
    if at[0] in {RESPONSE, ARTIFACTS} or len(at) < 2:
        return None
    states = subject.states
    inside = any(isinstance(key, int) for key in at)
    if not inside and not is_without_effect(subject.dialect, states, scope, at, pruned=True):
        return None
    return Finding(
        "empty",
        "low",
        scope,
        at,
        "nothing is in it, and a model is not given empty branches",
        fix=() if inside else (Remove(scope, at, pre_image(states, scope, at)),),
        unfixed="it stands in an array: without it those behind it would move up" if inside else "",
        same=not inside,
    )


def large(subject: Subject, limits: Limits, scope: Scope, at: KeyPath, size: int) -> Finding | None:
    """A large value that every model is given, with a move to lazy memory."""
    dialect, states = subject.dialect, subject.states
    if at[0] in dialect.lazy or at[0] == RESPONSE or len(at) < 2:
        return None
    fix: tuple[Operation, ...] = ()
    unfixed = ""
    to = ("lazy", *at[1:])
    if "lazy" not in dialect.lazy:
        unfixed = "there is no lazy memory here"
    elif at[0] in {INTENTS, ARTIFACTS}:
        unfixed = (
            f"{at[0]} belong where they are: what is long in them can be put into lazy memory, and named from here"
        )
    elif any(isinstance(key, int) for key in at):
        unfixed = "it stands in an array, and elements are moved one by one, each to a path"
    elif has(states[scope], to) or _blocked(states[scope], to):
        unfixed = f"something stands at {dotted(scope, to)} already"
    else:
        fix = (Transfer(scope, at, scope, to, pre_image(states, scope, at), PreImage(exists=False)),)
    return Finding(
        "large-hot",
        "medium",
        scope,
        at,
        f"it is {size:,} bytes long and in every context; more than {limits.hot_bytes:,} may be better off in lazy memory",
        fix=fix,
        unfixed=unfixed,
    )


def _blocked(state: JsonObject, to: KeyPath) -> bool:
    """Whether on the way to a path there stands something other than an object."""
    return any(has(state, to[:n]) and not is_object(get(state, to[:n])) for n in range(1, len(to)))


def rounded(states: States, scope: Scope, fact: Number, at: KeyPath) -> Finding:
    """An integer beyond what a double holds; as a text it keeps its digits."""
    digits = str(fact.value) if abs(fact.value) < 10**40 else f"a number of {fact.value.bit_length():,} bits"
    short = abs(fact.value) < 10**1000
    fix: tuple[Operation, ...] = ()
    if short:
        fix = (Put(scope, at, str(fact.value), pre_image(states, scope, at)),)
    return Finding(
        "rounded-number",
        "medium",
        scope,
        at,
        f"an agent that counts in doubles reads {digits} as another number; as a text it keeps its digits",
        fix=fix,
        unfixed="" if fix else "it is too long to be written here",
    )


def hidden(states: States, scope: Scope, fact: Hidden, at: KeyPath) -> tuple[Finding, ...]:
    """What looks like a secret; masked, for a finding is shown and copied."""
    kinds = ", ".join(dict.fromkeys(one.kind for one in fact.secrets))
    text = str(at[-1]) if fact.in_key else get(states[scope], at, None)
    if not isinstance(text, str):
        return ()
    shown = tuple(f"{one.kind}: {masked(text[one.start : one.stop])}" for one in fact.secrets[:_MOST_PLACES])
    where = at[:-1] if fact.in_key else at
    what = "a key here" if fact.in_key else "a part of the text"
    if not fact.in_key and _is_all(text, fact.secrets):
        what = "the text"
    unfixed = ""
    fix: tuple[Operation, ...] = ()
    if at[0] == RESPONSE:
        unfixed = "the answer belongs to the agent and cannot be changed"
    elif is_bookkeeping(at):
        unfixed = "what is recorded of an artifact cannot be changed"
    elif fact.in_key or what == "the text":
        fix = (Remove(scope, at, pre_image(states, scope, at)),)
    else:
        fix = (Put(scope, at, cut_out(text, fact.secrets), pre_image(states, scope, at)),)
    reason = f"{what} looks like a secret ({kinds}); whoever reads memory or its history can read it"
    if fix and isinstance(at[-1], int):
        fix = (Put(scope, at, cut_out(text, fact.secrets), pre_image(states, scope, at)),)
    return (Finding("secret", "high", scope, where, reason, shown, fix, unfixed, detail=kinds if fact.in_key else ""),)


def _is_all(text: str, secrets: Iterable[Secret]) -> bool:
    held = sum(one.stop - one.start for one in secrets)
    return held * 2 >= len(text.strip())


def cut_out(text: str, secrets: Iterable[Secret]) -> str:
    """A text with what looks like secrets cut out of it."""
    parts: list[str] = []
    at = 0
    for one in secrets:
        parts += [text[at : one.start], _REMOVED]
        at = one.stop
    return "".join((*parts, text[at:]))


def repeated(
    dialect: Dialect,
    states: States,
    texts: Iterable[tuple[Scope, KeyPath, Text]],
    told: Iterable[tuple[Scope, KeyPath]],
) -> list[Finding]:
    """The same text in several scopes: a reference to the broadest place would do.

    `told` are places of which it is said already that they say what they inherit.
    """
    places: dict[str, list[tuple[Scope, KeyPath]]] = {}
    for scope, at, fact in texts:
        if at[0] not in {RESPONSE, ARTIFACTS}:
            places.setdefault(fact.text, []).append((scope, at))
    known = set(told)
    found: list[Finding] = []
    for text, where in places.items():
        scopes = {scope for scope, _ in where}
        if len(scopes) < 2:
            continue
        where.sort(key=lambda place: SCOPES.index(place[0]))
        first = where[0]
        for scope, at in where[1:]:
            if scope == first[0] or at == first[1] or any((scope, at[:n]) in known for n in range(2, len(at) + 1)):
                continue
            others = [dotted(*other) for other in where if other != (scope, at)]
            rest = (f"{len(others) - _MOST_PLACES:,} more",) if len(others) > _MOST_PLACES else ()
            fix, unfixed = _referring(dialect, states, scope, at, first)
            found.append(
                Finding(
                    "same-text",
                    "low",
                    scope,
                    at,
                    f"the same {len(text):,} characters stand in {dotted(*first)}: two places to keep up to date",
                    evidence=(*others[:_MOST_PLACES], *rest),
                    fix=fix,
                    unfixed=unfixed,
                )
            )
    return found


def _referring(
    dialect: Dialect, states: States, scope: Scope, at: KeyPath, first: tuple[Scope, KeyPath]
) -> tuple[tuple[Operation, ...], str]:
    there, path = first
    if not all(isinstance(key, int) or is_addressable(key) for key in path):
        return (), f"no path can name the other place, {dotted(there, path)}"
    if path[0] in dialect.lazy and at[0] not in dialect.lazy:
        return (), "the other one is in lazy memory: a reference to it would take this one out of the context"
    value = {REF: dotted(there, path)}
    return (Put(scope, at, value, pre_image(states, scope, at)),), ""
