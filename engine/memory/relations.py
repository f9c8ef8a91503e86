"""What intents have to do with the rest of memory: what they own, share and use, what they name in vain, what is left.

Nothing here decides anything: what goes with an intent is decided by the cascade of the patch that deletes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from engine.memory.collation import collation_key
from engine.memory.dialect import Dialect
from engine.memory.ownership import INTENTS, Cascade, Claim, Keys, spell
from engine.memory.references import Mention, find
from engine.memory.scope import Scope
from engine.memory.selectors import EFFECTIVE, Range, Selector, try_parse
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, get, has, is_array, is_object

Kind = Literal["owned", "shared", "used", "dangling"]
Root = Literal["effective", "global", "cwd", "session"]
KINDS: Final[tuple[Kind, ...]] = ("owned", "shared", "used", "dangling")


@dataclass(frozen=True, slots=True)
class Relation:
    """One place that an intent names, `target` as it is spelled there.

    "owned" goes with the intent, "shared" would if other intents (`shared_with`) did not name it, too, "used" never
    does, "dangling" is not there. `path` below `root` is where that is; no root: it lies outside present memory.
    `owning` marks a reference that owns whatever is there. `known` is False where nobody can tell whether it is there.
    """

    kind: Kind
    target: str
    root: Root | None
    path: KeyPath
    owning: bool
    shared_with: tuple[str, ...] = ()
    known: bool = True


def relations(
    dialect: Dialect,
    scope: Scope,
    intent: str,
    states: Mapping[Scope, JsonObject],
    whole: JsonObject | None,
    *,
    claims: Iterable[Claim],
    texts: bool = True,
) -> tuple[Relation, ...]:
    """Everything that an intent of `scope` names, each place once: what it owns first, what dangles last.

    `whole` is the effective value, None where it cannot be composed; `claims` are those of the intent. Without `texts`
    it is not looked into any further: then the claims are all that is told.
    """
    found: dict[str, Relation] = {}
    for claim in claims:
        kind: Kind = "dangling" if not claim.exists else "shared" if claim.shared_with else "owned"
        target = spell(scope, claim.path)
        found[target] = Relation(kind, target, scope, claim.path, owning=True, shared_with=claim.shared_with)
    for mention in find(get(states[scope], (INTENTS, intent), None)) if texts else ():
        if mention.target not in found:
            named = _named(dialect, states, whole, mention)
            if named is not None:
                found[mention.target] = named
    return tuple(sorted(found.values(), key=lambda relation: KINDS.index(relation.kind)))


def alone(scope: Scope, claims: Iterable[Claim]) -> Cascade:
    """What goes when one intent alone is deleted: what its `claims` own and no other intent names."""
    free = {claim.path for claim in claims if claim.exists and not claim.shared_with}
    top = [path for path in free if not any(path[:length] in free for length in range(1, len(path)))]
    return Cascade(scope, tuple(sorted(top, key=lambda path: collation_key(spell(scope, path)))))


def unowned(dialect: Dialect, state: JsonObject, claims: Iterable[Claim]) -> Iterator[Keys]:
    """The topmost paths in the ownable planes of a scope that no intent owns, nor anything above or in them."""
    owned = {claim.path for claim in claims if claim.exists}
    above = {path[:length] for path in owned for length in range(1, len(path))}
    planes = [plane for plane in dialect.planes if plane in dialect.ownable and plane in state]
    stack: list[Iterator[tuple[Keys, Json]]] = [_below((), {plane: state[plane] for plane in planes})]
    while stack:
        for path, value in stack[-1]:
            if path in owned:
                continue
            if is_object(value) and (len(path) == 1 or path in above):
                stack.append(_below(path, value))
                break
            if len(path) > 1:
                yield path
        else:
            stack.pop()


def _below(path: Keys, value: JsonObject) -> Iterator[tuple[Keys, Json]]:
    for key, member in value.items():
        yield (*path, key), member


def _named(
    dialect: Dialect, states: Mapping[Scope, JsonObject], whole: JsonObject | None, mention: Mention
) -> Relation | None:
    """What a mention that owns nothing names; None for text that only looks like a path."""
    selector = try_parse(dialect, mention.target)
    if selector is None:
        if not mention.structured:
            return None
        return Relation("used", mention.target, None, (), owning=False, known=False)
    if selector.offset:
        return Relation("used", mention.target, None, (), owning=False, known=False)
    value = whole if selector.scope is None else states.get(selector.scope)
    path, there = _found(value, selector)
    kind: Kind = "used" if value is None or there else "dangling"
    root: Root = "effective" if selector.root == EFFECTIVE or selector.scope is None else selector.scope
    return Relation(kind, mention.target, root, path, owning=False, known=value is not None)


def _found(value: JsonObject | None, selector: Selector) -> tuple[KeyPath, bool]:
    """Where a selector leads, as far as keys and single indexes say it, and whether all of it is there."""
    path: list[str | int] = []
    for number, step in enumerate(selector.steps):
        if isinstance(step, Range):
            array = None if value is None else get(value, path, None)
            last = number == len(selector.steps) - 1
            return tuple(path), last and is_array(array) and step.start <= step.stop <= len(array)
        path.append(step)
    return tuple(path), value is not None and has(value, path)
