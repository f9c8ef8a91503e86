"""Long work in short slices: the interface runs in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from time import perf_counter
from typing import Final, TypeVar

T = TypeVar("T")

# How long a slice may hold the interface, in seconds: half a frame.
SLICE_SECONDS: Final = 0.008


async def in_slices(steps: Iterator[T]) -> AsyncIterator[T]:
    """Give what `steps` gives; hand over to the event loop whenever a slice is over."""
    began = perf_counter()
    for step in steps:
        yield step
        if perf_counter() - began >= SLICE_SECONDS:
            await asyncio.sleep(0)
            began = perf_counter()
