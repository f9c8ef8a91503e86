"""The one switch for every shortcut, so that each can be compared with its slow twin."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# The library takes as long to load as this much text takes without it.
WORTH_LOADING: Final = 64 * 1024

_enabled = True


def fast_paths() -> bool:
    """Whether shortcuts may be taken. Results are the same either way."""
    return _enabled


def library_pays(size: int) -> bool:
    """Whether a text of `size` bytes, or an estimate of it, is worth the library: once it is loaded, always."""
    return size > WORTH_LOADING or "orjson" in sys.modules


def set_fast_paths(on: bool) -> None:
    """Turn every shortcut of the process on or off."""
    global _enabled
    _enabled = on


@contextmanager
def use_fast_paths(on: bool) -> Iterator[None]:
    """The same for the length of a `with` block."""
    before = _enabled
    set_fast_paths(on)
    try:
        yield
    finally:
        set_fast_paths(before)
