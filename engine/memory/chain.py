"""Patches staged one after another, each on what those before it leave: what a script of them comes to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.memory.dialect import Dialect
from engine.memory.patching import Staged, approval, stage
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, has, net_patch


@dataclass(frozen=True, slots=True)
class Link:
    """One patch of a chain: what it does to what those before it left, and the digest of that."""

    staged: Staged
    digest: str


@dataclass(frozen=True, slots=True)
class Chain:
    """All of them: the values before and after, and what lies between.

    `cascaded` has what went with intents: what was there before, and is not in the end. `digest` is what a person approves: all of the
    links', in their order.
    """

    before: Mapping[Scope, JsonObject]
    after: Mapping[Scope, JsonObject]
    links: tuple[Link, ...]

    @property
    def net(self) -> Mapping[Scope, JsonObject]:
        """What all of them come to, scope by scope; what they change and change back is not in it."""
        touched = {scope for link in self.links for scope in link.staged.net}
        nets = {s: net_patch(self.before.get(s, {}), self.after.get(s, {})) for s in SCOPES if s in touched}
        return {scope: net for scope, net in nets.items() if net}

    @property
    def cascaded(self) -> Mapping[Scope, tuple[str, ...]]:
        found: dict[Scope, dict[str, None]] = {}
        for link in self.links:
            for scope, paths in link.staged.cascaded.items():
                old, new = self.before.get(scope, {}), self.after.get(scope, {})
                keys = {path: path.split(".")[1:] for path in paths}  # only keys that a read can name are ever owned
                gone = (path for path in paths if has(old, keys[path]) and not has(new, keys[path]))
                found.setdefault(scope, {}).update(dict.fromkeys(gone))
        return {scope: tuple(paths) for scope, paths in found.items() if paths}

    @property
    def digest(self) -> str:
        import hashlib  # not needed by whoever only writes

        return hashlib.sha256("\n".join(link.digest for link in self.links).encode()).hexdigest()


def links(
    dialect: Dialect, states: Mapping[Scope, JsonObject], patches: Iterable[Mapping[Scope, JsonObject]]
) -> Iterator[Link]:
    """Stage patches on these values, which have to be valid, one after another.

    Raises InvalidRequest for the one whose turn it is.
    """
    values = dict(states)
    tidy: frozenset[Scope] = frozenset()
    for patch in patches:
        request: dict[str, Json] = dict(patch.items())
        staged = stage(dialect, values, request, valid=frozenset(values), tidy=tidy)
        tidy |= staged.tidied
        yield Link(staged, approval(values, staged))
        values |= {scope: staged.after[scope] for scope in staged.net}


def chain(states: Mapping[Scope, JsonObject], found: Iterable[Link]) -> Chain:
    """Put links together that were staged on these values."""
    every = tuple(found)
    after = dict(states)
    for link in every:
        after |= {scope: link.staged.after[scope] for scope in link.staged.net}
    return Chain(states, after, every)
