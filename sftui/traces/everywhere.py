"""One look at every place, in the order in which something can be done about it."""

from __future__ import annotations

from collections.abc import Iterator

from sftui.traces import own, repository, store
from sftui.traces.sought import Sought
from sftui.traces.store import Step


def look(root: str, sought: Sought) -> Iterator[Step]:
    """Every trace of what is sought, of the store at `root`. Steps are short; raises nothing for what it reads."""
    yield from store.look(root, sought)
    yield from own.look(root, sought)
    yield from repository.look(root, sought)
