"""A value brought to another place, with what an intent owns, and with the references that follow it."""

from __future__ import annotations

from engine.memory.artifacts import shown_card, shown_cards
from engine.memory.dialect import ARTIFACTS
from engine.memory.draft import Transfer
from engine.memory.ownership import INTENTS, Claim
from engine.memory.renaming import Renaming, effective_renamings, renamed, renaming
from engine.memory.scope import Scope
from engine.memory.working import Blocked, Working, check_depth
from engine.values import Json, KeyPath, dotted, related, same

_INTENT = 2  # the length of the path of an intent


def transfer(working: Working, move: Transfer) -> list[Renaming]:
    """Carry out a move or a copy; returns what references everywhere have to follow."""
    source, target = (move.scope, move.path), (move.to_scope, move.to_path)
    working.check_place(*source)
    if not working.has(*source):
        raise Blocked("source-gone", *source, "Nothing stands there any more")
    if source == target:
        raise Blocked("same-place", *target, "That is where it stands already")
    if not move.keep and move.scope == move.to_scope and move.to_path[: len(move.path)] == move.path:
        raise Blocked("into-itself", *target, "A value cannot be moved into itself")
    _check_free(working, *target)
    value = working.get(*source)
    if len(move.to_path) > len(move.path):
        check_depth(move.to_scope, move.to_path, value)
    claims = _claims(working, move)
    _check_along(working, move, claims)
    followed = _renamings(move, claims)
    value = without_bookkeeping(move.to_path, renamed(working.dialect, working.share(value), followed))
    working.put(move.to_scope, move.to_path, value)
    _take_along(working, move, claims)
    if not move.keep:
        working.remove(*source)
    if not move.rewrite or move.keep:
        return []
    everywhere = _renamings(move, [claim for claim in claims if not claim.shared_with])
    moved = renaming(move.scope, move.path, move.to_scope, move.to_path)
    shown = effective_renamings(working, move.path, move.to_scope, move.to_path)
    return ([] if moved is None else [moved]) + shown + everywhere


def _claims(working: Working, move: Transfer) -> list[Claim]:
    """What goes along: the existing places that a whole intent owns, none below another."""
    if not move.along or len(move.path) != _INTENT or move.path[0] != INTENTS:
        return []
    found = working.holdings(move.scope).claims(str(move.path[1]), working.states[move.scope])
    claims = [claim for claim in found if claim.exists]
    paths = {claim.path for claim in claims}
    return [claim for claim in claims if not any(claim.path[:n] in paths for n in range(1, len(claim.path)))]


def _check_free(working: Working, scope: Scope, path: KeyPath) -> None:
    working.check_put(scope, path)
    if working.has(scope, path):
        raise Blocked("target-occupied", scope, path, "Something stands there already")


def _check_along(working: Working, move: Transfer, claims: list[Claim]) -> None:
    """Raise Blocked where something that goes along has no place of its own; what stands there alike is one with it."""
    for claim in claims if move.to_scope != move.scope else ():
        if related(claim.path, move.to_path):
            raise Blocked("target-occupied", move.to_scope, move.to_path,
                          f"What goes along comes to {dotted(move.to_scope, claim.path)}")  # fmt: skip
        here = working.get(move.scope, claim.path)
        if not working.has(move.to_scope, claim.path):
            working.check_put(move.to_scope, claim.path)
        elif not same(working.get(move.to_scope, claim.path), here):
            raise Blocked("target-occupied", move.to_scope, claim.path,
                          f"What goes along finds another value at {dotted(move.to_scope, claim.path)}")  # fmt: skip


def _take_along(working: Working, move: Transfer, claims: list[Claim]) -> None:
    if move.to_scope == move.scope:
        if not move.keep and move.to_path[0] != INTENTS:
            # It is no intent any more: what it owned would go with it.
            for claim in claims:
                working.touch(move.scope, claim.path)
        return
    followed = _renamings(move, claims)
    for claim in claims:
        value = working.share(working.get(move.scope, claim.path))
        if not working.has(move.to_scope, claim.path):
            working.put(move.to_scope, claim.path, renamed(working.dialect, value, followed))
        if move.keep:
            continue
        if claim.shared_with:
            working.remark("copied-along", move.scope, claim.path,
                           f"It stays as well: {', '.join(claim.shared_with)} refers to it")  # fmt: skip
        else:
            working.remove(move.scope, claim.path)


def _renamings(move: Transfer, claims: list[Claim]) -> list[Renaming]:
    """What references to that which goes along become."""
    if move.to_scope == move.scope:
        return []
    found = (renaming(move.scope, claim.path, move.to_scope, claim.path) for claim in claims)
    return [one for one in found if one is not None]


def without_bookkeeping(path: KeyPath, value: Json) -> Json:
    """A value that is to stand at `path`, its cards without what says where they came from: a patch may not claim it."""
    if path[0] != ARTIFACTS or len(path) > 2:
        return value
    return shown_cards(value) if len(path) == 1 else shown_card(value)
