"""What a patch did, or would do: the agent's receipt, and before it is written the preview a person approves."""

from __future__ import annotations

from collections.abc import Mapping

from engine.memory.cohort import vector
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.store.proposal import Published
from engine.values import Json, JsonObject, MissingDeletion, Surprise


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be written: nothing has been. `digest` is what `--approved` takes.

    `advice` are sentences about what else follows, for a session above all.
    """

    digest: str
    net: Mapping[Scope, JsonObject]
    cascaded: Mapping[Scope, tuple[str, ...]]
    missed: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]
    advice: tuple[str, ...]
    receipt: JsonObject

    def to_json(self) -> JsonObject:
        cascaded: dict[str, Json] = {scope: list(paths) for scope, paths in self.cascaded.items()}
        missed: list[Json] = [{"path": m.path, "unavailable": m.unavailable} for m in self.missed]
        warnings: list[Json] = [warning_json(warning) for warning in self.warnings]
        return {
            "dry_run": True,
            "digest": self.digest,
            "net": {scope: patch for scope, patch in self.net.items()},  # noqa: C416 - a wider type
            "cascaded": cascaded,
            "missed_deletions": missed,
            "warnings": warnings,
            "advice": list(self.advice),
            "receipt": self.receipt,
        }


@dataclass(frozen=True, slots=True)
class Done:
    """What was written. `changed` is empty where memory already was as the patch wants it."""

    receipt: JsonObject
    changed: tuple[Scope, ...]
    vector: str
    net: Mapping[Scope, JsonObject]
    cascaded: Mapping[Scope, tuple[str, ...]]
    missed: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]
    advice: tuple[str, ...]

    def to_json(self) -> JsonObject:
        """The receipt exactly as an agent gets it."""
        return self.receipt


def preview(published: Published) -> Preview:
    staged = published.staged
    return Preview(
        digest=published.digest,
        net=staged.net,
        cascaded=staged.cascaded,
        missed=staged.missed,
        warnings=staged.warnings,
        advice=published.advice,
        receipt=published.receipt.to_json(),
    )


def done(published: Published) -> Done:
    staged = published.staged
    scopes = published.snapshot.scopes
    revisions: dict[Scope, int] = {
        scope: reading.stream.revision for scope, reading in scopes.items() if reading.stream is not None
    }
    return Done(
        receipt=published.receipt.to_json(),
        changed=published.changed,
        vector=vector(revisions),
        net=staged.net,
        cascaded=staged.cascaded,
        missed=staged.missed,
        warnings=staged.warnings,
        advice=published.advice,
    )


def warning_json(warning: Surprise) -> JsonObject:
    return {"code": warning.code, "path": warning.path, "detail": warning.detail}
