"""Work beside the interface: one way to begin it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from textual.dom import DOMNode


def begin(
    owner: DOMNode, work: Callable[[], Coroutine[Any, Any, object]], group: str = "default", *, exclusive: bool = False
) -> None:
    """Begin `work`, which ends with its owner; an `exclusive` one ends the others of its group.

    It is called only when it is its turn: of work that is ended before no coroutine is left that nobody awaits.
    """
    called: Any = work
    owner.run_worker(called, group=group, exclusive=exclusive, exit_on_error=False)
