"""From spans to strips: the one place where a role becomes a style."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from sftui.cells import cell_len, cut
from sftui.views.spans import ROLES, Role, Spans


class Painter(Widget):
    """A widget that paints lines made of spans."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"role--{role}" for role in ROLES} | {
        "role--cursor",
        "role--cursor-blur",
        "role--match",
    }

    DEFAULT_CSS = """
    Painter {
        scrollbar-color: $rule;
        scrollbar-color-hover: $ink-muted;
        scrollbar-color-active: $accent;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        & .role--text { color: $foreground; }
        & .role--muted { color: $ink-muted; }
        & .role--strong { color: $foreground; text-style: bold; }
        & .role--key { color: $foreground; }
        & .role--string { color: $ink-muted; }
        & .role--number { color: $ink-muted; }
        & .role--accent { color: $accent; text-style: bold; }
        & .role--added { color: $success; }
        & .role--removed { color: $error; }
        & .role--changed { color: $accent; }
        & .role--cascade { color: $error; }
        & .role--good { color: $success; }
        & .role--warn { color: $warning; }
        & .role--rule { color: $rule; }
        & .role--bad { color: $error; text-style: bold; }
        & .role--cursor { background: $cursor-row; }
        & .role--cursor-blur { background: $panel; }
        & .role--match { background: $accent; color: $background; }
    }
    """

    _styles_by_role: dict[Role, Style] | None = None
    _base_style: Style | None = None

    @property
    def rich_style(self) -> Style:
        """The style below every line; asked for each, so it is worked out once per change of theme or of focus."""
        if self._base_style is None:
            self._base_style = super().rich_style
        return self._base_style

    def role_style(self, role: Role) -> Style:
        """Give the style of a role, looked up once per change of theme."""
        if self._styles_by_role is None:
            # Partial: the widget's own background shows through, and the cursor's over it.
            self._styles_by_role = {
                name: self.get_component_rich_style(f"role--{name}", partial=True) for name in ROLES
            }
        return self._styles_by_role[role]

    def notify_style_update(self) -> None:
        """Forget the styles: the theme or the style sheet has changed."""
        self._base_style = None
        self._styles_by_role = None
        super().notify_style_update()

    def segments(self, spans: Spans, width: int) -> list[Segment]:
        """Give `spans` as segments of at most `width` cells; what is cut ends with an ellipsis."""
        found: list[Segment] = []
        room = width
        for text, role in spans:
            if room <= 0:
                break
            wide = cell_len(text)
            if wide > room:
                text = cut(text, room)  # noqa: PLW2901 - the cut text stands for the whole one
                wide = cell_len(text)
                found.append(Segment(text, self.role_style(role)))
                room = 0
                break
            if text:
                found.append(Segment(text, self.role_style(role)))
                room -= wide
        return found

    def strip(self, left: Spans, right: Spans, width: int, base: Style) -> Strip:
        """Give one line of exactly `width` cells: `left` from the left, `right` flush right."""
        right_segments = self.segments(right, width)
        right_width = sum(segment.cell_length for segment in right_segments)
        left_segments = self.segments(left, max(0, width - right_width - (1 if right_width else 0)))
        gap = width - right_width - sum(segment.cell_length for segment in left_segments)
        parts = [*left_segments, Segment(" " * max(0, gap), None), *right_segments]
        return Strip(list(Segment.apply_style(parts, base)), width)
