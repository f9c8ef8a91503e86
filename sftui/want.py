"""What the app was asked to show, and where an error came from."""

from __future__ import annotations

import os

from engine.records import dataclass


@dataclass(frozen=True, slots=True)
class Want:
    """A directory (or, where it is not known, its key) and a session; None follows the directory's newest one."""

    cwd: str | None
    key: str | None = None
    session: str | None = None


def place_of(error: BaseException) -> str:
    """Give file and line of an error, without any value: a traceback would print stored data."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        folder, name = os.path.split(trace.tb_frame.f_code.co_filename)
        # The innermost place in code of our own says most.
        if not place or _OURS in folder:
            place = f" in {name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


_OURS = os.path.dirname(os.path.abspath(__file__))
