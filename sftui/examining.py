"""Findings beside the interface: looked for in a thread, again with each newer picture, cheap where little changed."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from engine.health.examine import Memo, examine
from engine.health.findings import Finding, Report
from engine.health.looking import Looker
from engine.health.subject import subject_of
from engine.records import dataclass
from sftui.health_settings import add, load, settings_file
from sftui.process import taking_turns
from sftui.views.findings import Findings, told
from sftui.views.ignoring import Ignored, Settings, Where, entry_for

if TYPE_CHECKING:
    from engine.store.layout import Address
    from sftui.views.picture import Picture


@dataclass(frozen=True, slots=True)
class Examined:
    """What a look at a picture has found, and by which settings."""

    picture: Picture
    settings: Settings
    report: Report
    where: Where

    @property
    def found(self) -> Findings:
        """What there is to tell of it."""
        return told(self.report, self.settings, self.where)


class Examiner:
    """Looks at pictures, one after another; what it remembers makes the next look cheap."""

    def __init__(self) -> None:
        self._looker = Looker()
        self._memo: Memo | None = None
        self._of: Address | None = None

    async def look(self, picture: Picture) -> Examined:
        """Look at a picture in a thread that leaves the interface half of the time."""
        return await asyncio.to_thread(self._look, picture)

    def _look(self, picture: Picture) -> Examined:
        settings = load(settings_file(os.environ))
        snapshot = picture.snapshot
        subject = None if snapshot is None else subject_of(snapshot, picture.states)
        if snapshot is None or subject is None:
            return Examined(picture, settings, Report(), Where())
        address = snapshot.address
        if address != self._of:
            self._memo, self._of = None, address
        step = taking_turns()
        disk = self._looker.look(subject, settings.limits, step)
        report, self._memo = examine(subject, disk, settings.limits, self._memo, step)
        return Examined(picture, settings, report, Where(address.root, address.cwd or "", address.session or ""))


async def ignore(examined: Examined, finding: Finding, *, every: bool) -> Settings:
    """Say no more of a finding: written into the person's settings. Raises InvalidRequest, OSError."""
    entry: Ignored = entry_for(finding, examined.where, every=every)
    return await asyncio.to_thread(add, settings_file(os.environ), entry)
