"""`sftui lint`: exit codes for CI, what is ignored, thresholds, fenced scopes, and no secret in any output."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sftui.cli import main
from tests.app.stores import Store, begin
from tests.cli.test_hostile import CONTROL, MARKUP, check, in_terminal

TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": "terse"}},
    "cwd": {"strategy": {"style": "terse"}, "tactics": {"big": "y" * 9_000}},
    "session": {"tactics": {"empty": {}}},
}
Lint = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "app").mkdir()
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


@pytest.fixture
def lint(store: Store, capsys: pytest.CaptureFixture[str]) -> Lint:
    def run(*options: str, session: bool = True) -> tuple[int, str, str]:
        place = ["--store", store.root, "--cwd", store.cwd, *(["--session", str(store.session)] if session else [])]
        code = main(["lint", *place, *options])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def codes(out: str) -> list[str]:
    return [one["code"] for one in json.loads(out)["findings"]]


def test_findings_with_reasons_and_fixes_for_people(lint: Lint) -> None:
    code, out, err = lint()
    assert (code, err) == (7, "")
    lines = out.splitlines()
    assert lines[0].split() == ["medium", "large-hot", "cwd.tactics.big"]
    assert "fix move cwd.tactics.big to cwd.lazy.big" in [line.strip() for line in lines]
    assert lines[-1] == "1 medium, 2 low"


def test_findings_for_programs(lint: Lint) -> None:
    code, out, _ = lint("--json")
    told = json.loads(out)
    assert code == 7
    assert told["counts"] == {"high": 0, "medium": 1, "low": 2}
    assert told["ignored"] == 0 and told["left_out"] == {} and told["unreadable"] == []
    assert told["findings"][1] == {
        "code": "inherited",
        "severity": "low",
        "scope": "cwd",
        "path": "cwd.strategy.style",
        "reason": "it says what global.strategy.style says anyway: without it the effective value is what it is now",
        "evidence": [],
        "fix": [{"do": "delete", "path": "cwd.strategy.style"}],
    }
    assert lint("--json")[1] == out, "the same each time"


def test_the_level_that_fails(lint: Lint, store: Store) -> None:
    assert [lint("--fail-on", level)[0] for level in ("high", "medium", "low", "never")] == [0, 7, 7, 0]
    store.patch(cwd={"tactics": {"big": None}})
    assert [lint("--fail-on", level)[0] for level in ("high", "medium", "low")] == [0, 0, 7]
    assert lint()[0] == 0
    store.patch(cwd={"strategy": {"style": None}}, session={"tactics": {"empty": {"x": 1}}})
    code, out, _ = lint("--fail-on", "low")
    assert (code, out) == (0, "nothing to clean\n")


def test_only_some_kinds_and_scopes(lint: Lint) -> None:
    code, out, _ = lint("--json", "--only", "empty", "--only", "inherited")
    assert (code, codes(out)) == (0, ["inherited", "empty"]), "nothing of medium severity among these"
    assert codes(lint("--json", session=False)[1]) == ["large-hot", "inherited"]
    assert codes(lint("--json", "--scopes", "session")[1]) == ["empty"]
    code, _, err = lint("--only", "emty")
    assert code == 3 and "emty" in err and "there are secret, dangling" in err


def test_what_is_ignored_does_not_count_and_is_shown_for_all(lint: Lint, store: Store, tmp_path: Path) -> None:
    config = tmp_path / "ci.toml"
    config.write_text(
        f'[[ignore]]\npath = "cwd.tactics"\ncwd = "{store.cwd}"\n\n[[ignore]]\npath = "session"\ncode = "empty"\n'
    )
    code, out, _ = lint("--config", str(config))
    assert code == 0 and out.splitlines()[-1] == "1 low, 2 ignored"
    code, out, _ = lint("--config", str(config), "--all")
    assert code == 0 and "ignored by the settings line 1" in out
    told = json.loads(lint("--config", str(config), "--all", "--json")[1])
    assert [(one["code"], one.get("ignored", False)) for one in told["findings"]] == [
        ("large-hot", True), ("inherited", False), ("empty", True),
    ]  # fmt: skip
    config.write_text('[[ignore]]\npath = "cwd.tactics"\ncwd = "/elsewhere"\n')
    assert lint("--config", str(config))[0] == 7, "that is other memory"
    config.write_text('[[ignore]]\npath = "cwd.tac"\n')
    assert lint("--config", str(config))[0] == 7, "no part of a key"


def test_thresholds(lint: Lint, tmp_path: Path) -> None:
    config = tmp_path / "ci.toml"
    config.write_text("hot-bytes = 20_000\n")
    assert codes(lint("--json", "--config", str(config))[1]) == ["inherited", "empty"]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("hot-bytes = [", 1, "not TOML"),
        ("\nhot-bytes = -1", 2, "above 0"),
        ("hot-bytes = true", 1, "whole number"),
        ("# x\nhot_bytes = 5", 2, "no setting hot_bytes"),
        ("ignore = 5", 1, "[[ignore]]"),
        ('[[ignore]]\npath = "a"\n[[ignore]]\ncode = "empty"', 3, "needs a path"),
        ('[[ignore]]\npath = "a"\ncode = "emty"', 1, "no kind of finding emty"),
        ('[[ignore]]\npath = "a"\nwhy = "b"', 1, "has no why"),
        ("[[ignore]]\npath = 5", 1, "must be a text"),
    ],
)
def test_settings_that_do_not_count_are_named_with_their_line(
    lint: Lint, tmp_path: Path, text: str, line: int, said: str
) -> None:
    config = tmp_path / "ci.toml"
    config.write_text(text)
    code, out, err = lint("--config", str(config))
    assert (code, out) == (3, "") and len(err.splitlines()) == 1
    assert said in err and f"ci.toml line {line}" in err


def test_settings_that_are_no_file(lint: Lint, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latin").write_bytes(b"\xff")
    for name in ("nowhere", "pipe", ".", "latin"):
        code, out, err = lint("--config", str(tmp_path / name))
        assert (code, out, len(err.splitlines())) == (3, "", 1), name


def test_a_fenced_scope_is_named_and_the_healthy_ones_are_still_looked_into(lint: Lint, store: Store) -> None:
    Path(store.address.scope_dir("session"), "patches.jsonl").write_bytes(b"{broken\n")
    code, out, err = lint("--json")
    assert code == 5 and "session" in err
    assert codes(out) == ["large-hot", "inherited"]
    assert json.loads(out)["unreadable"] == ["session"]
    assert lint("--json", session=False)[0] == 7


def test_no_store_and_no_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--store", str(tmp_path / "none"), "--cwd", str(tmp_path)]
    assert main(["lint", *place]) == 0
    told = capsys.readouterr()
    assert told.out == "nothing to clean\n" and "no store" in told.err


def test_nothing_is_written(lint: Lint, store: Store, tmp_path: Path) -> None:
    def all_files() -> dict[str, tuple[bytes, int]]:
        found = [path for path in tmp_path.rglob("*") if path.is_file()]
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}

    before = all_files()
    lint()
    assert all_files() == before


def test_no_secret_in_any_output(lint: Lint, store: Store) -> None:
    text = f"curl -H 'Authorization: token {TOKEN}' https://bob:hunter2secret@crash.example/x"
    store.patch(
        cwd={
            "tactics": {
                "a": TOKEN,
                "b": text,
                TOKEN: {"c d": 1, "see": "$cwd.lazy.gone"},
                "large": TOKEN + "y " * 9_000,
            }
        }
    )
    for options in ((), ("--json",), ("--all",), ("--json", "--all")):
        code, out, err = lint(*options)
        assert code == 7
        assert TOKEN not in out + err and TOKEN[:30] not in out + err and "hunter2secret" not in out + err
    told = json.loads(lint("--json", "--only", "secret")[1])["findings"]
    assert {one["severity"] for one in told} == {"high"} and len(told) == 4
    assert "ghp_… (40 characters)" in lint()[1]


def test_hostile_text_is_shown_and_not_obeyed(store: Store) -> None:
    tactics: dict[str, Any] = {
        text: {text: {"empty": "x"}, "see": f"$cwd.lazy.gone {text}"} for text in (*MARKUP, *CONTROL)
    }
    tactics["long"] = {text: text + "y" * 9_000 for text in (*MARKUP, *CONTROL)}
    cards = {f"/nowhere/{text}": {"description": "d"} for text in (*MARKUP, *CONTROL)}
    store.patch(cwd={"tactics": tactics, "artifacts": cards})
    code, sent = in_terminal("lint", "--store", store.root, "--cwd", store.cwd)
    assert code == 7
    text = check(sent)
    assert "[@click=app.quit]x" in text and "source-gone" in text


def test_where_a_secret_is_cut_out_of_a_text_its_traces_are_looked_for_by_itself(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it is cut out, what stands at the path is another text, which no history holds."""
    store.patch(cwd={"tactics": {"call": f"curl -H 'token {TOKEN}' https://example.org/all/of/it"}})
    main(["lint", "--store", store.root, "--cwd", store.cwd, "--only", "secret"])
    page = capsys.readouterr().out
    _, _, part = page.partition("cwd.tactics.call")
    assert "cut it out of cwd.tactics.call" in part
    assert "sftui traces --value -" in part
    assert TOKEN not in page
