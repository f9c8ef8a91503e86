"""Long work in a thread, step by step: what it gives comes in batches, and it ends soon after it is cancelled."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar

from sftui.process import taking_turns

if TYPE_CHECKING:
    import threading
    from collections.abc import AsyncIterator, Callable, Iterator

T = TypeVar("T")

# How often what has been worked out is taken over, in seconds; only while there is work.
POLL_SECONDS: Final = 0.03
# A person waits for it, and may press a key meanwhile: the thread takes this share of the time.
SHARE: Final = 0.8


async def in_thread(steps: Callable[[], Iterator[T | None]], cancel: threading.Event) -> AsyncIterator[list[T]]:
    """Give what `steps` gives, in batches that may be empty, until it ends or is cancelled.

    The thread looks at `cancel` with every step, and rests so that the interface answers meanwhile. None is
    a step without anything to give. What `steps` raises is raised here, once all is given that came before.
    """
    given: deque[T] = deque()

    def work() -> None:
        rest = taking_turns(SHARE)
        for step in steps():
            if cancel.is_set():
                return
            if step is not None:
                given.append(step)
            rest()

    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        while not task.done() and not cancel.is_set():
            await asyncio.wait({task}, timeout=POLL_SECONDS)
            if not cancel.is_set():
                yield [given.popleft() for _ in range(len(given))]
        if task.done() and not cancel.is_set():
            yield list(given)
            task.result()
    finally:
        cancel.set()
        if not task.done():
            # It ends by itself; nobody asks how.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
