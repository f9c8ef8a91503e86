"""The terminal that the app draws on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver


def drawing_on_stdout(driver: type[Driver]) -> type[Driver]:
    """Give a driver that draws where standard output leads.

    The stock driver draws on standard error: `sftui 2>/dev/null` would be a blank screen, `2>&-` would hang.
    """
    if not any(base.__name__ == "LinuxDriver" for base in driver.__mro__):
        return driver

    class StdoutDriver(driver):  # type: ignore[misc, valid-type]
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._file = sys.__stdout__

    return StdoutDriver


def is_light(environ: Mapping[str, str]) -> bool:
    """Tell whether the terminal says that its background is light (COLORFGBG: `0;15`)."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in {"7", "15"}
