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
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f" in {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
