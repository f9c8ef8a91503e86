"""`sftui patch --script`: a patch a line, each whole or not at all, in order, until one is refused."""

from __future__ import annotations

import threading
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from engine.errors import Busy, DecodeError, EngineError, Fenced, InvalidRequest, Moved
from engine.memory.chain import Chain, Link, chain, links
from engine.memory.patching import parse_request
from engine.memory.scope import Scope, Wanted
from engine.records import dataclass, replace
from engine.store.asking import refuse_unreadable, spoken, states_of
from engine.store.proposal import Published
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from engine.values import Json, JsonObject
from engine.values.decode import Line, decode_lines
from sftui.commands.output import complain, print_json, print_lines
from sftui.commands.target import Target, hint_at_session
from sftui.views.receipt import done
from sftui.views.spans import Spans

if TYPE_CHECKING:
    from sftui.views.review import Review

_INVALID: Final = 3
_USAGE: Final = 2
# Memory that moves under a dry run is looked at again so often.
_TRIES: Final = 5


class Write(Protocol):
    """The one door to the store, with the options of this run."""

    def __call__(
        self, authored: Json, *, approved: str | None = None, previous: Snapshot | None = None, dry_run: bool = False
    ) -> Published: ...


@dataclass(frozen=True, slots=True)
class Run:
    """What this run was asked for, and how it writes."""

    options: Namespace
    where: Target
    write: Write
    cancel: threading.Event


@dataclass(frozen=True, slots=True)
class Script:
    """The lines of a script from the one on that is to be begun with, and the patch of each scope that each is."""

    name: str
    lines: tuple[Line, ...]
    requests: tuple[Mapping[Scope, JsonObject], ...] = ()


def replay(run: Run, data: bytes) -> int:
    """Carry out a script, or show what it would do; gives the exit code."""
    options, where = run.options, run.where
    name = "standard input" if options.file == "-" else str(options.file)
    try:
        every = decode_lines(data)
    except DecodeError as error:
        complain(f"{name}:{error.line or 1}:{error.column or 1}: {error.message}")
        return _INVALID
    first = options.from_line or 1
    script = Script(name, tuple(line for line in every if line.number >= first))
    if not script.lines:
        where_from = f"from line {first} on: " if first > 1 and every else ""
        complain(f"{name}: {where_from}there is no patch, so there is nothing to do")
        return _USAGE
    for line in script.lines:
        for note in line.decoded.notes:
            complain(f"{name}:{line.number}:{note.column}: warning: {note.detail}")
    before = snapshot(where.address)
    try:
        script = replace(script, requests=_checked(script, before, where.wanted, options))
    except InvalidRequest as error:
        hint_at_session(error, options)
        complain(f"{error}")
        return error.exit_code
    if options.dry_run:
        return _preview(script, run)
    digests: Sequence[str | None] = [None] * len(script.lines)
    if options.approved is not None:
        made = _staged(script, before, options)
        _refuse_moved(made, options.approved)
        digests = [link.digest for link in made.links]
    return _carry_out(script, digests, run)


def _checked(
    script: Script, before: Snapshot, wanted: Wanted, options: Namespace
) -> tuple[Mapping[Scope, JsonObject], ...]:
    """Every patch, once all of them are known to be some."""
    dialect = spoken(before, options.dialect)
    found: list[Mapping[Scope, JsonObject]] = []
    for line in script.lines:
        try:
            found.append(parse_request(dialect, wanted, line.decoded.value))
        except InvalidRequest as error:
            raise _at(script, line, error) from None
    return tuple(found)


def _at(script: Script, line: Line, error: InvalidRequest) -> InvalidRequest:
    error.message = f"{script.name}:{line.number}: {error.message}"
    return error


# Carrying out.


def _carry_out(script: Script, digests: Sequence[str | None], run: Run) -> int:
    options = run.options
    changed = 0
    previous: Snapshot | None = None
    for number, (line, digest) in enumerate(zip(script.lines, digests, strict=True)):
        try:
            published = run.write(line.decoded.value, approved=digest, previous=previous)
        except EngineError as error:
            return _stopped(script, number, error, error.exit_code, options)
        except OSError as error:
            _stopped(script, number, error, 1, options)
            raise
        previous = published.snapshot
        changed += bool(published.changed)
        _tell(line, published, options)
    if not options.json:
        count = len(script.lines)
        of_them = f"{changed} changed memory" if changed < count else "each changed memory"
        print_lines([((f"{count} line{'' if count == 1 else 's'}", "strong"), (f", {of_them}", "text"))])
    return 0


def _tell(line: Line, published: Published, options: Namespace) -> None:
    """Say at once what became of a line: nobody knows whether there will be another one."""
    view = done(published)
    if options.json:
        changed: list[Json] = list(view.changed)
        print_json({"line": line.number, "changed": changed, "receipt": view.to_json()}, compact=True)
    else:
        print_lines([((f"line {line.number:<4} ", "muted"), (view.words, "text"))])


