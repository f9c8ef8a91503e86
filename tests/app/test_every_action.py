"""The table of actions holds: each has its keys, its method, its words, and a test that presses it."""

from __future__ import annotations

import ast
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.widgets import Input, TextArea

from sftui.actions import ACTIONS, BY_ID, PLACES, Action, Where, actions_of, bindings
from sftui.keymap import TAKEN, TOGETHER
from sftui.views.keys import keys_markdown
from tests.app.jobs import counted
from tests.app.proving import proves

PROJECT = Path(__file__).parents[2]


def owners() -> dict[Where, list[type[DOMNode]]]:
    """Who has the bindings of each place, found in the source: a class that names `bindings("place")` for its own."""
    found: dict[Where, list[type[DOMNode]]] = defaultdict(list)
    for path in sorted((PROJECT / "sftui").rglob("*.py")):
        module = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                for place in _places(node):
                    found[place].append(getattr(import_module(module), node.name))
    return found


def _places(owner: ast.ClassDef) -> list[Where]:
    """The places whose bindings a class takes."""
    named: list[Where] = []
    for line in owner.body:
        value = line.value if isinstance(line, ast.Assign | ast.AnnAssign) else None
        for call in ast.walk(value) if value is not None else ():
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "bindings":
                said = [one.value for one in call.args if isinstance(one, ast.Constant)]
                named += [place for place in PLACES if place in said]
    return named


def proofs() -> dict[str, list[str]]:
    """Which tests say that they prove which action."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((PROJECT / "tests" / "app").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "proves":
                    assert node.name.startswith("test_"), f"{path.name}: {node.name} is never run"
                    for name in mark.args:
                        assert isinstance(name, ast.Constant), f"{path.name}: {node.name} names what it proves"
                        found[str(name.value)].append(f"{path.name}::{node.name}")
    return found


# The table.


def test_every_action_is_proved_by_a_test_that_presses_it() -> None:
    found = proofs()
    assert [action.id for action in ACTIONS if action.id not in found] == []


def test_a_proof_names_an_action_that_there_is() -> None:
    with pytest.raises(ValueError, match=r"memory\.fly"):
        proves("memory.fly")
    with pytest.raises(ValueError, match="none named"):
        proves()


def test_every_action_has_a_method_wherever_its_keys_count() -> None:
    found = owners()
    assert set(found) == set(PLACES), "each place has somebody who takes its keys"
    missing = []
    for place, classes in found.items():
        for owner in classes:
            bound = {one.id for keys in owner._merge_bindings().key_to_bindings.values() for one in keys}
            here = [action for action in actions_of(place) if action.id in bound]
            assert here, owner.__name__
            missing += [f"{owner.__name__}.action_{action.call}" for action in here if not _does(owner, action)]
    assert missing == []


def _does(owner: type[DOMNode], action: Action) -> bool:
    return callable(getattr(owner, f"action_{action.call}", None))


def test_every_action_is_said_in_words() -> None:
    assert len(BY_ID) == len(ACTIONS)
    for action in ACTIONS:
        assert action.where in PLACES
        assert action.help.endswith("."), action.id
        assert action.help[:1].isupper(), action.id
        assert 0 < len(action.title) <= 16, f"{action.id}: the palette has room for so much"
        assert action.title == action.title.strip()
        assert action.id.partition(".")[0] == action.where


# Keys.


def test_keys_leave_terminals_and_multiplexers_alone() -> None:
    for action in ACTIONS:
        for key in action.keys:
            assert key not in TAKEN, action.id
            assert not key.startswith("alt+"), action.id
        if "escape" in action.keys:
            assert len(action.keys) > 1, f"{action.id}: Esc needs a twin"
    for place in owners().values():
        for owner in place:
            bound = set(owner._merge_bindings().key_to_bindings)
            # A field that is typed into has the editing keys that every such field has.
            for typed in (Input, TextArea):
                if issubclass(owner, typed):
                    bound -= set(typed._merge_bindings().key_to_bindings)
            assert not bound & TAKEN, owner.__name__


def test_no_key_means_two_things_in_one_place() -> None:
    for where in PLACES:
        seen: dict[str, str] = {}
        for action in actions_of(where):
            for key in action.keys:
                assert key not in seen, f"{key}: {seen[key]} and {action.id}"
                seen[key] = action.id


def test_where_places_meet_an_action_keeps_a_key() -> None:
    """A key of an inner place hides the same key of an outer one: the outer action must have another, or be at rest."""
    at_rest = {
        ("review", "app.scopes"): "the review is of one cohort",
        ("review", "app.quit"): "q closes the review, and then ends the app",
        ("value", "app.quit"): "q closes the value, and then ends the app",
        ("review", "list.open"): "enter applies",
        ("choice", "list.open"): "enter chooses",
        ("scopes", "list.open"): "enter chooses",
        ("switcher", "list.open"): "enter chooses",
        ("switcher", "scopes.newest"): "never",
    }
    for places in TOGETHER:
        inner: set[str] = set()
        for place in places:
            for action in actions_of(place):
                if set(action.keys) <= inner:
                    assert (places[0], action.id) in at_rest, f"{places}: {action.id} cannot be reached"
            inner |= {key for action in actions_of(place) for key in action.keys}


def test_bindings_carry_the_ids() -> None:
    for where in PLACES:
        made = bindings(where)
        assert [binding.id for binding in made if isinstance(binding, Binding)] == [a.id for a in actions_of(where)]


def test_a_key_that_confirms_is_not_the_key_that_began() -> None:
    assert not set(BY_ID["app.review"].keys) & set(BY_ID["review.apply"].keys)
    assert not set(BY_ID["app.draft-clear"].keys) & set(BY_ID["choice.take"].keys)


def test_the_page_of_keys_is_the_table() -> None:
    page = PROJECT / "docs" / "keys.md"
    assert page.read_text("utf-8") == keys_markdown(counted()), "python -m tests.app.jobs writes it"
