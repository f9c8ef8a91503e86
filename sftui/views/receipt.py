"""What a patch did: the agent's receipt, and for people all that followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.memory.cohort import vector
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.store.proposal import Published
from engine.values import JsonObject

if TYPE_CHECKING:
    from sftui.views.entails import Entails


@dataclass(frozen=True, slots=True)
class Done:
    """What was written. `changed` is empty where memory already was as the patch wants it."""

    published: Published
    changed: tuple[Scope, ...]
    vector: str

    @property
    def entails(self) -> Entails:
        """All that followed, worked out for whoever asks: a program is told the receipt alone."""
        from sftui.views.entails import entails

        return entails(self.published)

    @property
    def words(self) -> str:
        """The receipt in one sentence, cleaned."""
        if not self.changed:
            return f"nothing to change: memory is like this already ({self.vector})"
        from sftui.views.growth import delta

        entailed = self.entails
        diffs = entailed.diffs
        # What went with an intent is counted by itself, and what moved once.
        lines = [
            line for told in diffs for line in told.lines if line.sign != "×" and not (line.sign == "-" and line.place)
        ]
        places = len(lines) + sum(told.more for told in diffs)
        told = f"changed {', '.join(self.changed)}: {places} place{'' if places == 1 else 's'}"
        if entailed.taken:
            told += f", {len(entailed.taken)} went with intents"
        grew = entailed.growth.hot + entailed.growth.lazy
        return f"{told}, {delta(grew)} ({self.vector})"

    def to_json(self) -> JsonObject:
        """The receipt exactly as an agent gets it."""
        return self.published.receipt.to_json()


def done(published: Published) -> Done:
    """Tell what was written."""
    revisions: dict[Scope, int] = {
        scope: reading.stream.revision
        for scope, reading in published.snapshot.scopes.items()
        if reading.stream is not None
    }
    return Done(published, published.changed, vector(revisions))
