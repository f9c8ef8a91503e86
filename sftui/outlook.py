"""What a draft would do to the memory on screen: read and staged in a thread, in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import EngineError, StoreFailure
from engine.memory.gathering import Drift, drifted
from engine.records import dataclass
from sftui.views.moves import moves
from sftui.views.staging import Staging, staging

if TYPE_CHECKING:
    from engine.memory.draft import Draft
    from engine.store.proposal import Published
    from engine.store.readings import Snapshot
    from sftui.port import WritePort
    from sftui.views.picture import Picture


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a draft would do, as far as it can be told; of an empty one nothing.

    `preview` is the dry run, None where `trouble` says why there is none; `staging` lays it over the picture. `drift`
    are the pre-images that no longer hold.
    """

    preview: Published | None = None
    staging: Staging | None = None
    trouble: EngineError | None = None
    drift: tuple[Drift, ...] = ()


def outlook(port: WritePort, picture: Picture, draft: Draft) -> Outlook:
    """Work it out. Blocks."""
    if draft.is_empty or picture.snapshot is None:
        return Outlook()
    drift = drifted(draft, picture.states)
    try:
        preview = port.preview(picture.snapshot, draft)
    except EngineError as error:
        return Outlook(trouble=error, drift=drift)
    except OSError as error:
        told = StoreFailure("unreadable", f"the store cannot be read: {error.strerror or error}")
        return Outlook(trouble=told, drift=drift)
    return Outlook(preview, staging(picture, preview, drift, moves(draft)), None, drift)


def is_landing(written: Published | None, shown: Snapshot | None) -> bool:
    """Whether something was applied that the picture does not show yet."""
    if written is None or shown is None or written.snapshot.address != shown.address:
        return False
    for scope in written.changed:
        now, then = shown.scopes[scope].stream, written.snapshot.scopes[scope].stream
        if then is not None and (now is None or now.revision < then.revision):
            return True
    return False
