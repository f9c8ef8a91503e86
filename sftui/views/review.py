"""What a patch or a draft would do: all that a person looks at before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.memory.scope import Scope
from engine.records import dataclass, replace
from engine.store.admission import CONSENTS
from engine.store.proposal import Published
from engine.values import Json, JsonObject, Surprise, pointer, pretty
from sftui.display import clean, one_line
from sftui.views.entails import Entails, entails

if TYPE_CHECKING:
    # A command that is given a patch needs none of this.
    from engine.memory.draft import Draft
    from sftui.views.reach import Reach
    from sftui.views.steps import StepLine

FORCE: Final = "session-unfinished"
# Lines kept of the patch as it is written, and characters of each; --json has all of it.
WRITTEN_LINES: Final = 200
LINE_CHARACTERS: Final = 400


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a publication would be refused, and with which exit code.

    `option` is what a person may consent with, `hint` what else helps, '' where nobody knows.
    """

    code: str
    reason: str
    option: str | None
    exit_code: int
    hint: str = ""

    def to_json(self) -> JsonObject:
        """It as data."""
        told: dict[str, Json] = {"code": self.code, "reason": self.reason, "exit": self.exit_code}
        if self.hint:
            told["hint"] = self.hint
        return told if self.option is None else {"option": self.option, **told}


@dataclass(frozen=True, slots=True)
class Review:
    """What would be written: nothing has been. `digest` is what is approved.

    `steps` are those of a draft, `authored` what it was compiled to, or the patch as it was written; `written` are the
    first lines of that as JSON, cleaned, of a draft only, and `unwritten` counts those left out. `revisions` are those that the changed scopes have now. `obstacles` are what stands in the way of a publication, in the order in
    which it would meet them. `reach` is what it means for sessions, None as long as that is not known.
    """

    digest: str
    entails: Entails
    authored: JsonObject
    steps: tuple[StepLine, ...]
    revisions: Mapping[Scope, int]
    obstacles: tuple[Obstacle, ...]
    remarks: tuple[str, ...]
    written: tuple[str, ...] = ()
    unwritten: int = 0
    reach: Reach | None = None

    @property
    def needs(self) -> tuple[Obstacle, ...]:
        """What a person may consent to."""
        return tuple(one for one in self.obstacles if one.option is not None)

    @property
    def blocked(self) -> tuple[Obstacle, ...]:
        """What no consent helps against."""
        return tuple(one for one in self.obstacles if one.option is None)

    def to_json(self) -> JsonObject:
        """The review as data."""
        told = self.entails
        cascaded: dict[str, Json] = {scope: list(paths) for scope, paths in told.cascaded.items()}
        missed: list[Json] = [{"path": m.path, "unavailable": m.unavailable} for m in told.missed]
        warnings: list[Json] = [warning_json(warning) for warning in told.warnings]
        whole: dict[str, Json] = {
            "dry_run": True,
            "digest": self.digest or None,
            "net": {scope: patch for scope, patch in told.net.items()},  # noqa: C416 - a wider type
            "cascaded": cascaded,
            "missed_deletions": missed,
            "warnings": warnings,
            "advice": [*told.alarms, *told.advice],
            "needs": [one.to_json() for one in self.needs],
            "blocked": [one.to_json() for one in self.blocked],
            "receipt": told.receipt,
            "authored": self.authored,
            "diff": [one.to_json() for one in told.diffs],
            "taken": [one.to_json() for one in told.taken],
            "shown": [one.to_json() for one in told.shown],
            "growth": told.growth.to_json(),
            "folds": [one.to_json() for one in told.folds],
            "created": list(told.created),
            "remarks": list(self.remarks),
        }
        if self.steps:
            whole["steps"] = [step.to_json() for step in self.steps]
        if self.reach is not None:
            whole["sessions"] = self.reach.to_json()
        return whole


def review(published: Published, draft: Draft | None = None) -> Review:
    """Work out what there is to look at, from a dry run of a patch or of `draft`."""
    streams = {scope: reading.stream for scope, reading in published.snapshot.scopes.items()}
    revisions: dict[Scope, int] = {
        scope: stream.revision for scope in published.staged.net if (stream := streams.get(scope)) is not None
    }
    steps: tuple[StepLine, ...] = ()
    written: tuple[str, ...] = ()
    unwritten = 0
    told = entails(published)
    if draft is not None:
        from sftui.views.steps import step_lines

        # What is said of a step is not said again of the patch that is made of it.
        said = {(one.code, f"/{one.scope}{pointer(one.path)}") for one in published.remarks}
        told = replace(told, warnings=tuple(one for one in told.warnings if (one.code, one.path) not in said))
        steps = step_lines(draft, published.problems, published.remarks)
        written, unwritten = _written(published.authored)
    return Review(
        digest=published.digest,
        entails=told,
        authored=published.authored,
        steps=steps,
        revisions=revisions,
        obstacles=tuple(obstacle(error) for error in published.obstacles),
        remarks=tuple(clean(remark.message) for remark in published.remarks),
        written=written,
        unwritten=unwritten,
    )


def _written(authored: JsonObject) -> tuple[tuple[str, ...], int]:
    """A patch as JSON, its first lines and each of them as far as anybody reads it."""
    lines = (pretty(authored) if authored else "{}").split("\n")
    return tuple(one_line(line, LINE_CHARACTERS) for line in lines[:WRITTEN_LINES]), max(0, len(lines) - WRITTEN_LINES)


def blocked(error: EngineError) -> JsonObject:
    """The review of what cannot even be worked out, since memory that it needs is fenced: its data."""
    return {
        "dry_run": True,
        "digest": None,
        "net": {},
        "cascaded": {},
        "missed_deletions": [],
        "warnings": [],
        "advice": [],
        "needs": [],
        "blocked": [obstacle(error).to_json()],
        "receipt": {},
    }


def obstacle(error: EngineError) -> Obstacle:
    """Tell an error as what stands in the way."""
    option = None
    if error.code == FORCE:
        option = "--force-session"
    elif error.code in CONSENTS:
        option = f"--allow {error.code}"
    where = None if error.file is None else ":".join(str(p) for p in (error.file, error.line, error.column) if p)
    if where is None and error.path is not None:
        where = f"{error.scope}.{error.path}" if error.scope else error.path
    reason = error.message if where is None else f"{error.message} ({where})"
    return Obstacle(error.code, reason, option, error.exit_code, error.hint or "")


def warning_json(warning: Surprise) -> JsonObject:
    """A warning as data."""
    return {"code": warning.code, "path": warning.path, "detail": warning.detail}
