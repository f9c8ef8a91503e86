"""Screen 6, driven: faults first, fixes into the draft, marks, what is ignored, and a writer beside it."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Remove, Transfer
from sftui.screens.health import HealthScreen
from sftui.views.spans import plain
from tests.app.driving import SIZES, Driver, opened
from tests.app.proving import proves
from tests.app.stores import Store, begin

TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": "terse", "api": "v1"}},
    "cwd": {
        "strategy": {"style": "terse", "api": "v1"},
        "tactics": {"token": TOKEN, "big": "y" * 9_000, "see": "as in $cwd.lazy.gone"},
    },
    "session": {"tactics": {"empty": {}}},
}
WIDE = (120, 40)


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "sftui" / "health.toml"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "app").mkdir()
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


def screen(driver: Driver) -> HealthScreen:
    return driver.app.screens.health


@asynccontextmanager
async def looking(store: Store, size: tuple[int, int] = (80, 24), **options: Any) -> AsyncIterator[Driver]:
    """Open the app on screen 6, and wait until it has looked through the memory."""
    async with opened(store, size, **options) as driver:
        await driver.press("6")
        await driver.until(lambda: screen(driver).found is not None)
        yield driver


def shown(driver: Driver, width: int = 60) -> list[str]:
    """The rows in words."""
    rows = screen(driver).rows
    return [" ".join("".join(map(plain, rows.line_spans(key, width))).split()) for key in rows.keys]


def under(driver: Driver) -> str:
    rows = screen(driver).rows
    return shown(driver)[rows.cursor]


async def go(driver: Driver, place: str) -> None:
    rows = screen(driver).rows
    key = next(key for key, item in rows.items.items() if item.finding.place == place)
    assert rows.move_to_key(key)
    await driver.pilot.pause()


def steps(driver: Driver) -> list[tuple[str, str]]:
    return [
        (type(step.operation).__name__, ".".join(map(str, step.operation.path)))
        for step in driver.app.drafting.draft.steps
        if not hasattr(step.operation, "patch")
    ]


ALL = [
    "high cwd.tactics.token secret",
    "medium cwd.tactics.big large-hot",
    "low cwd.tactics.see dangling",
    "low cwd.strategy.api inherited",
    "low cwd.strategy.style inherited",
    "low session.tactics.empty empty",
]


async def test_findings_by_severity_with_reason_evidence_and_fix(store: Store) -> None:
    async with looking(store, WIDE) as driver:
        assert shown(driver) == ALL
        text = " ".join(driver.text.replace("▏", " ").split())
        assert "health 1 high, 1 medium, 4 low" in text
        assert "looks like a secret" in text and "ghp_… (40 characters)" in text
        assert "fix delete cwd.tactics.token" in text and "sftui traces cwd.tactics.token" in text
        assert TOKEN not in driver.text
        await driver.press("j", "j")
        assert "no fix it stands in a text" in " ".join(driver.text.replace("▏", " ").split())
        assert driver.app.drafting.draft.is_empty, "nothing is done by itself"


@proves("health.accept")
async def test_a_fix_goes_into_the_draft_with_what_stood_there_and_removes_its_finding(store: Store) -> None:
    async with looking(store, WIDE) as driver:
        await driver.press("a")
        drafting = driver.app.drafting
        (step,) = drafting.draft.steps
        assert isinstance(step.operation, Remove) and step.operation.before.value == TOKEN
        assert step.note == "fix: looks like a secret"
        await driver.until(lambda: shown(driver)[0] == "- high cwd.tactics.token secret")
        await driver.press("a")
        assert drafting.count == 1 and "left out" in driver.told
        await driver.press("j", "a")
        assert isinstance(list(drafting.draft.steps)[-1].operation, Transfer)
        await driver.press("j", "a")
        assert drafting.count == 2 and "without a fix" in driver.told
        preview = await drafting.dry_run()
        await drafting.publish(preview.digest)
        await driver.until(lambda: shown(driver) == ALL[2:])
        assert driver.app.picture.states["cwd"]["lazy"] == {"big": "y" * 9_000}


@proves("health.mark", "health.mark-all", "health.unmark")
async def test_marked_findings_are_accepted_in_one_go(store: Store) -> None:
    async with looking(store) as driver:
        await driver.press("space", "space")
        assert under(driver) == ALL[2] and len(screen(driver).rows.marks) == 2
        assert "2 marked" in driver.text and shown(driver)[0] == f"* {ALL[0]}"
        await driver.press("M")
        assert not screen(driver).rows.marks
        await driver.press("j", "asterisk")
        assert len(screen(driver).rows.marks) == 2, "all that are equal to what they inherit"
        await driver.press("a")
        assert steps(driver) == [("Remove", "strategy.api"), ("Remove", "strategy.style")]
        assert not screen(driver).rows.marks
        await driver.press("U")
        assert driver.app.drafting.draft.is_empty, "it was one change of the draft"


async def test_a_fix_in_a_session_is_asked_about(store: Store) -> None:
    async with looking(store) as driver:
        await driver.press("G", "space", "k", "space", "a")
        await driver.until(lambda: "A session belongs to its agent" in driver.text)
        await driver.press("1")
        assert steps(driver) == [("Remove", "strategy.style")], "the others are fixed"
        await driver.press("G", "a")
        await driver.press("2")
        assert steps(driver)[1:] == [("Remove", "tactics.empty")]


@proves("health.suppress", "health.suppressed")
async def test_what_is_ignored_is_kept_in_a_private_file_and_shown_on_demand(store: Store, config: Path) -> None:
    async with looking(store, WIDE) as driver:
        await go(driver, "cwd.tactics.see")
        await driver.press("i")
        await driver.until(lambda: "ignore this" in driver.text)
        assert "health.toml" in "".join(driver.text.replace("│", " ").split())
        await driver.press("1")
        assert not config.exists() and shown(driver) == ALL
        stale = screen(driver)._examined
        await driver.press("i", "2")
        await driver.until(lambda: shown(driver) == [*ALL[:2], *ALL[3:]])
        assert stale is not None
        screen(driver)._take(stale)
        assert shown(driver) == [*ALL[:2], *ALL[3:]], "a look that began before knows nothing of it yet"
        assert stat.S_IMODE(config.stat().st_mode) == 0o600
        assert (
            f'path = "cwd.tactics.see"\ncode = "dangling"\nstore = "{store.root}"\ncwd = "{store.cwd}"'
            in config.read_text()
        )
        assert "1 ignored" in driver.text
        await driver.press("I")
        assert "ignored cwd.tactics.see dangling" in shown(driver)
        await go(driver, "cwd.tactics.see")
        assert "ignored by the settings" in " ".join(driver.text.split())
        await driver.press("i")
        assert "ignored already" in driver.told
        await driver.press("I")
        assert "ignored cwd.tactics.see dangling" not in shown(driver)
        config.write_text(f"# mine\n{config.read_text()}")
        await driver.press("g", "i", "3")
        await driver.until(lambda: "2 ignored" in driver.text)
        assert config.read_text().startswith("# mine\n[[ignore]]")
    async with looking(store) as driver:
        assert shown(driver) == [ALL[1], *ALL[3:]], "at the next start as well"


async def test_settings_that_do_not_count_are_said_once_and_left_alone(store: Store, config: Path) -> None:
    config.parent.mkdir(parents=True)
    config.write_text('[[ignore]]\npath = "cwd"\n\nhot-bytes = "many"\n')
    async with looking(store) as driver:
        assert shown(driver) == ALL
        assert "health.toml line" in driver.told
        await driver.press("i", "2")
        await driver.until(lambda: "It was not ignored" in driver.told)
    assert config.read_text().endswith('"many"\n')


@proves("health.copy-path", "health.details-down", "health.details-up")
async def test_ways_from_a_finding_to_its_place(store: Store) -> None:
    keys = {f"key number {number}": number for number in range(30)}
    store.patch(cwd={"tactics": {"odd": keys}})
    async with looking(store) as driver:
        await go(driver, "cwd.tactics.odd")
        assert "low: key that no path can name" in driver.text
        await driver.press("right_curly_bracket")
        assert "low: key that no path can name" not in driver.text
        await driver.press("left_curly_bracket")
        assert "low: key that no path can name" in driver.text
        await driver.press("y")
        assert "cwd.tactics.odd" in driver.told
        await driver.press("enter")
        await driver.until(lambda: driver.at() == ("tactics", "odd"))
        assert driver.view() == "cwd"


async def test_the_cursor_and_marks_keep_their_rows_while_an_agent_writes(store: Store) -> None:
    async with looking(store) as driver:
        await go(driver, "cwd.tactics.see")
        await driver.press("space", "k")
        more = {f"t{number}": TOKEN[:-2] + f"{number:02}" for number in range(30)}
        await driver.next_picture(lambda: store.patch(global_={"tactics": more}))
        await driver.until(lambda: len(shown(driver)) == len(ALL) + 30)
        assert under(driver) == f"* {ALL[2]}"
        assert len(screen(driver).rows.marks) == 1
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"see": "nothing"}}))
        await driver.until(lambda: len(shown(driver)) == len(ALL) + 29)
        assert not screen(driver).rows.marks, "a mark goes with its finding"


async def test_a_fix_is_bound_to_what_was_on_screen(store: Store) -> None:
    async with looking(store) as driver:
        examined = screen(driver)._examined
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"token": "in the vault"}}))
        await driver.until(lambda: screen(driver)._examined is not examined)
        screen(driver)._examined = examined
        screen(driver)._stage(examined, [examined.found.items[0].finding])  # type: ignore[union-attr, arg-type]
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove) and step.operation.before.value == TOKEN
        await driver.until(lambda: bool(driver.app.drafting.drift))


async def test_faults_come_first_and_healthy_scopes_are_still_looked_into(store: Store) -> None:
    Path(store.address.scope_dir("session"), "patches.jsonl").write_bytes(b"{broken\n")
    async with looking(store, (50, 30)) as driver:
        await driver.until(lambda: len(shown(driver)) > 3)
        lines = driver.text.splitlines()[1:]  # the header takes two where it is narrow
        assert "1 fault" in lines[1] and "✖" in lines[2], "the worst thing is said first"
        assert "session" in lines[2]
        assert shown(driver)[1:3] == ALL[:2]
        assert "sftui doctor" in driver.text
        await driver.press("a", "i", "y", "space", "enter")
        assert driver.app.drafting.draft.is_empty


@pytest.mark.parametrize("size", SIZES)
async def test_it_is_usable_at_every_size(store: Store, size: tuple[int, int]) -> None:
    async with looking(store, size) as driver:
        text = driver.text
        assert all(word in text for word in ("1 high", "cwd.tactics.token", "session.tactics.empty", "? help"))
        assert "fix delete cwd.tactics.token" in " ".join(text.replace("▏", " ").split())


async def test_a_window_for_reading_changes_nothing(store: Store) -> None:
    async with looking(store, readonly=True) as driver:
        await driver.press("a")
        assert driver.app.drafting.draft.is_empty and "Read-only" in driver.told


async def test_hostile_text_is_shown_and_not_obeyed(store: Store) -> None:
    bad = "[@click=app.quit]\x1b]0;x\x07\u202e[/foo]"
    store.patch(
        cwd={
            "tactics": {bad: {"a b": f"$cwd.lazy.gone {bad}", bad: f"{bad} {TOKEN}"}},
            "artifacts": {f"/{bad}": {"description": bad}},
        }
    )
    async with looking(store, WIDE) as driver:
        for _ in range(len(shown(driver))):
            assert "\x1b" not in driver.text and "\u202e" not in driver.text and TOKEN not in driver.text
            await driver.press("j")
        assert any("[@click=app.quit]\\u001b]0;x" in row for row in shown(driver, 400))
        await driver.press("g", "i")
        await driver.until(lambda: "ignore this" in driver.text)
        await driver.press("2")
        await driver.until(lambda: "1 ignored" in driver.text)
