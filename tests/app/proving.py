"""Which test proves which action: `@proves("memory.edit")` on a test; test_every_action reads it from the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sftui.actions import BY_ID

Test = TypeVar("Test", bound=Callable[..., object])


def proves(*ids: str) -> Callable[[Test], Test]:
    """Say that a test presses the keys of these actions and looks at what they did."""
    unknown = [name for name in ids if name not in BY_ID]
    if unknown or not ids:
        raise ValueError(f"no such action: {', '.join(unknown) or 'none named'}")

    def keep(test: Test) -> Test:
        return test

    return keep
