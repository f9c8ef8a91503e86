"""A finding: what looks as if it could be cleaned, how sure that is, why, and what would clean it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from engine.memory.draft import Operation, Put, Remove, Transfer
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, dotted

Severity: TypeAlias = Literal["high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = ("high", "medium", "low")

Code: TypeAlias = Literal[
    "secret",
    "dangling",
    "large-hot",
    "rounded-number",
    "source-changed",
    "source-gone",
    "source-unknown",
    "same-text",
    "inherited",
    "empty",
    "unaddressable",
    "orphan",
]

TITLES: Final[dict[Code, str]] = {
    "secret": "looks like a secret",
    "dangling": "names what is not there",
    "large-hot": "large, and in the context",
    "rounded-number": "number that is rounded",
    "source-changed": "source of an artifact has changed",
    "source-gone": "source of an artifact is gone",
    "source-unknown": "source of an artifact cannot be judged",
    "same-text": "same text in two scopes",
    "inherited": "equal to what it inherits",
    "empty": "empty branch",
    "unaddressable": "key that no path can name",
    "orphan": "directory of a scope is gone",
}
"""In the order in which findings of one severity are listed."""

CODES: Final[tuple[Code, ...]] = tuple(TITLES)

# So many findings of one kind in one scope are told; the rest is counted.
MOST_OF_A_KIND: Final = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """What counts as large, as much text, and how much of a source is read to compare it."""

    hot_bytes: int = 8_000
    text_characters: int = 200
    source_bytes: int = 8_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that could be cleaned at `path` of a scope (plane first, or nothing for the scope itself).

    `address` is the scope's own. `detail` tells findings of one kind at one place apart. `fix` are edits of a draft,
    none where `unfixed` says why there are none. With `same` nothing in effect changes when the fix is applied.
    """

    code: Code
    severity: Severity
    scope: Scope
    path: KeyPath
    reason: str
    evidence: tuple[str, ...] = ()
    fix: tuple[Operation, ...] = ()
    unfixed: str = ""
    detail: str = ""
    address: str = ""
    same: bool = False

    @property
    def place(self) -> str:
        """Where it is, as a read would name it; for a scope that is not open, its directory."""
        return dotted(self.scope, self.path) if self.path or not self.detail else self.detail

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is known by: the same finding in the next look has the same."""
        return (self.code, self.address, self.place, self.detail)

    def to_json(self, say: Callable[[str], str] = str) -> JsonObject:
        """The finding as data, its texts by `say`. What its fix sets is not told: it may be what must not be shown."""
        evidence: list[Json] = [say(one) for one in self.evidence]
        fix: list[Json] = [{name: say(text) for name, text in step_words(step).items()} for step in self.fix]
        told: dict[str, Json] = {
            "code": self.code,
            "severity": self.severity,
            "scope": self.scope,
            "path": say(self.place),
            "reason": say(self.reason),
            "evidence": evidence,
            "fix": fix,
        }
        return told if self.fix else {**told, "unfixed": say(self.unfixed)}


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, the worst first. `left_out` counts those beyond the bound, by code.

    `secrets` are the texts that must not be shown whole, whatever else quotes them. `unread` are scopes that could not be looked into.
    """

    findings: tuple[Finding, ...] = ()
    left_out: tuple[tuple[Code, int], ...] = ()
    secrets: tuple[str, ...] = ()
    unread: tuple[Scope, ...] = ()


def step_words(step: Operation) -> Mapping[str, str]:
    """An edit as data, without values."""
    if isinstance(step, Remove):
        return {"do": "delete", "path": dotted(step.scope, step.path)}
    if isinstance(step, Put):
        return {"do": "set", "path": dotted(step.scope, step.path)}
    if isinstance(step, Transfer):
        return {"do": "move", "path": dotted(step.scope, step.path), "to": dotted(step.to_scope, step.to_path)}
    return {"do": "patch"}


def ordered(findings: list[Finding]) -> tuple[Finding, ...]:
    """The worst first; of one severity by kind, then the narrowest scope first, then as they were found."""
    return tuple(
        sorted(
            findings,
            key=lambda one: (SEVERITIES.index(one.severity), CODES.index(one.code), -SCOPES.index(one.scope)),
        )
    )
