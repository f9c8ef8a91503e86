"""The least that a Textual app with a tree, a pane and a footer can be: `python -m benchmarks.minimal_app`."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widgets import Footer, Static, Tree


class MinimalApp(App[None]):
    CSS = "Tree, Static { width: 1fr; }"
    BINDINGS: ClassVar = [("q", "quit", "leave")]

    def compose(self) -> ComposeResult:
        tree: Tree[None] = Tree("READY")
        for index in range(30):
            tree.root.add_leaf(f"row {index}")
        tree.root.expand()
        with Horizontal():
            yield tree
            yield Static("a pane", markup=False)
        yield Footer()


if __name__ == "__main__":
    MinimalApp().run()
