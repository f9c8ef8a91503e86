"""What a patch did: the agent's receipt, and for people all that followed."""

from __future__ import annotations

from engine.memory.cohort import vector
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.store.proposal import Published
from engine.values import JsonObject
from sftui.views.entails import Entails, entails
from sftui.views.growth import delta


@dataclass(frozen=True, slots=True)
class Done:
    """What was written. `changed` is empty where memory already was as the patch wants it."""

    entails: Entails
    changed: tuple[Scope, ...]
    vector: str

    @property
    def words(self) -> str:
        """The receipt in one sentence, cleaned."""
        if not self.changed:
            return f"nothing to change: memory is like this already ({self.vector})"
        diffs = self.entails.diffs
        # What went with an intent is counted by itself, and what moved once.
        lines = [
            line for told in diffs for line in told.lines if line.sign != "×" and not (line.sign == "-" and line.place)
        ]
        places = len(lines) + sum(told.more for told in diffs)
        told = f"changed {', '.join(self.changed)}: {places} place{'' if places == 1 else 's'}"
        if self.entails.taken:
            told += f", {len(self.entails.taken)} went with intents"
        grew = self.entails.growth.hot + self.entails.growth.lazy
        return f"{told}, {delta(grew)} ({self.vector})"

    def to_json(self) -> JsonObject:
        """The receipt exactly as an agent gets it."""
        return self.entails.receipt


def done(published: Published) -> Done:
    """Tell what was written."""
    revisions: dict[Scope, int] = {
        scope: reading.stream.revision
        for scope, reading in published.snapshot.scopes.items()
        if reading.stream is not None
    }
    return Done(entails(published), published.changed, vector(revisions))
