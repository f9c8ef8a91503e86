"""Long work in short slices: the interface runs in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from time import perf_counter
from typing import Final, TypeVar

T = TypeVar("T")

# How long a slice may hold the interface, in seconds: half a frame.
SLICE_SECONDS: Final = 0.008
# A turn of the event loop that took less had nothing to do but come back.
NOTHING_SECONDS: Final = 0.0005
# The work goes on after so long though there is always something to do.
PATIENCE_SECONDS: Final = 0.1


async def in_slices(steps: Iterator[T]) -> AsyncIterator[T]:
    """Give what `steps` gives; let the interface do all that waits to be done whenever a slice is over."""
    began = perf_counter()
    for step in steps:
        yield step
        if perf_counter() - began >= SLICE_SECONDS:
            await _hand_over()
            began = perf_counter()


async def _hand_over() -> None:
    """Let the event loop turn until a turn finds nothing to do.

    A key takes a dozen turns, from queue to queue, before its frame is painted: with a slice
    of work in each of them it would wait for them all.
    """
    began = before = perf_counter()
    while before - began < PATIENCE_SECONDS:
        await asyncio.sleep(0)
        now = perf_counter()
        if now - before < NOTHING_SECONDS:
            return
        before = now
