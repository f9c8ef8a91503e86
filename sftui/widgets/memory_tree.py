"""The tree of memory."""

from __future__ import annotations

from sftui.widgets.virtual_tree import Path, VirtualTree

__all__ = ["MemoryTree", "Path"]


class MemoryTree(VirtualTree):
    """One view of memory."""
