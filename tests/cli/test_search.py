"""`sftui search`: what it prints, for people and programs, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Ledger
from engine.store.snapshot import snapshot
from sftui.cli import main
from tests.app.stores import Store, begin

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {"lazy": {"Notes": "the Needle"}}})
    ledger = Ledger.open(made.root)
    ledger.observe(snapshot(made.address))
    for number in range(9):
        made.patch(session={"tactics": {"step": f"needle {number}"}})
        ledger.observe(snapshot(made.address))
    return made


@pytest.fixture
def ask(store: Store, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """Run `sftui search` here: its exit code, and what it printed."""

    def run(*words: str, session: bool = True) -> tuple[int, str, str]:
        place = ["--store", store.root, "--cwd", store.cwd]
        code = main(["search", *words, *place, *(["--session", str(store.session)] if session else [])])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def test_lines_for_people(ask: Ask) -> None:
    code, out, err = ask("needle")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[:2] == ["cwd.lazy.Notes  the «Needle»  now", "session.tactics.step  «needle» 8  now"]
    assert [line.split()[0] for line in lines[2:-1]] == [f"s{number}" for number in range(9, 0, -1)]
    assert [line.split()[-1] for line in lines[2:-1]] == ["retained"] * 7 + ["ledger"] * 2
    assert lines[-1] == '11 found for "needle", any case'


def test_one_document_for_programs(ask: Ask) -> None:
    found = json.loads(ask("needle 1", "--json")[1])
    assert {name: found[name] for name in ("text", "any_case", "in", "count", "cut", "elsewhere")} == {
        "text": "needle 1", "any_case": True, "in": ["memory", "history"], "count": 2, "cut": False, "elsewhere": 0,
    }  # fmt: skip
    took, put = found["hits"]
    assert (took["change"], took["revision"], put["change"], put["revision"]) == ("removed", 3, "set", 2)
    assert put["path"] == ["tactics", "step"]
    assert (put["source"], put["scope"], put["in"], put["match"]) == ("ledger", "session", "value", "needle 1")
    assert isinstance(put["seen"], float)
    assert put["boundary"]["position"] == 2


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["Needle"], 1),
        (["needle", "--case"], 10),
        (["needle", "--in", "memory"], 2),
        (["needle", "--in", "history"], 10),  # and what a complete state had
        (["needle", "--no-ledger"], 9),
        (["needle", "--scopes", "cwd"], 1),
        (["notes"], 1),
        (["nowhere"], 0),
    ],
)
def test_where_and_how_it_looks(ask: Ask, words: list[str], count: int) -> None:
    code, out, _ = ask(*words, "--json")
    assert (code, json.loads(out)["count"]) == (0, count)


def test_without_a_session_changes_of_sessions_are_counted(ask: Ask) -> None:
    _, out, _ = ask("needle", session=False)
    assert out.splitlines()[-1] == '1 found for "needle", any case; 9 changes elsewhere in the ledger may hold it too'


def test_wrong_words_are_refused_in_one_line(ask: Ask) -> None:
    for words in (["", "--json"], ["x", "--in", "memory,here"]):
        code, out, err = ask(*words)
        assert (code, out, err.count("\n")) == (3, "", 1)


def test_a_fenced_scope_hides_the_others_not(store: Store, ask: Ask) -> None:
    Path(store.address.scope_dir("cwd"), "meta.json").write_text("{")
    code, out, err = ask("needle")
    assert code == 5
    assert "session.tactics.step" in out
    assert err.count("\n") == 1


def test_too_many_are_cut_and_that_is_said(store: Store, ask: Ask) -> None:
    many: Any = {"many": [f"needle {number}" for number in range(6_000)]}
    store.patch(cwd={"lazy": many})
    code, out, _ = ask("needle")
    assert code == 0
    assert out.splitlines()[-1] == '5,000 found for "needle", any case; cut at 5,000: there is more'
    assert len(out.splitlines()) == 5_001
