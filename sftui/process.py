"""How the process runs beside an interface that must answer: the garbage collector, and threads that take turns."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from time import perf_counter, sleep
from typing import Final

# How often the collector looks: hardly ever while the modules and the first memory are loaded, none of which is
# garbage; then at as many new objects as take it a millisecond or two.
LOADING: Final = (1_000_000, 20, 100)
RUNNING: Final = (5_000, 20, 10)
# How long a thread may keep the interface from going on, in seconds. It asks whenever it comes back from waiting,
# which is several times for a key.
SWITCH_SECONDS: Final = 0.001
# A thread that is in no hurry works so long, and then rests as long, in seconds.
TURN_SECONDS: Final = 0.002

_loaded = False


def begin() -> None:
    """Do so before the interface is loaded."""
    gc.set_threshold(*LOADING)
    sys.setswitchinterval(SWITCH_SECONDS)


def loaded(*, much: bool) -> None:
    """Tell the collector, once memory was loaded, that it need not look through that, or through the modules.

    Memory holds no cycles. Left to the collector, 200,000 objects stall the interface for a quarter of a second
    whenever it looks through them all. Done once in a process, and again only after `much` was loaded: whatever else
    is garbage at that moment is never collected.
    """
    global _loaded
    if _loaded and not much:
        return
    if _loaded:
        gc.collect(1)
    _loaded = True
    gc.freeze()
    gc.set_threshold(*RUNNING)


def taking_turns(share: float = 0.5) -> Callable[[], None]:
    """Give what a thread calls often: it rests there, so that the interface has its time: all but a `share`, at least.

    Half of it, unless somebody waits for what the thread works out.
    """
    began, pause = perf_counter(), TURN_SECONDS * (1 - share) / share

    def rest() -> None:
        nonlocal began
        if perf_counter() - began >= TURN_SECONDS:
            sleep(pause)
            began = perf_counter()

    return rest
