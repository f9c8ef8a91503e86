"""What there is to know about drafts besides what they would do: left behind, not saved, moved, blocked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sftui.display import clean
from sftui.views.notices import Notice

if TYPE_CHECKING:
    from engine.errors import EngineError
    from engine.memory.gathering import Drift


def count_of(steps: int) -> str:
    """Say how long a draft is."""
    return f"{steps:,} change{'' if steps == 1 else 's'}"


def draft_notices(
    *,
    left: Sequence[str] = (),
    unsaved: str = "",
    trouble: EngineError | None = None,
    drift: Sequence[Drift] = (),
    resume_key: str,
    drop_key: str,
    review_key: str,
) -> tuple[Notice, ...]:
    """Give what to say, the most urgent first.

    `left` are the drafts that nobody holds, in words. `unsaved` says why the disk
    does not hold the draft.
    """
    found: list[Notice] = []
    if unsaved:
        found.append(
            Notice(
                "warning", "the draft is not saved", "", clean(unsaved), "It is kept here, and saving is tried again."
            )
        )
    if trouble is not None and trouble.code == "dialect-needed":
        found.append(
            Notice("warning", "nobody has said how the agent speaks", "", f"the review asks for it: {review_key}", "")
        )
    elif trouble is not None:
        found.append(Notice("warning", "the draft cannot be applied", "", clean(str(trouble)), ""))
    elif drift:
        places = len({(one.scope, one.path) for one in drift})
        what = "place that the draft changes" if places == 1 else "places that the draft changes"
        found.append(Notice("info", f"memory has moved in {places:,} {what}", "", f"{review_key} shows what", ""))
    if left:
        more = f" ({len(left) - 1:,} more)" if len(left) > 1 else ""
        found.append(
            Notice(
                "info",
                "a draft was left behind",
                "",
                f"{left[0]}{more}: {resume_key} goes on with it, {drop_key} drops it",
                "",
            )
        )
    return tuple(found)
