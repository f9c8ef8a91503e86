"""The inverse of a transition: the patch that leads back, made where it is recorded, at no more than its own cost."""

from __future__ import annotations

from engine.memory.dialect import RESPONSE
from engine.values import JsonObject, KeyTrie, is_object, net_patch


def inverse(scope: str, before: JsonObject, after: JsonObject, net: JsonObject) -> JsonObject:
    """The patch that leads back from `after`, looked for where the record `net` points: nulls, and whole arrays.

    Only of a session an answer is brought back. Read it with `undo_draft`: an object may stand for an array there.
    """
    found = net_patch(after, before, touched=_touched(net))
    return found if scope == "session" else {plane: change for plane, change in found.items() if plane != RESPONSE}


def _touched(net: JsonObject) -> KeyTrie:
    return {key: _touched(below) if is_object(below) and below else None for key, below in net.items()}
