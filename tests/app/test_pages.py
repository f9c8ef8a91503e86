"""Large values are laid out in few steps, each of them short, and keys are answered meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

import sftui.slices
from engine.values import Json
from sftui.display import clean_lines
from sftui.slices import PATIENCE_SECONDS, SLICE_SECONDS, in_slices
from sftui.styles import DARK
from sftui.views.pages import LINES_PER_SLICE, SMALL, Pages, fill, wrap
from sftui.widgets.big_value import BigValue
from sftui.widgets.prompt import Prompt

MB = 1_000_000


def steps_of(value: Json) -> tuple[Pages, list[int], list[int]]:
    """The finished pages; the characters and the lines that each step added to what is laid out."""
    pages = Pages()
    # What is shown grows by doubling; what is laid out is seen where it is cleaned.
    characters: list[int] = []
    lines: list[int] = []
    with pytest.MonkeyPatch.context() as patch:

        def watched(text: str) -> str:
            characters.append(len(text))
            lines.append(text.count("\n"))
            return clean_lines(text)

        patch.setattr("sftui.views.pages.clean_lines", watched)
        for _ in fill(pages, value):
            pass
    return pages, characters, lines


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(["what was found " * 6] * (10 * MB // 93), id="many strings"),
        pytest.param({f"k{number:07d}": number for number in range(500_000)}, id="many members"),
        pytest.param([[]] * 500_000, id="many empty ones"),
        pytest.param([{"name": f"n{number}", "at": [number, 0.5]} for number in range(120_000)], id="many objects"),
        pytest.param({f"m{n}": {f"k{m}": "v" * 50 for m in range(3_000)} for n in range(50)}, id="large branches"),
        pytest.param("prose of many lines\n" * (10 * MB // 20), id="a text of many lines"),
        pytest.param("x" * 10 * MB, id="a line"),
        pytest.param({"k" * 3 * MB: ["x" * 3 * MB]}, id="a long key and a long string"),
    ],
)
def test_ten_megabytes_take_few_short_steps(value: Json) -> None:
    pages, characters, lines = steps_of(value)
    assert pages.complete
    size = len(pages.text)
    assert max(characters) <= 3 * SMALL  # the text has indents beside what was weighed
    assert max(lines) <= LINES_PER_SLICE * 2
    # Every key waits behind the steps of one slice; 220,000 of them made it wait for half a second.
    assert len(characters) <= 20 + 8 * size // SMALL + sum(lines) // 500


def test_rows_are_counted_in_short_steps() -> None:
    pages = Pages()
    for _ in fill(pages, ["a"] * 100_000):
        pass
    steps = sum(1 for _ in wrap(pages, 20))
    assert pages.lines == 100_002
    assert steps == 21


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=30,
)


@given(values, st.integers(1, 200))
def test_pieces_make_the_text_that_one_call_makes(value: Json, small: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sftui.views.pages.SMALL", small)
        patch.setattr("sftui.views.pages.clean_lines", lambda text: text)
        pages = Pages()
        for _ in fill(pages, [value]):
            pass
    assert pages.text == json.dumps([value], ensure_ascii=False, indent=2)


class Clock:
    """A clock that only moves when somebody works."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_key_waits_for_one_slice_not_for_one_at_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(sftui.slices, "perf_counter", clock)
    done = 0
    at_the_key: list[int] = []

    def work() -> Iterator[None]:
        nonlocal done
        for _ in range(200):
            clock.now += SLICE_SECONDS / 4
            done += 1
            yield

    async def key() -> None:
        """From queue to queue, as a key goes until its frame is painted."""
        for _ in range(20):
            at_the_key.append(done)
            clock.now += 0.001
            await asyncio.sleep(0)

    async def layout() -> None:
        async for _ in in_slices(work()):
            pass

    working = asyncio.create_task(layout())
    await asyncio.sleep(0)
    await asyncio.create_task(key())
    assert at_the_key[-1] - at_the_key[0] <= 4
    await working
    assert done == 200


async def test_work_goes_on_though_there_is_always_something_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(sftui.slices, "perf_counter", clock)
    done = 0
    turns = 0

    def work() -> Iterator[None]:
        nonlocal done
        for _ in range(3):
            clock.now += SLICE_SECONDS
            done += 1
            yield

    async def busy() -> None:
        nonlocal turns
        while done < 3:
            turns += 1
            clock.now += 0.001
            await asyncio.sleep(0)

    async def layout() -> None:
        async for _ in in_slices(work()):
            pass

    await asyncio.gather(layout(), busy())
    assert done == 3
    assert turns <= 3 * (PATIENCE_SECONDS / 0.001 + 2)


async def test_few_words_are_said_while_a_large_value_is_laid_out() -> None:
    class Alone(App[None]):
        words = 0

        def get_theme_variable_defaults(self) -> dict[str, str]:
            return dict(DARK.variables)

        def compose(self) -> ComposeResult:
            yield BigValue()
            yield Prompt()

        def on_big_value_told(self) -> None:
            self.words += 1

    app = Alone()
    async with app.run_test(size=(80, 24)) as pilot:
        said = 0
        tell = BigValue.tell

        def counted(widget: BigValue) -> None:
            nonlocal said
            said += 1
            tell(widget)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(BigValue, "tell", counted)
            app.query_one(BigValue).show([f"line {number}" for number in range(200_000)])
            while not app.query_one(BigValue).pages.complete:
                await pilot.pause(0.02)
            await pilot.pause(0.05)
        assert app.query_one(BigValue).pages.lines == 200_002
        assert 2 <= app.words <= said <= 40
