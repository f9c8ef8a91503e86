"""How the memory is looked at, taken from its screen and given back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sftui.screens.browsing import BrowsingScreen
    from sftui.viewstate import Looks


def looks_of(screen: BrowsingScreen, *, shown: str, narrow: bool) -> Looks:
    """How the memory is looked at now; `shown` is the main screen that is up."""
    from sftui.viewstate import Looks, highest

    pending = screen.pending
    if pending is not None or not screen.is_mounted:
        before = pending if pending is not None else Looks()
        return Looks(shown, narrow, before.view, before.filter, before.expanded, before.cursors, before.top)
    tree = screen.rows
    expanded = {view: highest(paths) for view, paths in screen.expanded.items()}
    expanded[screen.view] = highest(screen.filter.opened_before if screen.filter.text else tree.expanded)
    cursors = dict(screen.cursors)
    if tree.cursor_key is not None:
        cursors[screen.view] = tree.cursor_key
    top = tree.scroll_offset.y
    return Looks(
        shown,
        narrow,
        screen.view,
        screen.filter.text,
        expanded,
        cursors,
        tree.keys[top] if 0 < top < len(tree.keys) else None,
    )


def look_again(screen: BrowsingScreen, looks: Looks) -> None:
    """Look at the memory as it was looked at; where the rows are not shown yet, once they are."""
    if screen.filter.text:
        screen.filter.drop()
    screen.view = looks.view
    screen.expanded = {view: set(paths) for view, paths in looks.expanded.items()}
    screen.cursors = dict(looks.cursors)
    screen.pending = looks


def begin(screen: BrowsingScreen) -> None:
    """Open the rows that were open, before they are shown."""
    screen.rows.expanded = screen.expanded.get(screen.view, set())


def place(screen: BrowsingScreen, looks: Looks) -> None:
    """Put cursor and scroll where they were, as far as those rows are still there."""
    tree = screen.rows
    path = looks.cursors.get(screen.view, ())
    while path and not tree.move_to_key(path):
        path = path[:-1]
    try:
        top = tree.keys.index(looks.top) if looks.top is not None else 0
    except ValueError:
        pass
    else:
        tree.scroll_to(y=top, animate=False, force=True)
    if looks.filter:
        screen.filter.set(looks.filter, at_once=True)
    screen.say_tree()