def _stopped(script: Script, number: int, error: Exception, code: int, options: Namespace) -> int:
    """Say which line was refused, what stands, what is left, and how to go on."""
    line, left = script.lines[number], len(script.lines) - number - 1
    accepted = [one.number for one in script.lines[:number]]
    if options.json:
        numbers: list[Json] = list(accepted)
        told: dict[str, Json] = {"message": error.message if isinstance(error, EngineError) else str(error)}
        if isinstance(error, EngineError):
            told = {"code": error.code, **told}
        print_json(
            {"line": line.number, "error": told, "accepted": numbers, "left": left + 1, "from_line": line.number},
            compact=True,
        )
    if isinstance(error, EngineError):
        if isinstance(error, InvalidRequest):
            hint_at_session(error, options)
        stands = f"nothing of this line was written, {_some(accepted)}"
        error.kept = None
        after = f"; after it {left} more {'is' if left == 1 else 'are'} left" if left else ""
        go_on = f"--from-line {line.number} goes on from here"
        complain(f"{script.name}:{line.number}: {error}; {stands}{after}; {go_on}")
    return code


def _some(numbers: Sequence[int]) -> str:
    if not numbers:
        return "nor was any before it"
    if len(numbers) == 1:
        return f"line {numbers[0]} was carried out"
    return f"lines {numbers[0]} to {numbers[-1]} were carried out"


# What it would do.


def _staged(script: Script, before: Snapshot, options: Namespace) -> Chain:
    """The whole script on the values of a snapshot. Raises InvalidRequest, with the line in its message, or Fenced."""
    refuse_unreadable(before, {scope for request in script.requests for scope in request})
    states = states_of(before)
    made: list[Link] = []
    try:
        made.extend(links(spoken(before, options.dialect), states, script.requests))
    except InvalidRequest as error:
        raise _at(script, script.lines[len(made)], error) from None
    return chain(states, made)


def _refuse_moved(made: Chain, approved: str) -> None:
    if made.digest != approved:
        raise Moved(
            "moved",
            "memory has changed since this was approved, and the script would do something else now",
            approved=approved,
            found=made.digest,
            kept="nothing was written",
            hint="look at the preview again, and approve that",
        )


def _preview(script: Script, run: Run) -> int:
    from sftui.commands.outcome import review_lines

    options = run.options
    try:
        made, view = _reviewed(script, run)
    except Fenced as error:
        if options.json:
            from sftui.views.review import blocked

            print_json(blocked(error), compact=True)
        raise
    if options.json:
        print_json(_json(script, made, view), compact=True)
    else:
        print_lines([_heading(script, made), *review_lines(view)])
    if options.approved is not None:
        _refuse_moved(made, options.approved)
    return view.obstacles[0].exit_code if view.obstacles else 0


def _reviewed(script: Script, run: Run) -> tuple[Chain, Review]:
    """The script on memory as it is, and all that follows from what it comes to."""
    from sftui.commands.outcome import reviewed

    before: Snapshot | None = None
    for _ in range(_TRIES):
        before = snapshot(run.where.address, before)
        made = _staged(script, before, run.options)
        # What is asked of a person, and what it means for sessions, depends on the scopes that change in the end.
        whole: dict[str, Json] = dict((made.net or script.requests[-1]).items())
        published = run.write(whole, previous=before, dry_run=True)
        if all(_same(made.before, states_of(published.earlier), scope) for scope in made.before):
            break
        before = published.earlier
    else:
        raise Busy("busy", "memory keeps changing, so what the script would do cannot be told",
                   kept="nothing was written", hint="try again when it is quieter")  # fmt: skip
    staged = replace(
        published.staged,
        net=made.net,
        after={**published.staged.after, **made.after},
        cascaded=made.cascaded,
        missed=tuple(missed for link in made.links for missed in link.staged.missed),
        warnings=tuple(warning for link in made.links for warning in link.staged.warnings),
    )
    values = {scope: made.before.get(scope, {}) for scope in made.net}
    # How many changes history lets go of depends on how many lines change something: that is not told.
    view = reviewed(replace(published, staged=staged, before=values, folds=(), authored={}), run.cancel)
    return made, replace(view, digest=made.digest)


def _same(before: Mapping[Scope, JsonObject], now: Mapping[Scope, JsonObject], scope: Scope) -> bool:
    return before.get(scope) is now.get(scope) or before.get(scope) == now.get(scope)


def _heading(script: Script, made: Chain) -> Spans:
    changing = sum(bool(link.staged.net) for link in made.links)
    count = len(script.lines)
    words = "each a change" if changing == count else f"{changing} of them a change"
    return (("script  ", "muted"), (f"{count} line{'' if count == 1 else 's'}", "strong"), (f", {words}", "text"))


def _json(script: Script, made: Chain, view: Review) -> JsonObject:
    """The review of what all lines come to, and each line's part in it."""
    whole = {name: value for name, value in view.to_json().items() if name not in {"receipt", "authored", "folds"}}
    told: list[Json] = [
        {"line": line.number, "changed": [scope for scope in link.staged.net], "digest": link.digest}  # noqa: C416
        for line, link in zip(script.lines, made.links, strict=True)
    ]
    return {**whole, "lines": told}
