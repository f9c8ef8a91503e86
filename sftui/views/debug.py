"""What a report of a fault should say; nothing that is remembered, and no name out of the memory."""

from __future__ import annotations

from collections.abc import Iterator

from engine.records import dataclass
from engine.store.readings import ScopeReading, Snapshot
from engine.values import Json, JsonObject
from sftui.display import clean
from sftui.views.spans import Spans
from sftui.views.units import human

Facts = tuple[tuple[str, str], ...]

_LABEL = 14


@dataclass(frozen=True, slots=True)
class Section:
    """Facts under a heading."""

    title: str
    facts: Facts

    def to_json(self) -> JsonObject:
        return dict(self.facts)


@dataclass(frozen=True, slots=True)
class Debug:
    """The page for reports: the app and `sftui debug` print the same one."""

    sections: tuple[Section, ...]

    def to_json(self) -> JsonObject:
        sections: dict[str, Json] = {section.title: section.to_json() for section in self.sections}
        return sections

    def lines(self) -> Iterator[Spans]:
        """The sections, one fact a line."""
        for number, section in enumerate(self.sections):
            if number:
                yield ()
            yield ((section.title, "strong"),)
            for name, value in section.facts:
                yield (("  ", "text"), (f"{name:<{_LABEL}} ", "muted"), (clean(value), "text"))

    def text(self) -> str:
        """The same as plain text, for a clipboard."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self.lines())


def store_facts(root: str, snapshot: Snapshot | None, feed: str) -> Facts:
    """Tell of a store what is no memory: states, revisions, sizes, codes of faults."""
    facts = [("root", root), ("feed", feed)]
    if snapshot is None:
        return (*facts, ("read", "not yet"))
    facts += [
        ("verdict", snapshot.verdict if snapshot.present else "there is no store here yet"),
        ("lock", snapshot.lock.kind),
        ("dialect", "unknown" if snapshot.dialect is None else str(snapshot.dialect.version)),
        ("history limit", str(snapshot.config.history_limit)),
        ("composed", "yes" if snapshot.cohort is not None else "no"),
    ]
    if snapshot.stale:
        facts.append(("stale", " ".join(sorted(snapshot.stale))))
    facts += [(scope, _scope_words(reading)) for scope, reading in snapshot.scopes.items()]
    for fault in snapshot.all_faults:
        place = f"{fault.scope or 'store'} {fault.file or ''}".strip()
        line = "" if fault.line is None else f":{fault.line}"
        facts.append((fault.severity, f"{fault.code} in {place}{line}"))
    return tuple(facts)


def _scope_words(reading: ScopeReading) -> str:
    words: list[str] = [reading.status]
    if reading.stream is not None:
        kept = len(reading.stream.tail)
        words += [f"revision {reading.stream.revision}", f"{kept} kept"]
    if reading.dialect is not None:
        words.append(f"dialect {reading.dialect.version}")
    sizes = [capture.identity.size for capture in reading.captures.values() if capture.identity is not None]
    if sizes:
        words.append(f"{human(sum(sizes))} in {len(sizes)} files")
    return ", ".join(words)
