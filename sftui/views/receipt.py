"""What a patch did, or would do: the agent's receipt, and before it is written the preview a person approves."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import EngineError
from engine.memory.cohort import vector
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.store.proposal import Published
from engine.store.writing import CONSENTS
from engine.values import Json, JsonObject, MissingDeletion, Surprise


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a publication would be refused, and with which exit code. `option` is what a person may consent with."""

    code: str
    reason: str
    option: str | None
    exit_code: int

    def to_json(self) -> JsonObject:
        told: dict[str, Json] = {"code": self.code, "reason": self.reason, "exit": self.exit_code}
        return told if self.option is None else {"option": self.option, **told}


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be written: nothing has been. `digest` is what `--approved` takes.

    `advice` are sentences about what else follows, for a session above all, `alarms` what somebody should look into.
    `before` has the changed scopes as they are. `obstacles` are what stands in the way
    of a publication, in the order in which it would meet them.
    """

    digest: str
    net: Mapping[Scope, JsonObject]
    cascaded: Mapping[Scope, tuple[str, ...]]
    missed: tuple[MissingDeletion, ...]
    warnings: tuple[Surprise, ...]
    advice: tuple[str, ...]
    alarms: tuple[str, ...]
    before: Mapping[Scope, JsonObject]
    obstacles: tuple[Obstacle, ...]
    receipt: JsonObject

    def to_json(self) -> JsonObject:
        needs: list[Json] = [one.to_json() for one in self.obstacles if one.option is not None]
        blocked: list[Json] = [one.to_json() for one in self.obstacles if one.option is None]
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
            "advice": [*self.alarms, *self.advice],
            "needs": needs,
            "blocked": blocked,
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
    alarms: tuple[str, ...]
    before: Mapping[Scope, JsonObject]

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
        alarms=published.alarms,
        before=published.before,
        obstacles=tuple(_obstacle(error) for error in published.obstacles),
        receipt=published.receipt.to_json(),
    )


def blocked(error: EngineError) -> JsonObject:
    """The preview of what cannot even be worked out, since memory that it needs is fenced."""
    nothing = Preview("", {}, {}, (), (), (), (), {}, (_obstacle(error),), {})
    return {**nothing.to_json(), "digest": None}


def _obstacle(error: EngineError) -> Obstacle:
    option = None
    if error.code == "session-unfinished":
        option = "--force-session"
    elif error.code in CONSENTS:
        option = f"--allow {error.code}"
    where = None if error.file is None else ":".join(str(p) for p in (error.file, error.line, error.column) if p)
    reason = error.message if where is None else f"{error.message} ({where})"
    return Obstacle(error.code, reason, option, error.exit_code)


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
        alarms=published.alarms,
        before=published.before,
    )


def warning_json(warning: Surprise) -> JsonObject:
    return {"code": warning.code, "path": warning.path, "detail": warning.detail}
