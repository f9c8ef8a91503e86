"""What a person reads of an error: one line with what, where, what was kept and what to do next."""

from __future__ import annotations

import pytest

from engine import errors
from engine.errors import EngineError, InvalidRequest


def test_one_line_with_all_that_is_known() -> None:
    error = errors.Fenced(
        "half-a-pair",
        "the checkpoint is missing",
        scope="cwd",
        path="/lazy",
        file="checkpoint.json",
        line=3,
        column=7,
        kept="its bytes are untouched",
        hint="see\nsftui doctor",
    )
    assert str(error) == (
        "the checkpoint is missing (scope cwd, at /lazy, in checkpoint.json, line 3, column 7); "
        "its bytes are untouched; see sftui doctor"
    )
    assert str(EngineError("x", "only this")) == "only this"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("EngineError", 1),
        ("InvalidRequest", 3),
        ("DecodeError", 3),
        ("Busy", 4),
        ("Cancelled", 4),
        ("Fenced", 5),
        ("Moved", 6),
        ("StoreFailure", 1),
    ],
)
def test_every_kind_has_its_exit_code(name: str, code: int) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, EngineError)
    assert kind.exit_code == code


def test_a_moved_change_carries_both_sides() -> None:
    error = errors.Moved(
        "moved", "the memory has changed", approved={"a": 1}, found={"a": 2}, kept="nothing was written"
    )
    assert (error.approved, error.found) == ({"a": 1}, {"a": 2})
    assert str(error) == "the memory has changed; nothing was written"


def test_a_sentence_goes_on_in_small_letters() -> None:
    error = InvalidRequest("x", "There is no plane", kept="Nothing was written", hint="The planes are lazy, intents")
    assert str(error) == "There is no plane; nothing was written; the planes are lazy, intents"
    assert str(InvalidRequest("x", "it waits", hint="Ctrl-C gives up")) == "it waits; Ctrl-C gives up"
