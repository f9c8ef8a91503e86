"""The errors that reach a person: what happened, where, what was kept, what to do next."""

from __future__ import annotations

from typing import ClassVar


class EngineError(Exception):
    """Something the engine refuses or cannot do.

    `code` is stable and kebab-case; `message` is a sentence for a person. `line` and `column` count from 1.
    `kept` says what is still as it was, `hint` what to do next.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        code: str,
        message: str,
        *,
        scope: str | None = None,
        path: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        kept: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.scope = scope
        self.path = path
        self.file = file
        self.line = line
        self.column = column
        self.kept = kept
        self.hint = hint

    @property
    def where(self) -> str:
        """The place as one phrase, empty when unknown."""
        parts: list[str] = []
        if self.scope is not None:
            parts.append(f"scope {self.scope}")
        if self.path is not None:
            parts.append(f"at {self.path}")
        if self.file is not None:
            parts.append(f"in {self.file}")
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.column is not None:
            parts.append(f"column {self.column}")
        return ", ".join(parts)

    def __str__(self) -> str:
        head = f"{self.message} ({self.where})" if self.where else self.message
        rest = (_continued(part) for part in (self.kept, self.hint) if part)
        text = "; ".join((head, *rest))
        return " ".join(text.split("\n"))


def _continued(part: str) -> str:
    """A sentence as it goes on after another one; names and all that is no plain word stay as they are."""
    first = part.split(" ", 1)[0].rstrip(",")
    return part[:1].lower() + part[1:] if first.isalpha() and (first[1:].islower() or len(first) == 1) else part


class InvalidRequest(EngineError):
    """The request itself is wrong: a path, a patch, a scope name. Nothing was changed."""

    exit_code = 3


class DecodeError(EngineError):
    """Bytes that are not the JSON which a store may hold; `line` and `column` are set."""

    exit_code = 3


class Busy(EngineError):
    """Somebody else holds the lock and the time to wait is over."""

    exit_code = 4


class Cancelled(Busy):
    """The caller gave up waiting."""


class Fenced(EngineError):
    """Memory that is missing, malformed or contradictory stands in the way; it was left untouched."""

    exit_code = 5


class Moved(EngineError):
    """What would be written is no longer what was approved."""

    exit_code = 6

    def __init__(
        self,
        code: str,
        message: str,
        *,
        approved: object = None,
        found: object = None,
        scope: str | None = None,
        path: str | None = None,
        kept: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(code, message, scope=scope, path=path, kept=kept, hint=hint)
        self.approved = approved
        self.found = found


class StoreFailure(EngineError):
    """The disk or the system failed while the store was read or written."""
