"""What the agent of the demo remembers: two small products, their rules, their work in hand. Data and nothing else."""

from __future__ import annotations

import random
from typing import Any

Patch = dict[str, Any]

# Looks like a token that should not be in memory, and opens nothing.
_MADE_UP = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz"

GLOBAL: Patch = {
    "strategy": {
        "style": {"commits": "imperative, one idea each", "tests": "beside the code that they test"},
        "review": "ask before a change that touches more than 20 files",
        "secrets": "never in memory; name the vault entry instead",
        "shell": {"timeout_s": 120, "pager": "off"},
    },
    "tactics": {"machine": {"cores": 8, "docker": True, "node": "22.11", "python": "3.12"}},
    "artifacts": {
        "/home/mira/notes/house-style.md": {"description": "how we write, one page", "tags": ["style", "prose"]},
    },
}

LARDER: Patch = {
    "intents": {
        "migrate": {
            "goal": "move the stock table to event rows",
            "why": "two phones lose updates",
            "plan": {"$ref": "cwd.lazy.migration"},
        },
        "accessibility": {
            "goal": "scanner screen usable with VoiceOver",
            "see": "$cwd.lazy.modules.scanner",
            "audit": {"$ref": "cwd.lazy.audit"},
        },
    },
    "strategy": {
        "api": "v2 only; v1 answers 410 since March",
        # Said once too often: global memory holds the same.
        "review": "ask before a change that touches more than 20 files",
        "style": {"commits": "conventional, scope first"},
        "offline": "every screen must work without a network for a day",
        "barcodes": {"source": "open data dump, weekly", "unknown": "ask once, remember per household"},
    },
    "tactics": {
        "checks": ["lint", "types", "unit"],
        "store": {"state": "half moved", "tables_left": ["stock", "shopping_line"]},
        "flaky": {"test_sync_two_phones": "fails once in 40 runs, clock skew", "seen": 3},
        "crash_upload": f"curl -H 'Authorization: token {_MADE_UP}' https://crash.example/larder",
    },
    "artifacts": {
        "/work/larder/docs/sync.md": {"description": "how two phones agree", "tags": ["sync", "design"]},
        "/work/larder/api/openapi.yaml": {"description": "the v2 interface, 41 paths"},
    },
}

RELEASE: Patch = {
    "intents": {
        "release": {
            "goal": "cut 1.4, then write the notes",
            "steps": ["freeze", "check", "tag", "notes"],
            "plan": {"$ref": "session.lazy.release_plan"},
            "board": {"$ref": "session.tactics.checks"},
            "draft": {"$ref": "session.lazy.notes.draft"},
        },
        "migrate": {"next": "backfill in batches of 500", "log": {"$ref": "session.lazy.backfill"}},
    },
    "tactics": {
        "checks": [
            "lint",
            "types",
            "unit",
            "sync",
            "scan",
            "widgets",
            "size",
            "a11y",
            "e2e",
            "upgrade",
            "rollback",
            "store",
        ],
        "done": 3,
        "next": "run the sync suite twice",
        "branch": "release/1.4",
    },
    "lazy": {
        "release_plan": {
            "freeze": "Thursday noon; only fixes with a test after that",
            "risks": ["upgrade from 1.2 skips a migration", "widget size grew by 90 kB"],
            "owners": {"notes": "Mira", "store listing": "Jo"},
        },
        "notes": {"draft": "Larder 1.4 remembers what you threw away, and why."},
        "backfill": {"batches": 212, "done": 17, "slowest_ms": 840},
        "what Jo said": "the listing goes live at nine, not at noon",
    },
}

LOGIN: Patch = {
    "intents": {
        "login": {"goal": "no more login loop after a password change", "cause": {"$ref": "session.lazy.trace"}}
    },
    "tactics": {"finding": "refresh token kept by the web view", "fix": "clear it on 401, once", "verified": True},
    "lazy": {"trace": ["401 /v2/session", "refresh 200", "401 /v2/session", "refresh 200", "loop"]},
}

LABELS: Patch = {
    "intents": {"queue": {"goal": "print jobs survive a restart", "spike": {"$ref": "cwd.lazy.spike"}}},
    "strategy": {"printers": "only the two that we own", "protocol": "raw TCP 9100, no vendor driver"},
    "tactics": {"fonts": {"latin": "Inter", "cjk": "Noto Sans"}, "dpi": 203},
    "lazy": {"spike": {"tried": ["sqlite", "a folder of files"], "verdict": "a folder of files, renamed when done"}},
}

