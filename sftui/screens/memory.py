"""Screen 2: everything that is remembered, as a tree, and all that changes it."""

from __future__ import annotations

from typing import ClassVar

from sftui.actions import bindings
from sftui.screens.browsing import WIDE, BrowsingScreen

__all__ = ["WIDE", "MemoryScreen"]


class MemoryScreen(BrowsingScreen):
    """The memory tree with a draft in it."""

    BINDINGS: ClassVar = bindings("memory")
