"""What screen 5 and `sftui context` say in words, and the bars that show shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.memory.context import NAVIGATION, RECENT, STATE
from sftui.views.context import Next
from sftui.views.entails import Folded
from sftui.views.growth import delta
from sftui.views.spans import Spans
from sftui.views.sparklines import blocks
from sftui.views.weighing import Weighed

_PARTS: Final = {STATE: "hot memory", NAVIGATION: "hint at lazy memory", RECENT: "recent transitions"}
_FULL: Final = "█"
_EMPTY: Final = "░"


def part_words(name: str) -> str:
    """Name a part of a context for people."""
    return _PARTS[name]


def bar(size: int, total: int, width: int) -> str:
    """Give a share as a bar of `width` cells; anything at all fills one."""
    full = min(width, max(1 if size else 0, round(width * size / total))) if total else 0
    return _FULL * full + _EMPTY * (width - full)


def share(size: int, total: int) -> str:
    """Give a share in percent."""
    if not total or not size:
        return "0 %"
    percent = 100 * size / total
    return "<1 %" if percent < 1 else f"{percent:.0f} %"


def delta_words(weighed: Weighed) -> Spans:
    """Say by how much the last change made hot memory longer, and how long it was over the lineage."""
    grew = weighed.grew
    if grew is None:
        return (("hot memory before the last change: not known", "muted"),)
    known = [size for size in (*reversed(weighed.before), weighed.state.size) if size is not None]
    changes = len(known) - 1
    words = f"over {changes} {'change' if changes == 1 else 'changes'}"
    return (
        ("the last change: ", "muted"),
        (delta(grew), "added" if grew > 0 else "removed" if grew < 0 else "text"),
        (" of hot memory  ", "muted"),
        (blocks(known, len(known)), "accent"),
        (f" {words} {delta(known[-1] - known[0])}", "muted"),
    )


def recent_words(weighed: Weighed) -> str:
    """Count the recent transitions, those that are not told too."""
    told, all_of_them = len(weighed.recent), len(weighed.recent) + weighed.untold
    if not all_of_them:
        return "none"
    if not weighed.untold:
        return f"{told}"
    one = weighed.untold == 1
    return f"{told} of {all_of_them}: {weighed.untold} {'says' if one else 'say'} nothing that is given"


def next_lines(found: Next) -> Iterator[Spans]:
    """Say what history lets go of with the next change."""
    for fold, offset in found.folds:
        yield (
            (f"{fold.scope[0]}{fold.revision} ", "strong"),
            (_paths(fold), "key"),
            (f"  folds into the checkpoint of {fold.scope} when that changes next", "text"),
            ("" if offset is None else f"; now at {fold.scope}[{offset}]", "muted"),
        )
    if found.leaves is not None:
        yield ((f"effective[{found.leaves}]", "strong"), (" can no longer be asked for after the next change", "text"))
    if found.drops is not None:
        yield (
            (f"effective[{found.drops}]", "strong"),
            (" is then no recent transition any more: a model is not told of it", "text"),
        )
    if not found.folds and found.leaves is None:
        yield (("folds nothing away: there is still room in every history", "muted"),)


def _paths(fold: Folded) -> str:
    return ", ".join(fold.paths) + (f" and {fold.more} more" if fold.more else "")
