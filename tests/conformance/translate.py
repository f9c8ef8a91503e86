"""A recorded case of dialect 2, told in the words of dialect 4.

The two vocabularies differ in two names of equal length, so the names are exchanged wherever they are spelled: as
planes, in paths, pointers and references, in prose. Nothing recorded spells the new names yet, which makes this a
renaming and no more; only hashes have to be taken again. The dialects differ in one thing, strategy can be owned and
contract cannot, but no recorded intent refers to something that exists there: no result changes. What strategy
ownership does is in the hand-worked tables of the tests of memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.values import sha256
from tests.conformance.case import Case

NAMES = (("contract", "strategy"), ("working", "tactics"))


def translate(case: Case) -> Case:
    """The case in dialect 4; raises ValueError where the new names occur already."""
    return {name: value if name in ("id", "tags") else _hashed(_renamed(value)) for name, value in case.items()}


def _renamed(value: Any) -> Any:
    if isinstance(value, str):
        for old, new in NAMES:
            if new in value:
                raise ValueError(f"{value!r} already says {new}")
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {_renamed(name): _renamed(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_renamed(member) for member in value]
    return value


def _hashed(value: Any) -> Any:
    """The value with every `<name>Sha256` beside `<name>` taken again."""
    if not isinstance(value, Mapping):
        return value
    fresh = {name: _hashed(member) for name, member in value.items()}
    for name in fresh:
        subject = name.removesuffix("Sha256")
        if subject == name:
            continue
        if subject in fresh:
            fresh[name] = sha256(fresh[subject])
        elif f"{subject}States" in fresh:
            fresh[name] = {scope: sha256(state) for scope, state in fresh[f"{subject}States"].items()}
    return fresh
