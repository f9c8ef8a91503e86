"""The engine of sftui: an agent's JSON memory store, read and changed as the agent does it.

Names are imported when they are first asked for, so that a command line pays
only for what it uses.
"""

from __future__ import annotations

from importlib import import_module

_HOMES = {
    "Address": "engine.store.layout",
    "Busy": "engine.errors",
    "Cancelled": "engine.errors",
    "DecodeError": "engine.errors",
    "Draft": "engine.memory.draft",
    "EngineError": "engine.errors",
    "Fenced": "engine.errors",
    "InvalidRequest": "engine.errors",
    "Ledger": "engine.ledger",
    "LockState": "engine.store.lock",
    "Moved": "engine.errors",
    "Published": "engine.store.publication",
    "Snapshot": "engine.store.snapshot",
    "StoreFailure": "engine.errors",
    "compile_draft": "engine.memory.compiling",
    "finish_or_undo": "engine.store.journal",
    "publish": "engine.store.publication",
    "read_state": "engine.memory.reading",
    "snapshot": "engine.store.snapshot",
    "undo_draft": "engine.memory.undo",
    "watch": "engine.store.watch",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
