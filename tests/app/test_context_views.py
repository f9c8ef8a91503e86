"""How large what a model would be given is: by hand, against its very text, and in steps that never take long."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.memory.cohort import Cohort, advance, begin
from engine.memory.context import MODES, Mode, context
from engine.memory.dialect import V2, V4
from engine.memory.overlay import effective
from engine.memory.reading import View
from engine.memory.scope import SCOPES, Scope
from engine.memory.staging import stage
from engine.values import canonical_bytes
from sftui.glyphs import in_ascii
from sftui.views.context_lines import bar, share
from sftui.views.sizes import QUICK_NODES, Sizes
from sftui.views.weighing import STEP, Weighed, done, weigh
from tests.memory.counting import Watch, watched
from tests.memory.strategies import cohort_states, scope_patches


def weighed(cohort: Cohort, mode: Mode = "active", known: Weighed | None = None, wanted: Any = SCOPES) -> Weighed:
    states = {scope: state for scope, state in cohort.states.items() if scope in wanted}
    old = None if known is None else known.state
    return done(weigh(View(cohort, wanted), effective(cohort.dialect, states), mode, Sizes(), old))


def changed(cohort: Cohort, name: str, patch: Any, answer: str | None = None) -> Cohort:
    staged = stage(cohort.dialect, cohort.states, patch, response=answer)
    return advance(cohort, name, staged.net, staged.after)


def text(value: Any) -> int:
    """The bytes of a value as JSON."""
    return len(canonical_bytes(value))


START: Any = {
    "global": {"strategy": {"style": {"commits": "short"}, "api": "v1"}, "lazy": {"k": {"deep": "body"}}},
    "cwd": {"strategy": {"api": "v2 only"}, "artifacts": {"p": {"description": "d", "compiledAt": "then"}}},
    "session": {"strategy": {"style": {"tests": "beside"}}, "tactics": {"é\\n": [1, 2], "gone": {"a": {}}}},
}


def test_by_hand() -> None:
    cohort = begin(V4, START, origin_id="o", limit=7)
    found = weighed(cohort)
    sizes = {".".join(map(str, path)): item.size for path, item in found.state.items.items()}
    assert sizes == {
        "strategy.style": len('{"commits":"short","tests":"beside"}'),
        "strategy.api": len('"v2 only"'),
        "tactics.é\\n": len("[1,2]"),
        "artifacts.p": len('{"description":"d"}'),
    }
    assert [(plane.name, plane.size, plane.count) for plane in found.state.planes] == [
        ("strategy", len('{"style":{"commits":"short","tests":"beside"},"api":"v2 only"}'), 2),
        ("tactics", len('{"é\\\\n":[1,2]}'.encode()), 1),
        ("artifacts", len('{"p":{"description":"d"}}'), 1),
    ]
    assert dict(found.state.scopes) == {
        "global": len('"commits":"short"'),
        "cwd": len('"api":"v2 only"') + len('"p":{"description":"d"}'),
        "session": len('"tests":"beside"') + len('"é\\\\n":[1,2]'.encode()),
    }
    style = found.state.items["strategy", "style"]
    assert style.providers == ("global", "session")
    assert found.parts["lazy_navigation"] == len('{"available":true,"keys":{"k":"object"},"path":"effective.lazy"}')
    assert found.parts["recent_transitions"] == len("[]")
    assert found.total == text(context(View(cohort, SCOPES), "active"))
    assert found.grew is None and found.before == (), "nobody knows what there was before"


def test_what_the_last_changes_made_of_it() -> None:
    cohort = begin(V4, START, origin_id="o", limit=7)
    sizes = [weighed(cohort).state.size]
    for number, patch in enumerate(
        (
            {"session": {"tactics": {"new": "x" * 50}}},
            {"session": {"lazy": {"log": "y" * 500}}},
            {"session": {"tactics": {"new": None, "é\\n": None}}},
        )
    ):
        cohort = changed(cohort, f"b{number}", patch)
        sizes.append(weighed(cohort).state.size)
    found = weighed(cohort)
    assert list(found.before) == sizes[-2::-1]
    assert found.grew == sizes[-1] - sizes[-2] < 0
    assert [one.told.offset for one in found.recent] == [0, 2] and found.untold == 1


steps = st.tuples(
    st.dictionaries(st.sampled_from(SCOPES), scope_patches, max_size=2), st.sampled_from([None, "", "answer"])
)
wishes = st.sampled_from([SCOPES, ("global", "cwd"), ("session",)])


@given(cohort_states, st.lists(steps, max_size=5), wishes, st.sampled_from(MODES))
def test_every_size_is_that_of_its_text(start: Any, changes: Any, wanted: tuple[Scope, ...], mode: Mode) -> None:
    cohort = begin(V2, start, origin_id="o", limit=3)
    known: Weighed | None = None
    past: list[int | None] = []
    for number, (patch, answer) in enumerate([({}, None), *changes]):
        try:
            after = changed(cohort, f"b{number}", patch, answer)
        except InvalidRequest:
            continue
        if after is cohort and number:
            continue  # nothing came of it
        cohort = after
        try:
            document: Any = context(View(cohort, wanted), mode)
        except InvalidRequest:
            known, past = None, [*past, None][-3:]
            continue
        found = weighed(cohort, mode, known, wanted)
        assert found == weighed(cohort, mode, None, wanted), "what is kept is what is worked out anew"
        assert found.total == text(document)
        assert found.parts == {name: text(part) for name, part in document.items()}
        state = document["state"]
        assert {plane.name: plane.size for plane in found.state.planes} == {
            name: text(one) for name, one in state.items()
        }
        expected: dict[Any, int] = {}
        for plane, value in state.items():
            expected |= (
                {(plane, key): text(one) for key, one in value.items()}
                if plane != "response"
                else {(plane,): text(value)}
            )
        assert {path: item.size for path, item in found.state.items.items()} == expected
        assert [one.size for one in found.recent] == [text(one) for one in document["recent_transitions"]]
        assert found.untold + len(found.recent) == len(cohort.lineage) - 1
        assert 0 <= sum(found.state.scopes.values()) <= found.state.size
        for item in found.state.items.values():
            assert sum(item.shares.values()) <= item.size + (text(item.path[1]) + 1 if len(item.path) > 1 else 0)
        # Behind a moment at which it could not be composed nothing is known.
        told = [size for size in past[::-1] if size is not None] if None not in past else []
        assert list(found.before)[: len(told)] == told, "the sizes before are those that it had then"
        assert len(found.before) == len(past)
        past = [*past, found.state.size][-3:]
        known = found


def large(keys: int, each: int) -> Any:
    return {f"k{number}": {"text": "x" * each, "list": [1, {"a": number}]} for number in range(keys)}


def test_no_step_takes_long_however_much_there_is() -> None:
    watch = Watch()
    start: Any = {
        "cwd": watched({"tactics": {"one": large(20_000, 20), **large(2_000, 20)}, "lazy": large(100, 10)}, watch),
        "session": watched({"tactics": {"one": large(3_000, 5)}}, watch),
    }
    cohort = begin(V4, start, origin_id="o", limit=7)
    whole = effective(V4, cohort.states)
    looked: list[int] = []
    watch.seen.clear()

    def step() -> None:
        looked.append(watch.visited)
        watch.seen.clear()

    found = done(weigh(View(cohort, SCOPES), whole, "active", Sizes()), step)
    assert found.total > 1_000_000
    assert len(looked) > 2_000, "a step for each key, and many for a large one"
    assert max(looked) <= 2 * (QUICK_NODES + STEP), "none looks at more than a blink takes"
    assert watch.visited <= 2 * (QUICK_NODES + STEP)


def test_a_second_look_looks_into_what_has_changed_alone() -> None:
    watch = Watch()
    cohort = begin(V4, {"cwd": watched({"tactics": large(5_000, 20)}, watch)}, origin_id="o", limit=7)
    sizes = Sizes()
    view = View(cohort, SCOPES)
    first = done(weigh(view, effective(V4, cohort.states), "active", sizes))
    after = changed(cohort, "b", {"cwd": {"tactics": {"k7": {"text": "new"}}}})
    whole = effective(V4, after.states)
    watch.seen.clear()
    second = done(weigh(View(after, SCOPES), whole, "active", sizes, first.state))
    assert watch.visited <= 10
    assert second.grew == len("new") - 20


def test_a_share_is_shown_in_cells_and_percent() -> None:
    assert bar(0, 100, 8) == "░" * 8 and share(0, 100) == "0 %"
    assert bar(1, 10_000, 8) == "█" + "░" * 7 and share(1, 10_000) == "<1 %"
    assert bar(50, 100, 8) == "█" * 4 + "░" * 4 and share(50, 100) == "50 %"
    assert bar(100, 100, 8) == "█" * 8 and share(100, 100) == "100 %"
    assert in_ascii(bar(25, 100, 8), only=True) == "##::::::"
    assert bar(0, 0, 4) == "░" * 4
