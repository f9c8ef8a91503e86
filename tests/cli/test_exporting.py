"""Pages: the same view in every format, data that stays data in each, files made whole and nowhere else."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.errors import EngineError
from sftui.cli import main
from sftui.display import clean
from sftui.export.document import Document, Heading, Lines, Table, lines
from sftui.export.markdown import inline, markdown
from sftui.export.registry import EXPORTED, exported
from sftui.export.svg import svg
from sftui.saved_file import Refused, save
from sftui.views.spans import Span, Spans
from tests.cli.conftest import Result, Store, Stores, contents, fingerprint
from tests.cli.test_hostile import CONTROL, FORBIDDEN, MARKUP

BAD = [
    *MARKUP,
    *CONTROL,
    "a|b",
    "a\\|b|",
    "``` `` `",
    "`",
    "</text><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](http://example.org/x.png)",
    "http://example.org www.example.org a@example.org",
    "&lt;b&gt; &#106; &",
    "# not a title",
    "* no list",
    "1. no list",
    "]]>",
    "<!--",
    "\ufffe\uffff\ud800x",
    "~~~",
    " both ends ",
    "e\u0301 汉字 🦊",
]
WHATS = ("effective", "cwd", "cwd.lazy", "watch", "intents", "timeline", "health", "context")


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command to its end in this process: there are many of them."""
    out, err = tmp_path / "out", tmp_path / "err"

    def call(*arguments: str, stdin: str = "") -> Result:
        with open(out, "w+b") as told, open(err, "w+b") as said, monkeypatch.context() as within:
            within.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            within.setattr(sys, "stdout", io.TextIOWrapper(told))
            within.setattr(sys, "stderr", io.TextIOWrapper(said))
            code = main([*arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            return Result(code, out.read_text(), err.read_text())

    return call


@pytest.fixture
def hostile(stores: Stores, run: Run) -> Store:
    """A store whose keys and values try everything."""
    store = stores("two-sessions")
    memory = {f"{number}{text}": text for number, text in enumerate(BAD)}
    patch = {"cwd": {"lazy": memory, "working": memory, "intents": dict(memory)}, "global": {"contract": memory}}
    assert run("patch", *store.at(), stdin=json.dumps(patch)).code == 0
    return store


class Text(HTMLParser):
    """The text of rendered Markdown, and every element in it."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.cells: list[str] = []
        self.tags: set[str] = set()
        self.within = False
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name not in {"style", "class"}]  # type: ignore[attr-defined]
        if tag in {"td", "th"}:
            self.within = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self.within = self.within and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        self.parts.append(data)
        if self.within:
            self.cells[-1] += data

    @property
    def text(self) -> str:
        return "".join(self.parts)


RENDERER = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
ALLOWED = {"h1", "h2", "pre", "code", "table", "thead", "tbody", "tr", "th", "td", "p"}


@pytest.mark.parametrize("what", WHATS)
def test_a_hostile_store_is_data_in_every_format(hostile: Store, run: Run, what: str) -> None:
    before = fingerprint(hostile.root)
    told = {form: run("show", what, "--format", form, *hostile.at()) for form in ("text", "json", "md", "svg")}
    assert {form: (one.code, one.err) for form, one in told.items()} == dict.fromkeys(told, (0, ""))
    assert FORBIDDEN.search(told["text"].out) is None
    assert json.loads(told["json"].out)
    rendered = Text(RENDERER.render(told["md"].out))
    assert rendered.tags <= ALLOWED, rendered.tags
    check_picture(told["svg"].out)
    if what == "cwd":
        for text in MARKUP:
            assert text in rendered.text
            assert text in text_of(told["svg"].out)
    assert fingerprint(hostile.root) == before


@pytest.mark.parametrize("form", ["text", "json", "md", "svg"])
def test_a_hostile_difference_is_data_in_every_format(hostile: Store, run: Run, form: str) -> None:
    done = run("diff", "cwd@1", "cwd", "--format", form, *hostile.at())
    assert (done.code, done.err) == (0, "")
    if form == "svg":
        check_picture(done.out)
    elif form == "md":
        rendered = Text(RENDERER.render(done.out))
        assert rendered.tags <= ALLOWED
        assert "<img src=x onerror=alert(1)>" in rendered.text
    elif form == "text":
        assert FORBIDDEN.search(done.out) is None
        assert "<img src=x onerror=alert(1)>" in done.out


def check_picture(source: str) -> None:
    root = ET.fromstring(source)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names == {"svg", "title", "style", "rect", "text"}
    for element in root.iter():
        assert not [name for name in element.attrib if name.lower().startswith(("on", "href", "xlink"))]
    head = source.partition("</style>")[0]
    assert not re.search(r"url\(|@import|https?:", head.replace("http://www.w3.org/2000/svg", ""))
    assert FORBIDDEN.search(source) is None


def text_of(source: str) -> str:
    return "\n".join(element.text or "" for element in ET.fromstring(source).iter())


texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=30) | st.sampled_from(BAD)


@settings(max_examples=200)
@given(st.lists(st.tuples(texts, texts), max_size=4), st.lists(texts, max_size=4), texts)
def test_any_text_survives_markdown_and_pictures(rows: list[tuple[str, str]], some: list[str], title: str) -> None:
    """What a renderer makes of the page is the very text that was put into it."""
    cells: list[tuple[Span, ...]] = [tuple((clean(text), "text") for text in row) for row in rows]
    listed: list[Spans] = [((clean(text), "text"),) for text in some]
    heading = Heading(((clean(title), "strong"),))
    page = Document(clean(title), (heading, Table(("one", "two"), tuple(cells)), Lines(tuple(listed))), {})
    rendered = Text(RENDERER.render(markdown(page)))
    assert rendered.tags <= ALLOWED
    assert rendered.cells[2 : 2 + 2 * len(rows)] == [clean(text).strip() for row in rows for text in row]
    for text in some:
        assert clean(text).rstrip() in rendered.text
    assert rendered.text.strip().startswith(clean(title).strip())
    picture = svg(page)
    ET.fromstring(picture)
    assert picture == svg(page)


def test_signs_in_a_line() -> None:
    assert inline("two words") == "two words"
    assert inline("a`b``c") == "```a`b``c```"
    assert inline("`") == "`` ` ``"
    assert inline("a|b") == "a&#124;b"
    assert inline("") == ""


def test_what_is_left_out_of_a_page_is_said() -> None:
    page = lines(((f"line {number}", "text"),) for number in range(20_005))
    assert page.lines[-1] == (("and 5 more lines; as JSON it is whole", "muted"),)
    assert "and more lines; as text or JSON it is whole" in svg(Document("many", (page,), {}))


def test_every_page_has_a_name_and_what_is_no_view_has_none() -> None:
    assert [one.name for one in EXPORTED] == ["watch", "intents", "timeline", "context", "health"]
    assert exported("history") is exported("timeline")
    assert exported("effective") is None


# What is shown.


def test_the_tree_is_what_memory_shows(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    patch = {
        "cwd": {"lazy": {"deep": {"body": "long"}}, "working": {"a": [1, {"b": 2}]}},
        "global": {"working": {"g": 1}},
    }
    assert run("patch", *store.at(), stdin=json.dumps(patch)).code == 0
    told = run("show", "effective", "--json", *store.at()).json
    rows = {tuple(row["path"]): row for row in told["rows"]}
    assert rows["working", "a", 1, "b"]["providers"] == ["cwd"]
    assert rows["working", "a", 1, "b"]["size"] == 1
    assert rows["working",]["providers"] == ["global", "cwd"]
    # Lazy memory by its keys, unless it is asked for.
    assert ("lazy", "deep") in rows
    assert ("lazy", "deep", "body") not in rows
    below = run("show", "effective.lazy.deep", "--json", *store.at()).json
    assert [row["path"] for row in below["rows"]] == [["lazy", "deep"], ["lazy", "deep", "body"]]
    text = run("show", "cwd.working", *store.at()).out
    assert text.splitlines()[0] == "cwd.working"
    assert "▾ a [2]" in text


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        ("cwd.working.nothing", 3, "there is nothing at this path (at cwd.working.nothing)"),
        ("nowhere", 3, "this is not a path into memory (at nowhere)"),
        ("cwd@x", 3, "this is not a path into memory"),
        ("cwd@77", 3, "it is not known what cwd was at revision 77 (scope cwd); cwd is at revision 2"),
        ("effective[40]", 3, "It is not known what memory was 40 transitions back; the oldest moment"),
        ("session", 3, "--session"),
        ("effective[1][2]x.", 3, "this is not a path"),
        ("", 3, "this is not a path"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(stores: Stores, run: Run, what: str, code: int, words: str) -> None:
    store = stores("two-sessions")
    for command in (["show", what], ["diff", what, "cwd"] if "." not in what else ["show", what, "--json"]):
        done = run(*command, *store.at())
        assert done.code == code, done.err
        assert words in done.err
        assert done.err.count("\n") == 1
        assert done.out == ""


def test_a_fenced_scope_shows_nothing_partial(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    (store.root / "--work-demo-project--" / "patches.jsonl").write_text("{torn\n")
    assert run("show", "effective", *store.at()).code == 5
    assert run("diff", "cwd@1", "cwd", *store.at()).code == 5
    assert run("show", "global", *store.at()).code == 0
    assert run("show", "watch", *store.at()).code == 0


# What differs.


def differing(run: Run, store: Store, *arguments: str, session: bool = False) -> Any:
    done = run("diff", *arguments, "--json", *store.at(session=session))
    assert done.code == 0, done.err
    return done.json


def test_two_moments_of_a_scope(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    begun = run("status", "--json", *store.at()).json["scopes"][1]["revision"]
    for patch in (
        {"cwd": {"lazy": {"plan": {"step": "a longer text"}}, "intents": {"i": {"own": {"$ref": "cwd.lazy.plan"}}}}},
        {"cwd": {"working": {"moved": {"some": "thing that is told apart"}, "x": 1}}},
        {
            "cwd": {
                "intents": {"i": None},
                "working": {"moved": None, "x": 2},
                "lazy": {"moved": {"some": "thing that is told apart"}},
            }
        },
    ):
        assert run("patch", *store.at(), stdin=json.dumps(patch)).code == 0
    told = differing(run, store, f"cwd@{begun + 2}", "cwd")
    signs = {(line["sign"], ".".join(line["path"])): line["what"] for line in told["scopes"][0]["lines"]}
    assert told["a"] == {"name": f"cwd@{begun + 2}", "moment": f"c{begun + 2}"}
    assert ("~", "working.x") in signs
    assert signs["→", "lazy.moved"].startswith("from cwd.working.moved")
    assert signs["-", "working.moved"] == "moves to cwd.lazy.moved"
    assert signs["×", "lazy.plan"] == "goes with its intent, 24 B"
    assert signs["-", "intents.i"].endswith("closed")
    # And back again.
    back = differing(run, store, "cwd", f"cwd@{begun + 2}")
    assert {line["sign"] for line in back["scopes"][0]["lines"]} == {"+", "~", "→", "-"}
    one = differing(run, store, f"cwd@{begun + 2}", "cwd", "--path", "working.x")
    assert [line["path"] for line in one["scopes"][0]["lines"]] == [["working", "x"]]
    none = differing(run, store, "cwd", "cwd")
    assert none["scopes"] == []
    assert "nothing differs" in run("diff", "cwd", "cwd", *store.at()).out
    assert run("diff", "cwd", "cwd", "--path", "cwd.working", *store.at()).code == 3
    assert "give the place with --path" in run("diff", "cwd.working", "cwd", *store.at()).err


def test_scopes_and_moments_of_a_session(stores: Stores, run: Run) -> None:
    store = stores("two-sessions")
    assert run("patch", *store.at(), stdin='{"cwd": {"working": {"only": "cwd"}}}').code == 0
    told = differing(run, store, "global", "cwd")
    assert ["working", "only"] in [line["path"] for line in told["scopes"][0]["lines"]]
    assert told["title"].startswith("global (g")
    # The session's lineage begins anew: what lies before cannot be asked for, and that is said.
    done = run("diff", "effective[3]", "effective", *store.at(session=True))
    assert done.code == 3
    assert "oldest moment that can be asked for is" in done.err


# Where it is put.


@pytest.mark.parametrize("command", [["show", "cwd"], ["diff", "global", "cwd"]])
def test_a_file_is_made_whole_and_nothing_is_replaced_unasked(
    stores: Stores, run: Run, tmp_path: Path, command: list[str]
) -> None:
    store = stores("two-sessions")
    file = tmp_path / "page.md"
    options = ["--format", "md", "--output", str(file), *store.at()]
    assert run(*command, *options).code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    written = file.read_text()
    assert written == run(*command, "--format", "md", *store.at()).out
    file.write_text("mine")
    done = run(*command, *options)
    assert (done.code, file.read_text()) == (2, "mine")
    assert "is there already" in done.err
    assert run(*command, *options, "--force").code == 0
    assert file.read_text() == written
    before = contents(store.root)
    inside = ["--output", str(store.root / "page.md"), "--force", *store.at()]
    assert run(*command, *inside).code == 2
    os.symlink(store.root / "meta.json", tmp_path / "link")
    done = run(*command, "--output", str(tmp_path / "link"), "--force", *store.at())
    assert (done.code, "nothing but memory is written into a store" in done.err) == (2, True)
    assert run(*command, "--output", str(tmp_path), "--force", *store.at()).code == 2
    assert run(*command, "--output", str(tmp_path / "none" / "page"), *store.at()).code == 1
    assert contents(store.root) == before
    assert [name for name in os.listdir(tmp_path) if name.endswith(".tmp")] == []


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.store import files

    def full(descriptor: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    file = tmp_path / "page"
    file.write_text("old")
    monkeypatch.setattr(files, "write", full)
    for force in (True, False):
        with pytest.raises(EngineError, match=r"cannot be written|there already"):
            save(str(file), b"new", root=str(tmp_path / "store"), force=force)
        with pytest.raises(EngineError, match="cannot be written"):
            save(str(tmp_path / f"other{force}"), b"new", root=str(tmp_path / "store"), force=force)
    assert os.listdir(tmp_path) == ["page"]
    assert file.read_text() == "old"


def test_without_links_a_new_file_is_made_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.store import files

    def none(*_: Any, **__: Any) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(files, "link", none)
    assert save(str(tmp_path / "page"), b"new", root=str(tmp_path / "store")) == str(tmp_path / "page")
    with pytest.raises(Refused):
        save(str(tmp_path / "page"), b"newer", root=str(tmp_path / "store"))
    assert (tmp_path / "page").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["page"]


def test_a_revision_that_left_the_tail_is_known_from_the_ledger(
    stores: Stores, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = stores("two-sessions")
    for step in range(12):
        assert run("patch", *store.at(), stdin=json.dumps({"cwd": {"working": {"step": step}}})).code == 0
    last = run("status", "--json", *store.at()).json["scopes"][1]
    revision = last["revision"] - 10
    assert last["retained"] < 10
    told = run("show", f"cwd@{revision}.working.step", "--json", *store.at())
    assert told.code == 0, told.err
    assert told.json["moment"] == f"c{revision}"
    line = run("diff", f"cwd@{revision}", "cwd", "--path", "working.step", "--json", *store.at()).json["scopes"][0][
        "lines"
    ]
    assert [one["what"] for one in line] == ["1 → 11"]
    # Without it, and of what it never saw, that is said.
    done = run("show", f"cwd@{revision}", "--no-ledger", *store.at())
    assert done.code == 3
    assert f"it is not known what cwd was at revision {revision}" in done.err
    assert "retains its revisions" in done.err
    assert run("show", "cwd@0", *store.at()).code == 3


def test_a_name_that_leads_nowhere_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for name in ("a\0b", str(tmp_path / "link")):
        with pytest.raises(Refused):
            save(name, b"x", root=str(tmp_path / "store"))
    assert not (tmp_path / "gone").exists()
