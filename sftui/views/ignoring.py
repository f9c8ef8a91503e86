"""What a person has said to say no more of: which findings, at which paths, of which memory."""

from __future__ import annotations

from engine.health.findings import Finding, Limits
from engine.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Where:
    """Whose memory findings are about; "" for what is not known."""

    store: str = ""
    cwd: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Findings at a path and below it, of one kind or of all; whatever else is given must fit as well."""

    path: str
    code: str = ""
    store: str = ""
    cwd: str = ""
    session: str = ""
    line: int = 0

    def fits(self, finding: Finding, where: Where) -> bool:
        """Tell whether it is about a finding."""
        if self.code and self.code != finding.code:
            return False
        cwd = finding.detail if finding.code == "orphan" else "" if finding.scope == "global" else where.cwd
        session = where.session if finding.scope == "session" else ""
        given = ((self.store, where.store), (self.cwd, cwd), (self.session, session))
        if any(wanted and wanted != there for wanted, there in given):
            return False
        place = finding.place
        return place == self.path or (place.startswith(self.path) and place[len(self.path)] in ".[")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person has set for findings. `problem` says why a file does not count; then nothing of it does."""

    path: str = ""
    limits: Limits = field(default_factory=Limits)
    ignored: tuple[Ignored, ...] = ()
    problem: str = ""

    def ignores(self, finding: Finding, where: Where) -> Ignored | None:
        """The entry that a finding is ignored by."""
        return next((one for one in self.ignored if one.fits(finding, where)), None)


def entry_for(finding: Finding, where: Where, *, every: bool = False) -> Ignored:
    """What ignores a finding, or `every` finding at its path, in this memory alone."""
    cwd = finding.detail if finding.code == "orphan" else "" if finding.scope == "global" else where.cwd
    session = where.session if finding.scope == "session" else ""
    return Ignored(finding.place, "" if every else finding.code, where.store, cwd, session)
