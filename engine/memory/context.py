"""What a model would be given now, as far as the files say it.

In Active and in Passive that is hot effective memory, a hint that there is lazy memory, and what the last transitions
of the session's lineage changed in hot memory. Nothing of lazy memory is in it but the hint, and in Passive no answer.
Not known from any file, and not told here: the host's own words around it, its names for the parts and their order,
the conversation beside it, and which scopes an agent was given. A run that is under way has what there was when it began.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from engine.memory.dialect import RESPONSE, Dialect
from engine.memory.layering import is_selection
from engine.memory.navigation import is_hollow, lazy_navigation
from engine.memory.overlay import effective, model
from engine.memory.reading import View, shown, shown_patch
from engine.memory.scope import Scope
from engine.memory.stream import Boundary
from engine.records import dataclass
from engine.values import Json, JsonObject, is_array, is_object, prune, same, slot

Mode = Literal["active", "passive"]
MODES: Final[tuple[Mode, ...]] = ("active", "passive")

# The parts of a context.
STATE: Final = "state"
NAVIGATION: Final = "lazy_navigation"
RECENT: Final = "recent_transitions"


@dataclass(frozen=True, slots=True)
class Recent:
    """What a model is told of one transition: the record of each scope, without what is hidden from it.

    `offset` is how far back it lies in the lineage, counting those that are not told too: reads name it `cwd[offset]`.
    """

    offset: int
    boundary: Boundary
    patches: dict[Scope, JsonObject]

    def to_json(self) -> JsonObject:
        patches: dict[str, Json] = dict(self.patches.items())
        return {"offset": self.offset, "patches": patches}


def context(view: View, mode: Mode) -> JsonObject:
    """All that a model would be given, members in the order in which reads list them.

    Raises InvalidRequest "index-unavailable" where effective memory cannot be composed.
    """
    states = {scope: state for scope, state in view.cohort.states.items() if scope in view.wanted}
    whole = effective(view.dialect, states)
    state = shown(view, hot_state(view.dialect, whole, mode))
    recent: list[Json] = [one.to_json() for one in recent_transitions(view, mode)]
    return {STATE: state, NAVIGATION: lazy_navigation(view.dialect, whole), RECENT: recent}


def hot_planes(dialect: Dialect, mode: Mode = "active") -> tuple[str, ...]:
    """The planes that a model is given unasked, in reading order."""
    return tuple(
        plane for plane in dialect.planes if plane not in dialect.lazy and not (plane == RESPONSE and mode == "passive")
    )


def hot_state(dialect: Dialect, view: JsonObject, mode: Mode = "active") -> JsonObject:
    """The part of effective memory `view` that a model is given unasked: no lazy planes, no empty branches.

    The answer is there in Active alone.
    """
    planes = hot_planes(dialect, mode)
    return model(dialect, {plane: value for plane, value in view.items() if plane in planes})


def recent_transitions(view: View, mode: Mode) -> Iterator[Recent]:
    """The transitions after the lineage's first boundary that changed something a model sees, newest first.

    The others keep their numbers. What the first boundary itself changed is not told: some scopes may have folded it.
    """
    tails = {
        scope: {transition.boundary: index for index, transition in enumerate(view.cohort.streams[scope].tail)}
        for scope in view.wanted
    }
    for offset, boundary in enumerate(reversed(view.cohort.lineage[1:])):
        patches: dict[Scope, JsonObject] = {}
        for scope, tail in tails.items():
            index = tail.get(boundary)
            if index is None:
                continue
            stream = view.cohort.streams[scope]
            patch = seen_patch(view.dialect, stream.tail[index].patch, stream.states[index], mode)
            told = shown(view, patch)
            if is_object(told) and told:
                patches[scope] = told
        if patches:
            yield Recent(offset, boundary, patches)


def seen_patch(dialect: Dialect, patch: JsonObject, before: JsonObject, mode: Mode) -> JsonObject:
    """What a record on the value `before` changed of what a model sees.

    No lazy planes, no bookkeeping of cards, in Passive no answer, and nothing that only makes or removes empty branches.
    """
    planes = hot_planes(dialect, mode)
    return _telling({plane: change for plane, change in shown_patch(dialect, patch).items() if plane in planes}, before)


def _telling(patch: JsonObject, before: Json) -> JsonObject:
    """The members of a patch that change what is there beside empty branches."""
    found: dict[str, Json] = {}
    elements = is_array(before) and is_selection(patch)
    for key, change in patch.items():
        was = _member(before, key, elements=elements)
        if change is None:
            if not is_hollow(was):
                found[key] = change
        elif is_object(change):
            told = _telling(change, was)
            # An object that takes the place of something else says so even where nothing is in it.
            inside = is_object(was) or (is_array(was) and is_selection(change))
            if told or not inside:
                found[key] = told
        elif is_array(change):
            told_whole = prune(change)
            if not (is_array(was) and same(prune(was), told_whole)):
                found[key] = told_whole
        else:
            found[key] = change
    return found


def _member(value: Json, key: str, *, elements: bool) -> Json:
    """What stands under a key of a patch; an empty object where nothing does."""
    if is_object(value):
        return value.get(key, {})
    index = slot(key) if elements else None
    if index is not None and is_array(value) and index < len(value):
        return value[index]
    return {}