PRINTING: Patch = {
    "intents": {
        "umlauts": {"goal": "umlauts on the small labels", "sample": "Gr\u00fcnkohl, \u00c4pfel, \u674e\u5b50"}
    },
    "tactics": {"tried": {"cp850": "boxes", "utf-8": "right, after ^CI28"}, "next": "a test page per code page"},
}

_MODULES = (
    "scanner", "stock", "shopping", "sync", "household", "recipes", "expiry", "labels", "import", "export",
    "search", "images", "billing", "settings", "widgets", "telemetry", "offline", "accounts",
)  # fmt: skip
_VERBS = ("keeps", "drops", "merges", "reads", "caches", "sorts", "retries", "guards", "batches", "measures")
_THINGS = (
    "the oldest row of a shelf", "a barcode without a country", "what a second phone wrote", "the queue after a crash",
    "photos above two megabytes", "dates that a person typed", "a household of one", "the list while it is shared",
    "prices in three currencies", "an item that was thrown away", "a scan in the dark", "the badge on the icon",
)  # fmt: skip
_ENDS = ("on purpose", "since 1.2", "until the next sync", "and nobody noticed", "see the design page", "with a test")


def _sentence(chance: random.Random) -> str:
    return f"{chance.choice(_VERBS)} {chance.choice(_THINGS)}, {chance.choice(_ENDS)}"


def survey(seed: int, modules: int, notes: int) -> Patch:
    """Lazy memory of a cwd: what the agent found out about each module. About 60 bytes a note."""
    chance = random.Random(seed)
    found: Patch = {}
    for name in _MODULES[:modules]:
        found[name] = {
            "purpose": _sentence(chance),
            "lines": {part: chance.randint(40, 900) for part in ("index", "model", "view", "store")},
            "notes": [_sentence(chance) for _ in range(notes)],
            "coverage": round(chance.uniform(0.55, 0.98), 2),
            "open": [f"LAR-{chance.randint(100, 999)}" for _ in range(chance.randint(0, 4))],
        }
    return found


def test_runs(seed: int, runs: int) -> list[Patch]:
    """Lazy memory of a session: what the suites said, oldest first."""
    chance = random.Random(seed)
    return [
        {
            "suite": chance.choice(RELEASE["tactics"]["checks"]),
            "passed": chance.randint(180, 240),
            "failed": max(0, chance.randint(-4, 2)),
            "seconds": round(chance.uniform(4, 95), 1),
            "said": _sentence(chance),
        }
        for _ in range(runs)
    ]


MIGRATION: Patch = {
    "order": ["event table", "double write", "backfill", "read events", "drop stock"],
    "at": "backfill",
    "undo": "stop double writing; the old table is whole until the last step",
    "open": ["what a phone on 1.1 does with a tombstone", "size of an event row with a photo"],
}

_SPIKE: Patch = {
    "intents": {"spike": {"goal": "try CRDTs for the list", "report": {"$ref": "cwd.lazy.spike"}}},
    "lazy": {"spike": {"size": "+310 kB", "verdict": "too large for a widget"}},
}

# An agent that changes a shared scope notes what it does in its session as well: one change, one moment, two scopes.
HISTORY: tuple[Patch, ...] = (
    {"session": {"tactics": {"done": 4, "next": "measure the widget size"}}},
    {
        "cwd": {"strategy": {"api": "v2; v1 read-only until June"}},
        "session": {"tactics": {"last": "asked two partners"}},
    },
    {"session": {"lazy": {"backfill": {"done": 31}}, "tactics": {"next": "run the e2e suite", "last": None}}},
    {"cwd": _SPIKE, "session": {"tactics": {"aside": "CRDT spike, one hour"}}},
    {"global": {"strategy": {"shell": {"timeout_s": 300}}}, "session": {"tactics": {"done": 5}}},
    {"session": {"tactics": {"done": 6}}, "cwd": {"tactics": {"flaky": {"seen": 4}}}},
    {"cwd": {"intents": {"spike": None}}, "session": {"tactics": {"aside": None}}},
    {"session": {"tactics": {"checks": {"[8]": "e2e (twice)"}, "done": 7}}},
)
