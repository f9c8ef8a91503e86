"""What people come for, and the keys that it takes from the first screen: `python -m tests.app.jobs` writes docs/keys.md.

test_jobs presses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sftui.keynames import key_name
from sftui.views.keys import keys_markdown

# No common task may take more; what is typed as text is not counted.
MOST = 4


@dataclass(frozen=True, slots=True)
class Job:
    """A task; `…` among its keys stands for `typed`, text that is of one's own."""

    title: str
    keys: tuple[str, ...]
    typed: str = ""

    @property
    def count(self) -> int:
        return sum(1 for key in self.keys if key != "…")

    @property
    def pressed(self) -> list[str]:
        """Every key, one by one."""
        names = {" ": "space", ".": "full_stop", "[": "left_square_bracket", "]": "right_square_bracket"}
        text = [names.get(character, character) for character in self.typed]
        return [one for key in self.keys for one in (text if key == "…" else [key])]


JOBS = (
    Job("see what changed last, and what the agent is after", ("1",)),
    Job("open the newest change where it stands in the memory", ("1", "enter")),
    Job("hold the changes while the agent goes on", ("1", "f")),
    Job("see everything that is wrong", ("6",)),
    Job("look at another session or directory", ("s", "j", "enter")),
    Job("find a text in the memory", ("slash", "…", "enter"), "e2e"),
    Job("go to a path", ("apostrophe", "…", "enter"), "lazy.survey"),
    Job("read a value whole", ("enter",)),
    Job("see what an intent owns and would take along", ("4",)),
    Job("delete what the cursor stands on, and write that", ("d", "p", "enter")),
    Job("delete two rows in one change", ("space", "space", "d")),
    Job("move what the cursor stands on out of the context", ("L", "p", "enter")),
    Job("undo the newest change, an agent's too", ("1", "u", "p", "enter")),
    Job("see everything that happened, the newest first", ("3",)),
    Job("read the newest change whole, as a diff", ("3", "enter")),
    Job("go to the change that set what the cursor stands on", ("b",)),
    Job("copy the path under the cursor", ("y",)),
    Job("learn what the keys do here", ("question_mark",)),
    Job("do something whose key one does not know", ("colon", "…", "enter"), "theme"),
)


def counted() -> str:
    """The section of docs/keys.md."""
    lines = [
        "",
        "## How many keys a job takes",
        "",
        "From the first screen at 80x24, with the cursor on what is meant; a test presses them. What one types as text (…)",
        f"is not counted. No common task takes more than {MOST}.",
        "",
        "| to | keys | how many |",
        "| --- | --- | --- |",
    ]
    for job in JOBS:
        keys = " ".join("…" if key == "…" else f"`{key_name(key)}`" for key in job.keys)
        lines.append(f"| {job.title} | {keys} | {job.count} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    page = Path(__file__).parents[2] / "docs" / "keys.md"
    page.write_text(keys_markdown(counted()), "utf-8")
