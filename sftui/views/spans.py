"""Text with roles: what a view hands to a widget instead of styles.

A role is a name that the style sheet colours; a view knows neither colours nor
widths. Every text in a span has been through `display.clean`.
"""

from __future__ import annotations

from typing import Final, Literal

Role = Literal[
    "text",  # ordinary
    "muted",  # secondary: sizes, times, structure
    "strong",  # headings and names
    "key",  # a key of an object
    "string",
    "number",  # numbers, booleans
    "accent",  # what is selected, followed or live
    "added",
    "removed",
    "changed",
    "cascade",
    "good",
    "warn",
    "bad",
    "rule",  # lines that divide
]
ROLES: Final[tuple[Role, ...]] = (
    "text",
    "muted",
    "strong",
    "key",
    "string",
    "number",
    "accent",
    "added",
    "removed",
    "changed",
    "cascade",
    "good",
    "warn",
    "bad",
    "rule",
)

Span = tuple[str, Role]
Spans = tuple[Span, ...]

SIGN_ROLES: Final[dict[str, Role]] = {"+": "added", "-": "removed", "~": "changed", "×": "cascade"}


def plain(spans: Spans) -> str:
    """Give the text alone: for tests, copies and output without colour."""
    return "".join(text for text, _ in spans)
